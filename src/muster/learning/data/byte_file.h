// Reads the bytes of a file, which may be gzip-compressed, from front to back. Like gzip, it reads several
// compressed streams in a row as one and ignores other bytes after a complete stream. Each object belongs to
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

struct gzFile_s;

namespace muster::learning {

class ByteFile {
 public:
  // Throws Error(data) if the file cannot be opened.
  explicit ByteFile(const std::filesystem::path& path);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  // Fills `out` and returns the number of bytes read. A number below out.size() means that the file has
  // ended. Throws Error(data) if reading fails, or if the compressed stream is corrupt, ends early or fails
  // its checksum (which zlib checks at the end).
  std::size_t read(std::span<std::uint8_t> out);

 private:
  std::filesystem::path path_;
  gzFile_s* file_;
};

// Returns DIR/NAME if it exists, else DIR/NAME.gz if that exists; otherwise throws Error(data).
std::filesystem::path find_plain_or_gz(const std::filesystem::path& dir, const std::string& name);

}  // namespace muster::learning

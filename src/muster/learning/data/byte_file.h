// Bytes of a file that may be gzip-compressed, read front to back. As gzip does, it ignores bytes that follow
// a complete compressed stream. One object belongs to one thread.
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
  // Error(data) when the file cannot be opened.
  explicit ByteFile(const std::filesystem::path& path);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  // Fills `out` and returns its size; fewer only at the end of the file. Error(data) when the compressed
  // stream is corrupt, stops early or fails its checksum (which zlib checks on reaching the end).
  std::size_t read(std::span<std::uint8_t> out);

 private:
  std::filesystem::path path_;
  gzFile_s* file_;
};

// DIR/NAME, or DIR/NAME.gz when that is what is there (plain wins when both are);
// Error(data) when neither is.
std::filesystem::path find_plain_or_gz(const std::filesystem::path& dir, const std::string& name);

}  // namespace muster::learning

#include "muster/learning/data/byte_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "muster/core/error.h"

namespace muster::learning {

ByteFile::ByteFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(ErrorCode::data, path.string(), "a folder", "a file", "cannot be read");
  }
  errno = 0;
  file_ = gzopen(path.c_str(), "rb");
  if (file_ == nullptr) {
    throw Error(ErrorCode::data, path.string(), errno == 0 ? "out of memory" : std::strerror(errno),
                "a readable file", "cannot be read");
  }
  gzbuffer(file_, 1U << 17);
}

ByteFile::~ByteFile() { gzclose_r(file_); }

std::size_t ByteFile::read(std::span<std::uint8_t> out) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  std::size_t done = 0;
  while (done < out.size()) {
    const int got =
        gzread(file_, out.data() + done, static_cast<unsigned>(std::min(out.size() - done, kMaxAtOnce)));
    // If a compressed stream ends early, gzread returns a short count that is not negative. Only gzerror
    // reports the error.
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (got < 0 || code != Z_OK) {
      std::string found = code == Z_ERRNO ? std::strerror(errno) : message;
      // zlib's message begins with the file name, which is already the key of the error.
      if (const std::string name = path_.string() + ": "; found.starts_with(name))
        found.erase(0, name.size());
      throw Error(ErrorCode::data, path_.string(), found, "a complete plain or gzip file", "cannot be read");
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::filesystem::path find_plain_or_gz(const std::filesystem::path& dir, const std::string& name) {
  for (const std::string& candidate : {name, name + ".gz"}) {
    std::error_code ignored;
    if (std::filesystem::exists(dir / candidate, ignored)) return dir / candidate;
  }
  throw Error(ErrorCode::data, (dir / name).string(), "no such file", name + " or " + name + ".gz",
              "is missing");
}

}  // namespace muster::learning

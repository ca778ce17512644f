#include "muster/core/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "muster/core/error.h"

namespace muster {
namespace {

// Returns whether every byte was written; if not, errno holds the reason.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void flush_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    // Some file systems cannot flush a folder. The rename has happened either way, so a failure is ignored.
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

void throw_file_error(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::file, path.string(), "", "", what + ": " + std::strerror(errno));
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorCode::file, path.string(), "", "", "cannot be written: it is not a regular file");
  }
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw_file_error(path, "cannot be written");
  }
  const bool written = write_all(descriptor, bytes) && ::fsync(descriptor) == 0;
  const int reason = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!written || !closed || ::rename(temporary.c_str(), path.c_str()) != 0) {
    errno = written ? errno : reason;
    const int kept = errno;
    ::unlink(temporary.c_str());
    errno = kept;
    throw_file_error(path, "cannot be written");
  }
  flush_folder(path.parent_path());
}

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw_file_error(path, "cannot be read");
  }
  std::string bytes;
  std::array<char, 1 << 16> piece;
  ssize_t got = 0;
  while ((got = ::read(descriptor, piece.data(), piece.size())) > 0 || (got < 0 && errno == EINTR)) {
    bytes.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  const int reason = errno;
  ::close(descriptor);
  if (got < 0) {  // for example, because the path is a folder
    errno = reason;
    throw_file_error(path, "cannot be read");
  }
  return bytes;
}

std::uintmax_t append_whole(int descriptor, std::uintmax_t length, std::string_view bytes,
                            const std::filesystem::path& path) {
  if (!write_all(descriptor, bytes)) {
    const int reason = errno;
    static_cast<void>(!::ftruncate(descriptor, static_cast<off_t>(length)));
    errno = reason;
    throw_file_error(path, "cannot be written");
  }
  return length + bytes.size();
}

}  // namespace muster

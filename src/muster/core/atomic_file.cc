#include "muster/core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

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

constexpr std::string_view kTemporary = ".tmp";

struct Temporary {
  std::filesystem::path path;
  int descriptor;  // -1 on failure, with the reason in errno
};

// Creates and opens a new file PATH.PID-COUNT.tmp. If the name is taken (by a file that a killed process with
// the same id left, or by a process on another machine), the next count is tried.
Temporary new_temporary(const std::filesystem::path& path, ReadableBy readers) {
  static std::atomic<std::uint64_t> number{0};
  while (true) {
    Temporary made{path, -1};
    made.path += fmt::format(".{}-{}{}", ::getpid(), number.fetch_add(1), kTemporary);
    made.descriptor = ::open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                             readers == ReadableBy::owner ? 0600 : 0644);
    if (made.descriptor >= 0 || errno != EEXIST) {
      return made;
    }
  }
}

}  // namespace

void throw_file_error(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::file, path.string(), "", "", what + ": " + std::strerror(errno));
}

Error file_error(const std::filesystem::filesystem_error& error) {
  return {ErrorCode::file, error.path1().string(), "", "", "cannot be examined: " + error.code().message()};
}

void replace_file(const std::filesystem::path& path, std::string_view bytes, ReadableBy readers) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorCode::file, path.string(), "", "", "cannot be written: it is not a regular file");
  }
  const auto [temporary, descriptor] = new_temporary(path, readers);
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

bool is_temporary_of(const std::filesystem::path& name, const std::filesystem::path& replaced) {
  std::string_view rest = name.native();
  if (!rest.starts_with(replaced.native()) || !rest.ends_with(kTemporary)) {
    return false;
  }
  rest.remove_prefix(replaced.native().size());
  // Older versions named their temporary files PATH.tmp.
  return rest == kTemporary ||
         (rest.starts_with(".") && rest.size() > kTemporary.size() + 1 &&
          rest.substr(0, rest.size() - kTemporary.size()).find_first_not_of("0123456789-", 1) ==
              std::string_view::npos);
}

void flush_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may not be read cannot be flushed
  const bool flushed = ::fsync(descriptor) == 0;
  const int reason = errno;
  ::close(descriptor);
  // These errors mean that the file system cannot flush a folder. Any other is an error of the disk.
  if (flushed || reason == EINVAL || reason == EBADF || reason == ENOTSUP) return;
  errno = reason;
  throw_file_error(folder, "cannot be made durable");
}

void remove_temporaries_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    if (is_temporary_of(entry->path().filename(), path.filename())) {
      found.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& each : found) {
    std::filesystem::remove(each, ignored);
  }
}

std::string read_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer. For regular files the flag has no effect.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw_file_error(path, "cannot be read");
  }
  struct stat status;
  if (::fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorCode::file, path.string(), "", "", "cannot be read: it is not a regular file");
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

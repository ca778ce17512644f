// A library for LD_PRELOAD that makes calls which change files fail, to test what a process does then.
//
// It knows write, pwrite, fsync, fdatasync, ftruncate and rename on files below one folder, and fsync on that
// folder and on those below. The environment says what to do:
//
//     DISK_FAULTS_FOLDER   the absolute path of the folder
//     DISK_FAULTS_CALL     the name of the calls that are counted
//     DISK_FAULTS_AT       the number, from 1 on, of the first one that fails
//     DISK_FAULTS_KIND     eio: this call alone fails, with EIO
//                          enospc: this call and all later ones that write fail, with ENOSPC
//                          short: this call, which has to write, writes half of its bytes
//     DISK_FAULTS_REPORT   the file to which "CALL PATH" is written when the first call fails
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

enum class Fault { none, fails, is_short };

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Faults {
  std::string folder = variable("DISK_FAULTS_FOLDER"), call = variable("DISK_FAULTS_CALL"),
              kind = variable("DISK_FAULTS_KIND"), report = variable("DISK_FAULTS_REPORT");
  long at = std::atol(variable("DISK_FAULTS_AT").c_str());
  std::atomic<long> calls{0};
  std::atomic<bool> is_full{false};

  bool concerns(std::string_view path) const {
    return !folder.empty() && (path == folder || path.starts_with(folder + "/"));
  }

  // Counts a call on the file, and returns what happens to the call. `errno` is set if the call fails.
  Fault next(std::string_view name, const std::string& path) {
    if (!concerns(path)) return Fault::none;
    const bool is_first = name == call && ++calls == at;
    if (is_first) tell(path);
    if (kind == "short") return is_first ? Fault::is_short : Fault::none;
    if (kind == "enospc" && is_first) is_full = true;
    const bool writes = name == "write" || name == "pwrite";
    if (!is_first && !(is_full && writes)) return Fault::none;
    errno = is_full ? ENOSPC : EIO;
    return Fault::fails;
  }

  void tell(const std::string& path) const {
    const std::string line = call + " " + path + "\n";
    const long file = ::syscall(SYS_openat, AT_FDCWD, report.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || ::syscall(SYS_write, file, line.data(), line.size()) < 0) std::abort();
    ::syscall(SYS_close, file);
  }
};

Faults& faults() {
  static Faults* const kFaults = new Faults;  // never destroyed: calls come until the process ends
  return *kFaults;
}

// Returns the path of an open file, or of a folder if `or_folder`; "" for anything else. Folders do not count
// for fdatasync, because SQLite ignores its errors on a folder, which some file systems cannot synchronize.
std::string path_of(int descriptor, bool or_folder) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return "";
  if (!S_ISREG(info.st_mode) && !(or_folder && S_ISDIR(info.st_mode))) return "";
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

std::string absolute(const char* path) {
  char folder[PATH_MAX];
  if (path[0] == '/' || ::getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + "/" + path;
}

Fault fault_of(const char* call, int descriptor) {
  const int before = errno;
  const std::string path = path_of(descriptor, std::string_view(call) == "fsync");
  errno = before;
  return faults().next(call, path);
}

std::size_t length_under(Fault fault, std::size_t length) {
  return fault == Fault::is_short ? (length + 1) / 2 : length;
}

}  // namespace

extern "C" {

// The C library declares these functions with reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
ssize_t write(int descriptor, const void* bytes, size_t length) {
  const Fault fault = fault_of("write", descriptor);
  if (fault == Fault::fails) return -1;
  return ::syscall(SYS_write, descriptor, bytes, length_under(fault, length));
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t length, off64_t at) {
  const Fault fault = fault_of("pwrite", descriptor);
  if (fault == Fault::fails) return -1;
  return ::syscall(SYS_pwrite64, descriptor, bytes, length_under(fault, length), at);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t length, off_t at) {
  return pwrite64(descriptor, bytes, length, at);
}

int fsync(int descriptor) {
  return fault_of("fsync", descriptor) == Fault::fails ? -1
                                                       : static_cast<int>(::syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  if (fault_of("fdatasync", descriptor) == Fault::fails) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

int ftruncate64(int descriptor, off64_t length) noexcept {
  if (fault_of("ftruncate", descriptor) == Fault::fails) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, descriptor, length));
}
int ftruncate(int descriptor, off_t length) noexcept { return ftruncate64(descriptor, length); }

int rename(const char* from, const char* to) noexcept {
  if (faults().next("rename", absolute(to)) == Fault::fails) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

}  // extern "C"

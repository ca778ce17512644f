#include "muster/service/config/role_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"

namespace muster::service {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerAlone = 0700;

// A role that was given a wrong folder, such as /tmp, must not take it away from everybody else.
void require_own(const fs::path& path) {
  std::error_code failure;
  std::string other;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure)) {
    const fs::path name = entry->path().filename();
    if (name.extension() == ".key" || name == RoleFolder::store_of("")) return;
    other = name.string();
  }
  if (failure) {
    throw Error(ErrorCode::file, path.string(), "", "", "cannot be read: " + failure.message());
  }
  if (other.empty()) return;
  throw Error(ErrorCode::file, path.string(), "", "a folder of the role alone, or one of mode 0700",
              fmt::format("may be read by others, and holds {} but neither a key nor a store", other));
}

// Makes the folder, or keeps the one that is there, with no right left to others.
void make_private(const fs::path& path) {
  if (::mkdir(path.c_str(), kOwnerAlone) != 0 && errno != EEXIST) throw_file_error(path, "cannot be made");
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw_file_error(path, "cannot be examined");
  if (!S_ISDIR(info.st_mode)) throw Error(ErrorCode::file, path.string(), "", "a folder", "is no folder");
  if ((info.st_mode & 07777) == kOwnerAlone) return;
  require_own(path);
  if (::chmod(path.c_str(), kOwnerAlone) != 0) {
    throw_file_error(path, "may be read by others, which cannot be changed");
  }
}

int lock_in(const fs::path& folder) {
  const fs::path path = folder / "lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) throw_file_error(path, "cannot be opened");
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int reason = errno;
  ::close(descriptor);
  if (reason == EWOULDBLOCK) {
    throw Error(ErrorCode::file, folder.string(), "", "",
                "is in use by another process of muster: one process uses a folder at a time");
  }
  errno = reason;
  throw_file_error(path, "cannot be locked");
}

}  // namespace

RoleFolder::RoleFolder(fs::path path)
    : path_(std::move(path)), lock_((make_private(path_), lock_in(path_))) {}

RoleFolder::~RoleFolder() { ::close(lock_); }

}  // namespace muster::service

#include "muster/service/config/role_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"

namespace muster::service {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerAlone = 0700;

// Makes the folder, or keeps the one that is there, with no right left to others.
void make_private(const fs::path& path) {
  if (::mkdir(path.c_str(), kOwnerAlone) != 0 && errno != EEXIST) throw_file_error(path, "cannot be made");
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw_file_error(path, "cannot be examined");
  if (!S_ISDIR(info.st_mode)) throw Error(ErrorCode::file, path.string(), "", "a folder", "is no folder");
  if ((info.st_mode & 07777) == kOwnerAlone) return;
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

#include "muster/service/store/file_log_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "muster/core/atomic_file.h"
#include "muster/service/store/file_log.h"

namespace muster::service {

std::unique_ptr<Log> FileLogFolder::create(const std::string& name, std::size_t width) {
  remove(name);
  return std::make_unique<FileLog>(FileLog::create(path_of(name), width));
}

std::unique_ptr<Log> FileLogFolder::open(const std::string& name, std::size_t width) {
  return std::make_unique<FileLog>(FileLog::open(path_of(name), width));
}

std::vector<std::string> FileLogFolder::names() {
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator file(folder_, failure), end; !failure && file != end;
       file.increment(failure)) {
    if (file->path().extension() == ".log") names.push_back(file->path().stem().string());
  }
  if (failure) {
    errno = failure.value();
    throw_file_error(folder_, "cannot be listed");
  }
  std::ranges::sort(names);
  return names;
}

void FileLogFolder::remove(const std::string& name) {
  const std::filesystem::path path = path_of(name);
  remove_temporaries_of(path);  // a process that was killed while it made the log left a file
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return;
    throw_file_error(path, "cannot be removed");
  }
  flush_folder(folder_);
}

}  // namespace muster::service

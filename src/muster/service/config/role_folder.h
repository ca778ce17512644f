// The folder in which a role, or a device, keeps its key and its store: readable by its owner alone, and used
// by one process at a time.
//
// Two processes that both spent a device's tokens, or both continued one ledger, would break what the other
// roles were promised, so the folder is locked as long as the object lives. The lock (flock on FOLDER/lock)
// ends with the process, however the process ends. An object belongs to one thread.
#pragma once

#include <filesystem>

namespace muster::service {

class RoleFolder {
 public:
  // Makes the folder if it does not exist (not those above it), and takes every right to it from others.
  // Throws Error(file), naming the path, if that fails, if another process uses the folder, or if others have
  // rights to a folder that holds files, but neither a key nor a store.
  explicit RoleFolder(std::filesystem::path path);
  ~RoleFolder();
  RoleFolder(const RoleFolder&) = delete;
  RoleFolder& operator=(const RoleFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path store() const { return store_of(path_); }
  // The file of the store in a folder, which this function does not lock.
  static std::filesystem::path store_of(const std::filesystem::path& folder) { return folder / "store.db"; }

 private:
  std::filesystem::path path_;
  int lock_;
};

}  // namespace muster::service

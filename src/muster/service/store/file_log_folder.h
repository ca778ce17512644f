// Logs in a folder of the file system: the log NAME is the file NAME.log (file_log.h). A folder belongs to
// one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/store/log_folder.h"

namespace muster::service {

class FileLogFolder final : public LogFolder {
 public:
  // The folder must exist.
  explicit FileLogFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::unique_ptr<Log> create(const std::string& name, std::size_t width) override;
  std::unique_ptr<Log> open(const std::string& name, std::size_t width) override;
  std::vector<std::string> names() override;
  void remove(const std::string& name) override;

 private:
  std::filesystem::path path_of(const std::string& name) const { return folder_ / (name + ".log"); }

  std::filesystem::path folder_;
};

}  // namespace muster::service

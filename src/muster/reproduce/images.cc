#include "muster/reproduce/images.h"

#include <filesystem>
#include <system_error>

#include "muster/core/error.h"
#include "muster/plan/value_kinds.h"

namespace muster::reproduce {

namespace fs = std::filesystem;

namespace {

constexpr const char *kTen = "cifar-10-batches-bin", *kHundred = "cifar-100-binary";
constexpr const char* kWanted =
    "a folder with cifar-10-batches-bin and cifar-100-binary, the binary versions of CIFAR-10 and CIFAR-100";

// The digest of the 60,000 training and 10,000 test images of MNIST, as a checkpoint of
//     muster train plans/quickstart.toml --data DIR
// states it in its bytes 76 to 107.
constexpr const char* kMnistDigest = "14d5264fae03e7a5c4ccc9d8aacb2f050bc2c8e7ca97fd60d333f28a008bb2ac";

fs::path folder_of(const std::string& data) {
  const protocols::DataFormat* format = protocols::data_format_of(data);
  if (data.empty() || data == "digits") {
    throw Error(ErrorCode::usage, Reason::missing, "--data", data, kWanted,
                "is needed: the figure learns CIFAR-10 after CIFAR-100");
  }
  if (format != nullptr && !format->folder) {
    throw Error(ErrorCode::usage, Reason::inapplicable, "--data", data, kWanted, "is no folder");
  }
  return format == nullptr ? data : data.substr(data.find(':') + 1);
}

std::string subfolder(const fs::path& folder, const char* name) {
  std::error_code ignored;
  if (!fs::is_directory(folder / name, ignored)) {
    throw Error(ErrorCode::data, folder.string(), std::string("no folder ") + name, kWanted,
                "does not hold both data sets");
  }
  return "cifar:" + (folder / name).string();
}

}  // namespace

CifarFolders cifar_folders(const std::string& data) {
  const fs::path folder = folder_of(data);
  return {subfolder(folder, kTen), subfolder(folder, kHundred)};
}

bool is_mnist(const std::string& digest) { return digest == kMnistDigest; }

}  // namespace muster::reproduce

// Tests which folders hold the images of figures, and that MNIST's are told from others of its format.
#include "muster/reproduce/images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/idx.h"
#include "muster/simulation/runs/checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

using ::testing::HasSubstr;

Error refused(const std::string& data) {
  SCOPED_TRACE(data);
  return error_of([&] { static_cast<void>(cifar_folders(data)); });
}

TEST(CifarFolders, AreSubfoldersUnderTheirArchivesNames) {
  const muster::testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::filesystem::create_directory(folder / "cifar-10-batches-bin");
  EXPECT_EQ(refused(folder.string()).code(), ErrorCode::data);
  EXPECT_THAT(refused(folder.string()).what(), HasSubstr("no folder cifar-100-binary"));
  std::filesystem::create_directory(folder / "cifar-100-binary");
  for (const char* format : {"", "idx:", "cifar:"}) {
    const CifarFolders found = cifar_folders(format + folder.string());
    EXPECT_EQ(found.ten, "cifar:" + (folder / "cifar-10-batches-bin").string());
    EXPECT_EQ(found.hundred, "cifar:" + (folder / "cifar-100-binary").string());
  }
}

TEST(CifarFolders, AreAskedForByName) {
  for (const char* data : {"", "digits", "csv:table.csv"}) {
    const Error error = refused(data);
    EXPECT_EQ(error.code(), ErrorCode::usage) << data;
    EXPECT_THAT(error.what(), HasSubstr("cifar-10-batches-bin and cifar-100-binary")) << data;
  }
  EXPECT_THAT(refused("/nowhere").what(), HasSubstr("no folder cifar-10-batches-bin"));
}

std::string digest_of(const learning::DataSplit& data) {
  return fmt::format("{:02x}", fmt::join(simulation::digest_of(data), ""));
}

TEST(Mnist, IsToldFromOtherImagesOfItsFormat) {
  learning::DataSplit other;
  other.train.labels = {1};
  other.train.bytes.resize(learning::kImagePixels);
  EXPECT_FALSE(is_mnist(digest_of(other)));
  const std::filesystem::path dir = "../shared/data/mnist";
  if (!std::filesystem::is_directory(dir)) GTEST_SKIP() << "needs MNIST in " << dir;
  learning::DataSplit mnist = learning::load_idx(dir);
  EXPECT_TRUE(is_mnist(digest_of(mnist)));
  mnist.train.labels.front() ^= 1;
  EXPECT_FALSE(is_mnist(digest_of(mnist)));
}

}  // namespace
}  // namespace muster::reproduce

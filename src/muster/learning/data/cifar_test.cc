// Tests the CIFAR loader with small files in both formats, and with each kind of defect that a file may have.
#include "muster/learning/data/cifar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::learning {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Bytes = std::string;

constexpr std::size_t kPlane = 1024;

// Returns `count` records. Record i has the label i mod `classes`, and pixel p of its plane c is
// (i + p + 50 c) mod 256.
Bytes records(std::size_t count, std::size_t labels, unsigned classes) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (labels == 2) bytes += '\x11';  // the coarse label, which is ignored
    bytes += static_cast<char>(i % classes);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t p = 0; p < kPlane; ++p) bytes += static_cast<char>((i + p + 50 * c) % 256);
    }
  }
  return bytes;
}

class Cifar : public ::testing::Test {
 protected:
  void put(const std::string& name, const Bytes& bytes) const {
    std::ofstream(folder_.path() / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void put_gz(const std::string& name, const Bytes& bytes) const {
    fs::remove(folder_.path() / name);
    gzFile file = gzopen((folder_.path() / (name + ".gz")).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }
  void put_ten() const {
    for (int batch = 1; batch <= 5; ++batch) {
      put("data_batch_" + std::to_string(batch) + ".bin", records(7, 1, 10));
    }
    put("test_batch.bin", records(3, 1, 10));
  }
  void put_hundred() const {
    put("train.bin", records(120, 2, 100));
    put("test.bin", records(4, 2, 100));
  }
  void expect_refusal(const std::string& file, const std::string& found, const std::string& expected) const {
    SCOPED_TRACE(::testing::Message() << file << ' ' << found);
    const Error error = error_of([&] { load_cifar(folder_.path()); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_THAT(error.key(), HasSubstr(file));
    EXPECT_THAT(error.value(), HasSubstr(found));
    EXPECT_THAT(error.allowed(), HasSubstr(expected));
  }

  muster::testing::TemporaryFolder folder_;
};

TEST_F(Cifar, ReadsTenClasses) {
  put_ten();
  const DataSplit split = load_cifar(folder_.path());
  ASSERT_EQ(split.train.size(), 35U);
  ASSERT_EQ(split.test.size(), 3U);
  EXPECT_EQ(split.train.classes, 10U);
  EXPECT_EQ(split.train.shape, (Shape{32, 32, 3}));
  EXPECT_EQ(split.train.labels[7 + 5], 5);
  ASSERT_EQ(split.train.bytes.size(), 35U * 3072);
  // This is the green value (plane 1) of example 2 in row 1 and column 3, which is pixel 32 + 3 of the plane.
  EXPECT_EQ(split.train.bytes[2 * 3072 + 35 * 3 + 1], (2 + 35 + 50) % 256);
  std::vector<float> buffer(3072);
  EXPECT_FLOAT_EQ(split.train.example(2, buffer).inputs[35 * 3 + 1],
                  static_cast<float>(((2 + 35 + 50) / 255.0 - 0.4822) / 0.2435));
}

TEST_F(Cifar, ReadsAHundredFineClasses) {
  put_hundred();
  const DataSplit split = load_cifar(folder_.path());
  EXPECT_EQ(split.train.classes, 100U);
  ASSERT_EQ(split.train.size(), 120U);
  EXPECT_EQ(split.train.labels[99], 99);
  EXPECT_EQ(split.test.size(), 4U);
}

TEST_F(Cifar, ReadsCompressedFilesAlike) {
  put_ten();
  const DataSplit plain = load_cifar(folder_.path());
  put_gz("data_batch_2.bin", records(7, 1, 10));
  put_gz("test_batch.bin", records(3, 1, 10));
  const DataSplit mixed = load_cifar(folder_.path());
  EXPECT_EQ(plain.train.bytes, mixed.train.bytes);
  EXPECT_EQ(plain.test.labels, mixed.test.labels);
}

TEST_F(Cifar, RefusesFoldersThatHoldNeitherOrBoth) {
  expect_refusal("", "none of these files", "data_batch_1..5.bin");
  put_ten();
  put_hundred();
  expect_refusal("", "CIFAR-10 and of CIFAR-100", "");
}

TEST_F(Cifar, RefusesAMissingBatch) {
  put_ten();
  fs::remove(folder_.path() / "data_batch_4.bin");
  expect_refusal("data_batch_4.bin", "no such file", "data_batch_4.bin.gz");
}

TEST_F(Cifar, RefusesEveryTruncation) {
  put_ten();
  const Bytes whole = records(7, 1, 10);
  for (const std::size_t size : {std::size_t{1}, std::size_t{3072}, std::size_t{3074}, whole.size() - 1}) {
    put("data_batch_3.bin", whole.substr(0, size));
    expect_refusal("data_batch_3.bin", "records and", "3073");
  }
  put("data_batch_3.bin", "");
  expect_refusal("data_batch_3.bin", "empty", "");
  put("data_batch_3.bin", whole.substr(0, whole.size() - 3073));  // cut at the end of a record
  expect_refusal("data_batch_3.bin", "6 records", "7, as in data_batch_1.bin");
}

TEST_F(Cifar, RefusesTrailingBytesAndTooManyRecords) {
  put_ten();
  put("test_batch.bin", records(3, 1, 10) + "x");
  expect_refusal("test_batch.bin", "3 records and 1 bytes", "3073");
  put_gz("test_batch.bin", Bytes(10'001 * 3073, '\0'));
  expect_refusal("test_batch.bin.gz", "more than 10000 records", "10000");
}

TEST_F(Cifar, RefusesALabelThatIsNoClass) {
  put_ten();
  Bytes bad = records(7, 1, 10);
  bad[4 * 3073] = 10;
  put("data_batch_5.bin", bad);
  expect_refusal("data_batch_5.bin", "label 10 in record 4", "0 to 9");
}

TEST_F(Cifar, RefusesFilesOfTheOtherFormat) {
  put_ten();
  put("data_batch_1.bin", records(7, 2, 100));
  expect_refusal("data_batch_1.bin", "", "");
}

}  // namespace
}  // namespace muster::learning

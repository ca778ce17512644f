// Tests what the idx loader accepts, and each way in which a file can be wrong.
#include "muster/learning/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <functional>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::learning {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Bytes = std::string;

Bytes big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// Returns a file of `count` images: pixel p of image i is (i + p) mod 256. In the file that labels() returns,
// label i is i mod 10.
Bytes images(std::uint32_t count) {
  Bytes bytes = big_endian(0x803) + big_endian(count) + big_endian(28) + big_endian(28);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < kImagePixels; ++p) bytes += static_cast<char>((i + p) % 256);
  }
  return bytes;
}

Bytes labels(std::uint32_t count) {
  Bytes bytes = big_endian(0x801) + big_endian(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}

class Idx : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("muster-idx-" + std::to_string(getpid()));
    fs::create_directories(dir_);
    put("train-images-idx3-ubyte", images(12));
    put("train-labels-idx1-ubyte", labels(12));
    put("t10k-images-idx3-ubyte", images(3));
    put("t10k-labels-idx1-ubyte", labels(3));
  }
  void TearDown() override { fs::remove_all(dir_); }

  void put(const std::string& name, const Bytes& bytes) const {
    std::ofstream(dir_ / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  // Replaces the plain file with a compressed one.
  void put_gz(const std::string& name, const Bytes& bytes) const {
    fs::remove(dir_ / name);
    gzFile file = gzopen((dir_ / (name + ".gz")).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }

  Bytes get(const std::string& name) const {
    std::ifstream file(dir_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Expects that the folder is refused with Error(data), and that the error names `file`, what was found and
  // what was expected.
  void expect_refusal(const std::string& file, const std::string& found, const std::string& expected) const {
    SCOPED_TRACE(::testing::Message() << file << ' ' << found);
    const Error error = error_of([&] { load_idx(dir_); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(fs::path(error.key()).filename().string(), file);
    EXPECT_THAT(error.value(), HasSubstr(found));
    EXPECT_THAT(error.allowed(), HasSubstr(expected));
    EXPECT_THAT(error.what(), HasSubstr(file));
  }

  fs::path dir_;
};

TEST_F(Idx, ReadsPlainFiles) {
  const DataSplit split = load_idx(dir_);
  ASSERT_EQ(split.train.size(), 12U);
  ASSERT_EQ(split.test.size(), 3U);
  EXPECT_EQ(split.train.labels[11], 1);
  ASSERT_EQ(split.train.bytes.size(), 12U * kImagePixels);
  EXPECT_EQ(split.train.bytes[3 * kImagePixels + 252], 255);
}

TEST_F(Idx, ReadsCompressedFilesAlike) {
  const DataSplit plain = load_idx(dir_);
  put_gz("train-images-idx3-ubyte", images(12));
  put_gz("t10k-labels-idx1-ubyte", labels(3));
  const DataSplit mixed = load_idx(dir_);
  EXPECT_EQ(plain.train.bytes, mixed.train.bytes);
  EXPECT_EQ(plain.test.labels, mixed.test.labels);
}

TEST_F(Idx, RefusesAMissingFile) {
  fs::remove(dir_ / "t10k-images-idx3-ubyte");
  expect_refusal("t10k-images-idx3-ubyte", "no such file", "t10k-images-idx3-ubyte.gz");
}

TEST_F(Idx, RefusesAMissingFolder) {
  dir_ /= "nowhere";
  expect_refusal("train-images-idx3-ubyte", "no such file", "train-images-idx3-ubyte");
}

TEST_F(Idx, RefusesAFolderInPlaceOfAFile) {
  fs::remove(dir_ / "train-labels-idx1-ubyte");
  fs::create_directory(dir_ / "train-labels-idx1-ubyte");
  expect_refusal("train-labels-idx1-ubyte", "a folder", "a file");
}

TEST_F(Idx, RefusesTheWrongMagic) {
  put("train-images-idx3-ubyte", labels(12));
  expect_refusal("train-images-idx3-ubyte", "magic 0x00000801", "0x00000803");
  put("train-images-idx3-ubyte", "hello, this is no idx file");
  expect_refusal("train-images-idx3-ubyte", "magic 0x68656c6c", "0x00000803");
}

TEST_F(Idx, RefusesEveryTruncation) {
  const Bytes whole = images(3);
  for (std::size_t size = 0; size < whole.size(); size += size < 20 ? 1 : 97) {
    put("t10k-images-idx3-ubyte", whole.substr(0, size));
    expect_refusal("t10k-images-idx3-ubyte", size < 16 ? "end of file" : std::to_string(size - 16) + " bytes",
                   size < 16 ? "4 bytes" : std::to_string(3 * kImagePixels));
  }
  put("t10k-images-idx3-ubyte", whole);
  put("t10k-labels-idx1-ubyte", labels(3).substr(0, 10));
  expect_refusal("t10k-labels-idx1-ubyte", "2 bytes", "3");
}

TEST_F(Idx, RefusesTrailingBytes) {
  put("train-images-idx3-ubyte", images(12) + "x");
  expect_refusal("train-images-idx3-ubyte", "more than 9408 bytes", "9408");
  put("train-images-idx3-ubyte", images(12));
  put("train-labels-idx1-ubyte", labels(12) + Bytes(1, '\0'));
  expect_refusal("train-labels-idx1-ubyte", "more than 12 bytes", "12");
}

TEST_F(Idx, RefusesCountsThatDoNotMatch) {
  put("train-labels-idx1-ubyte", labels(11));
  expect_refusal("train-labels-idx1-ubyte", "11 labels", "12, the images in train-images-idx3-ubyte");
}

TEST_F(Idx, RefusesAHeaderThatClaimsTooMuch) {
  for (const std::uint32_t count : {0U, 1'000'001U, 0xFFFFFFFFU}) {
    put("train-images-idx3-ubyte", big_endian(0x803) + big_endian(count) + big_endian(28) + big_endian(28));
    expect_refusal("train-images-idx3-ubyte", "count " + std::to_string(count), "1 to 1000000");
  }
}

// The header claims the largest legal count, but only six bytes of pixels follow. If the loader allocated the
// claimed 784 MB, the peak memory of the process would show it.
TEST_F(Idx, TakesNoMemoryOnTheWordOfAHeader) {
  put("train-images-idx3-ubyte",
      big_endian(0x803) + big_endian(1'000'000) + big_endian(28) + big_endian(28) + "pixels");
  put_gz("train-labels-idx1-ubyte", labels(1'000'000));
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  expect_refusal("train-images-idx3-ubyte", "6 bytes", "784000000");
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000) << "KiB";
}

TEST_F(Idx, RefusesOtherImageSizes) {
  const Bytes rest(12 * 32 * 32, 'p');
  put("train-images-idx3-ubyte", big_endian(0x803) + big_endian(12) + big_endian(32) + big_endian(32) + rest);
  expect_refusal("train-images-idx3-ubyte", "rows 32", "28");
  put("train-images-idx3-ubyte", big_endian(0x803) + big_endian(12) + big_endian(28) + big_endian(0) + rest);
  expect_refusal("train-images-idx3-ubyte", "columns 0", "28");
}

TEST_F(Idx, RefusesALabelThatIsNoDigit) {
  Bytes bad = labels(12);
  bad[8 + 5] = 10;
  put("train-labels-idx1-ubyte", bad);
  expect_refusal("train-labels-idx1-ubyte", "label 10 at index 5", "0 to 9");
}

TEST_F(Idx, RefusesCorruptAndTruncatedCompression) {
  put_gz("train-images-idx3-ubyte", images(12));
  const std::string name = "train-images-idx3-ubyte.gz";
  const Bytes whole = get(name);
  for (std::size_t size = 12; size < whole.size(); size += 41) {
    put(name, whole.substr(0, size));
    expect_refusal(name, "", "");
  }
  Bytes flipped = whole;
  flipped[whole.size() - 6] ^= 1;  // a bit of the checksum
  put(name, flipped);
  expect_refusal(name, "", "complete plain or gzip file");
}

TEST(IdxMnist, LoadsTheRealFiles) {
  const fs::path dir = "../shared/data/mnist";
  if (!fs::exists(dir)) GTEST_SKIP() << "MNIST is optional and not at " << dir;
  const DataSplit split = load_idx(dir);
  ASSERT_EQ(split.train.size(), 60000U);
  ASSERT_EQ(split.test.size(), 10000U);
  EXPECT_EQ(split.train.labels[0], 5);
  EXPECT_EQ(split.test.labels[0], 7);
  double sum = 0;
  for (const std::uint8_t p : split.train.bytes) sum += p;
  const double mean = sum / 255.0 / static_cast<double>(split.train.bytes.size());
  EXPECT_NEAR(mean, kMnist[0].mean, 1e-4);
}

}  // namespace
}  // namespace muster::learning

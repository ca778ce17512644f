// Tests of the CSV loader: what it accepts, and each way in which a line can be wrong.
#include "muster/learning/data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <random>
#include <string>

#include "muster/core/error.h"
#include "tests/support/temporary_folder.h"

namespace muster::learning {
namespace {

using ::testing::HasSubstr;

class Csv : public ::testing::Test {
 protected:
  DataSplit load(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return load_csv(file_);
  }
  void expect_refusal(const std::string& text, const std::string& where, const std::string& found,
                      const std::string& expected) const {
    try {
      load(text);
      FAIL() << "accepted; expected a refusal at " << where;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_EQ(error.key(), file_.string());
      EXPECT_THAT(error.what(), HasSubstr(where));
      EXPECT_THAT(error.value(), HasSubstr(found));
      EXPECT_THAT(error.allowed(), HasSubstr(expected));
    }
  }

  muster::testing::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "data.csv";
};

const std::string kHeader = "width,height,kind\n";
const std::string kRows = "1,2,0\n3,4,1\n5,6,2\n7,8,0\n9,10,1\n11,12,2\n13,14,1\n";

TEST_F(Csv, HoldsOutEverySixthLine) {
  const DataSplit split = load(kHeader + kRows);
  EXPECT_EQ(split.train.values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14}));
  EXPECT_EQ(split.test.values, (std::vector<float>{11, 12}));
  EXPECT_EQ(split.train.labels, (std::vector<std::uint8_t>{0, 1, 2, 0, 1, 1}));
  EXPECT_EQ(split.test.labels, (std::vector<std::uint8_t>{2}));
  EXPECT_EQ(split.train.shape, (Shape{1, 1, 2}));
  EXPECT_EQ(split.train.classes, 3U);
  EXPECT_EQ(split.test.classes, 3U);
  std::vector<float> buffer(2);
  EXPECT_EQ(split.train.example(5, buffer).inputs[1], 14);
}

TEST_F(Csv, ReadsNumbersAsPeopleWriteThem) {
  const DataSplit split = load(
      "\xEF\xBB\xBF"
      "a , b,c\r\n-1.5e-3 ,\t2 , 0\r\n.5,-0,255\r\n1,1,0\r\n1,1,0\r\n1,1,0\r\n1,1,0");
  EXPECT_FLOAT_EQ(split.train.values[0], -1.5e-3F);
  EXPECT_FLOAT_EQ(split.train.values[2], 0.5F);
  EXPECT_EQ(split.train.classes, 256U);
  EXPECT_EQ(split.test.size(), 1U);
}

TEST_F(Csv, ReadsNumbersNearZeroAsTheNearestFloat) {
  const DataSplit split = load("f,label\n1e-50,0\n-1e-400,1\n1.4e-45,0\n3.4028234e38,1\n1e-39,0\n0,0\n");
  EXPECT_EQ(split.train.values, (std::vector<float>{0, 0, 1.4e-45F, 3.4028234e38F, 1e-39F}));
  expect_refusal("f,label\n" + std::string(6, '1') + "e39,0\n", "line 2, column 1 (f)", "111111e39",
                 "3.4e38");
}

TEST_F(Csv, ReadsCompressedFiles) {
  const DataSplit plain = load(kHeader + kRows);
  const std::string text = kHeader + kRows;
  gzFile file = gzopen(file_.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(load_csv(file_).train.values, plain.train.values);
}

TEST_F(Csv, LinesThatStraddleTheReadersPieces) {
  std::string text = "f,label\n";
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i) + "," + std::to_string(i % 3) + "\n";
  const DataSplit split = load(text);
  ASSERT_EQ(split.train.size() + split.test.size(), 30'000U);
  for (std::size_t i = 0; i < split.test.size(); ++i) {
    ASSERT_EQ(split.test.values[i], static_cast<float>(6 * i + 5));
    ASSERT_EQ(split.test.labels[i], (6 * i + 5) % 3);
  }
}

TEST_F(Csv, RefusesEveryMalformedLineByLineColumnAndValue) {
  expect_refusal(kHeader + "1,2,0\n1,two,0\n" + kRows, "line 3, column 2 (height)", "two", "finite number");
  expect_refusal(kHeader + kRows + "1,,0\n", "line 9, column 2 (height)", "", "finite number");
  for (const char* value : {"nan", "inf", "-inf", "1e400", "0x10", "1 2", "1;2", "--1", "1e", "\xff"}) {
    expect_refusal(kHeader + kRows + value + ",2,0\n", "line 9, column 1 (width)", "", "finite number");
  }
  for (const char* value : {"1.0", "-1", "256", "", "x", "1e1", "99999999999999999999"}) {
    expect_refusal(kHeader + kRows + "1,2," + value + "\n", "line 9, column 3 (kind)", value, "0 to 255");
  }
  expect_refusal(kHeader + "1,2\n" + kRows, "line 2", "2 columns", "3, as in the header");
  expect_refusal(kHeader + "1,2,3,0\n" + kRows, "line 2", "4 columns", "3");
  expect_refusal(kHeader + kRows + "\n", "line 9", "1 columns", "3");
}

TEST_F(Csv, RefusesFilesWithoutHeaderOrExamples) {
  expect_refusal("", "line 1", "empty file", "header");
  expect_refusal(kRows, "line 1", "1,2,0", "names");
  expect_refusal("label\n1\n", "line 1", "1 columns", "2 to");
  expect_refusal(kHeader, "no test example", "0 examples", "6");
  expect_refusal(kHeader + "1,2,0\n1,2,1\n", "no test example", "2 examples", "6");
  EXPECT_THROW(load_csv(folder_.path() / "nowhere.csv"), Error);
  EXPECT_THROW(load_csv(folder_.path()), Error);
}

TEST_F(Csv, RefusesALineThatNeverEnds) {
  expect_refusal(kHeader + std::string((std::size_t{1} << 22) + 70'000, '1'), "line 2", "4 MiB", "4 MiB");
}

// Any bytes give either a data set or an Error(data).
TEST_F(Csv, IsTotal) {
  std::mt19937 bits(5);
  const std::string alphabet = "0123456789,,,\n\n\r.-e xA\"";
  std::size_t accepted = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string text = "a,b\n";
    const std::size_t length = bits() % 60;
    for (std::size_t i = 0; i < length; ++i) {
      text += bits() % 40 == 0 ? static_cast<char>(bits()) : alphabet[bits() % alphabet.size()];
    }
    if (trial % 2 == 0) text = "a,b\n1,0\n1,0\n1,0\n1,0\n1,0\n" + text.substr(4);
    try {
      const DataSplit split = load(text);
      accepted += 1;
      ASSERT_EQ(split.train.values.size(), split.train.size());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::data);
    }
  }
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace muster::learning

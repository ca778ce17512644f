// Tests what the CSV loader accepts, and each way in which a line can be wrong.
#include "muster/learning/data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::learning {
namespace {

using ::testing::HasSubstr;

class Csv : public ::testing::Test {
 protected:
  DataSplit load(const std::string& text, const CsvLayout& layout = {}) const {
    std::ofstream(file_, std::ios::binary) << text;
    return load_csv(file_, layout);
  }
  // Loads training examples from one file and test examples from another.
  DataSplit load_both(const std::string& text, const std::string& test, CsvLayout layout = {}) const {
    std::ofstream(test_, std::ios::binary) << test;
    layout.test = test_;
    return load(text, layout);
  }
  void expect_refusal(const std::string& text, const std::string& where, const std::string& found,
                      const std::string& expected, const CsvLayout& layout = {}) const {
    expect_refusal_of([&] { load(text, layout); }, file_, where, found, expected);
  }
  void expect_test_refusal(const std::string& text, const std::string& test, const std::string& where,
                           const std::string& found, const std::string& expected) const {
    expect_refusal_of([&] { load_both(text, test); }, test_, where, found, expected);
  }
  static void expect_refusal_of(const std::function<void()>& loads, const std::filesystem::path& file,
                                const std::string& where, const std::string& found,
                                const std::string& expected) {
    SCOPED_TRACE(where);
    const Error error = error_of(loads);
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_EQ(error.key(), file.string());
    EXPECT_THAT(error.what(), HasSubstr(where));
    EXPECT_THAT(error.value(), HasSubstr(found));
    EXPECT_THAT(error.allowed(), HasSubstr(expected));
  }

  muster::testing::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "data.csv";
  std::filesystem::path test_ = folder_.path() / "test.csv";
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

TEST_F(Csv, ReadsQuotedFieldsAsTheStandardHasThem) {
  const DataSplit split = load(
      "\"wi\"\"dth\", \"a, b\" ,kind\r\n\"1\",\"-2.5\",\"0\"\r\n 3 , "
      "\"4\"\t,1\n1,1,0\n1,1,0\n1,1,0\n1,1,\"0\"");
  EXPECT_EQ(split.train.values, (std::vector<float>{1, -2.5, 3, 4, 1, 1, 1, 1, 1, 1}));
  expect_refusal("\"wi\"\"dth\",\"a, b\",kind\n1,x,0\n", "line 2, column 2 (a, b)", "x", "finite number");
  expect_refusal("\"wi\"\"dth\",b,kind\nx,1,0\n", "line 2, column 1 (wi\"dth)", "x", "finite number");
}

TEST_F(Csv, RefusesQuotesThatTheStandardDoesNotHave) {
  expect_refusal(kHeader + "1,2,0\n1,\"2,0\n" + kRows,
                 "line 3, column 2 (height): a field in quotes that does not end", "2,0", "on the same line");
  // The file ends inside a quoted field.
  expect_refusal(kHeader + kRows + "1,2,\"", "line 9, column 3 (kind)", "", "on the same line");
  expect_refusal(kHeader + "1,\"2\"3,0\n", "line 2, column 2 (height): text after a closing quote", "3",
                 "comma");
  expect_refusal(kHeader + "1,2\"\",0\n", "line 2, column 2 (height): a quote in a field", "2", "in quotes");
  expect_refusal(kHeader + "\" 1\",2,0\n", "line 2, column 1 (width)", " 1", "finite number");
  expect_refusal("a,\"b\nc\",kind\n" + kRows, "line 1, column 2: a field in quotes", "b", "on the same line");
}

TEST_F(Csv, NumbersClassesOfTextInTheirOrder) {
  const std::string rows =
      "1,2,dog\n3,4,\"cat, big\"\n5,6,\xC3\xA9mu\n7,8,dog\n9,1,\"\"\"ant\"\"\"\n2,2,dog\n";
  const DataSplit split = load(kHeader + rows);
  EXPECT_EQ(split.train.class_names, (std::vector<std::string>{"\"ant\"", "cat, big", "dog", "\xC3\xA9mu"}));
  EXPECT_EQ(split.test.class_names, split.train.class_names);
  EXPECT_EQ(split.train.labels, (std::vector<std::uint8_t>{2, 1, 3, 2, 0}));
  EXPECT_EQ(split.test.labels, (std::vector<std::uint8_t>{2}));
  EXPECT_EQ(split.train.classes, 4U);
  EXPECT_TRUE(load(kHeader + kRows).train.class_names.empty());
}

TEST_F(Csv, NumbersAllClassesThatALabelHasRoomFor) {
  std::string text = "f,kind\n";
  for (int i = 0; i < 256; ++i) text += "1,c" + std::to_string(i) + "\n1,c" + std::to_string(255 - i) + "\n";
  text += text.substr(7);  // repeated, so that every class has a training example
  const DataSplit split = load(text);
  EXPECT_EQ(split.train.classes, 256U);
  EXPECT_EQ(split.train.labels[0], 0);  // the first two lines have the labels c0 and c255
  EXPECT_EQ(split.train.class_names[split.train.labels[1]], "c255");
  expect_refusal(text + "1,more\n", "column 2 (kind): one class too many", "more", "256 classes");
}

TEST_F(Csv, RefusesLabelsOfTwoKindsAndLabelsThatAreNone) {
  const std::string text = kHeader + "1,2,cat\n3,4,dog\n";
  for (const char* label : {"1", "1.5", "-1", "1e400"}) {
    expect_refusal(text + "1,2," + label + "\n", "line 4, column 3 (kind): not a class", label,
                   "text, as before");
  }
  for (const char* label : {"", "NA", "N/A", "nan", "NaN", "inf", "-Infinity", "\"\""}) {
    expect_refusal(text + "1,2," + label + "\n", "line 4, column 3 (kind): a missing value", "",
                   "text, as before");
    expect_refusal(kHeader + "1,2," + label + "\n", "line 2, column 3 (kind): a missing value", "",
                   "0 to 255, or text");
  }
  for (const char* label : {"1.0", "-1", "256", "1e400"}) {
    expect_refusal(kHeader + "1,2," + label + "\n", "line 2, column 3 (kind): not a class", label,
                   "0 to 255, or text");
  }
  for (const std::string& label :
       {std::string("a\0b", 3), std::string("a\x1B[2J"), std::string("caf\xE9"), std::string("\xC2\x9B"),
        std::string("\xC0\xAF"), std::string("\xED\xA0\x80"), std::string("\xF4\x90\x80\x80"),
        std::string("\xE2\x82"), std::string(101, 'a')}) {
    std::string bytes = text;
    bytes.append("1,2,").append(label).append("\n");
    expect_refusal(bytes, "line 4, column 3 (kind): not the name", "", "100 bytes of UTF-8");
  }
  EXPECT_NO_THROW(load(text + text.substr(kHeader.size()) + text.substr(kHeader.size()) + "1,2," +
                       std::string(100, 'a') + "\n1,2,\xF0\x9F\x90\x88\n"));
  expect_refusal(kHeader + "1,2,a\n1,2,a\n1,2,a\n1,2,a\n1,2,a\n1,2,a\n", "nothing to learn",
                 "the class a alone", "2 classes");
}

TEST_F(Csv, SaysWhereAValueIsMissing) {
  for (const char* value : {"", "NA", "N/A", "nan", "NaN", "inf", "-inf", "Infinity", "\"\"", "  "}) {
    expect_refusal(kHeader + "1,2,0\n1," + value + ",0\n", "line 3, column 2 (height): a missing value", "",
                   "finite number");
  }
}

TEST_F(Csv, ReadsTheColumnsThatALayoutNames) {
  const std::string text =
      "part,kind,width,height\ntrain,b,1,2\ntest,a,3,4\n\"train\",a,5,6\ntest,b,7,8\ntrain,b,9,10\n";
  const DataSplit split = load(text, {.label = "kind", .split = "part"});
  EXPECT_EQ(split.train.values, (std::vector<float>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(split.train.labels, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(split.test.values, (std::vector<float>{3, 4, 7, 8}));
  EXPECT_EQ(split.test.labels, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(split.test.shape, (Shape{1, 1, 2}));
  const DataSplit last = load("part,a,b\ntrain,1,0\ntest,2,1\n", {.label = "", .split = "part"});
  EXPECT_EQ(last.test.values, (std::vector<float>{2}));

  const CsvLayout both{.label = "kind", .split = "part"};
  expect_refusal(text + "Train,a,1,2\n", "line 7, column 1 (part): not a part", "Train", "train | test",
                 both);
  expect_refusal(text + ",a,1,2\n", "line 7, column 1 (part): a missing value", "", "train | test", both);
  expect_refusal(text, "line 1: a column is missing", "part,kind,width,height", "one column Kind",
                 {.label = "Kind"});
  expect_refusal(text, "line 1: a column is missing", "part,kind", "one column split",
                 {.label = "kind", .split = "split"});
  expect_refusal("a,a,kind\n1,2,0\n", "line 1: several columns of one name", "a,a,kind", "one column a",
                 {.label = "a"});
  expect_refusal("a,a,kind\n1,2,0\n", "line 1, column 3 (kind): one column", "the split", "the class",
                 {.split = "kind"});
  expect_refusal("part,kind\ntrain,0\n", "line 1: no features", "none", "one column", both);
  expect_refusal("part,a,kind\ntest,1,0\n", "no training example", "0 training", "1", both);
  expect_refusal("part,a,kind\ntrain,1,0\n", "no test example", "0 test", "1", both);
}

TEST_F(Csv, NumbersOwnersInTheOrderOfTheirFirstTrainingExamples) {
  const std::string text =
      "user,part,x,kind\nzoe,train,1,0\n\"al, b\",test,2,1\nbob,train,3,1\n zoe ,train,4,0\n7,train,5,1\n";
  const DataSplit split = load(text, {.label = "kind", .split = "part", .owner = "user"});
  EXPECT_EQ(split.train.values, (std::vector<float>{1, 3, 4, 5}));
  EXPECT_EQ(split.train.owners, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(split.test.values, (std::vector<float>{2}));
  EXPECT_TRUE(split.test.owners.empty());
  EXPECT_EQ(split.train.shape, (Shape{1, 1, 1}));
  EXPECT_TRUE(load(kHeader + kRows).train.owners.empty());
}

TEST_F(Csv, RefusesOwnersThatAreMissing) {
  const CsvLayout owned{.owner = "user"};
  const std::string text = "user,x,kind\na,1,0\na,1,1\na,1,0\na,1,0\na,1,0\na,1,1\n";
  EXPECT_EQ(load(text, owned).train.owners, (std::vector<std::uint32_t>(5, 0)));
  for (const char* value : {"", "NA", "nan", "\"\""}) {
    expect_refusal(text + value + ",1,0\n", "line 8, column 1 (user): a missing value is no owner", "",
                   "the owner", owned);
  }
  expect_refusal(text, "line 1: a column is missing", "user,x,kind", "one column person",
                 {.owner = "person"});
  expect_refusal(text, "line 1, column 3 (kind): one column", "the owner", "the class", {.owner = "kind"});
  expect_refusal(text, "line 1, column 1 (user): one column", "the owner", "the split",
                 {.split = "user", .owner = "user"});
  expect_refusal("user,kind\na,0\n", "line 1: no features", "none", "one column", owned);
}

// Columns may share a name that the layout does not use.
TEST_F(Csv, ColumnsOfOneNameAreReadWhenNothingNamesThem) {
  EXPECT_EQ(load("a,a,a\n" + kRows).train.size(), 6U);
}

TEST_F(Csv, ReadsATestFile) {
  const DataSplit split = load_both(kHeader + kRows, kHeader + "1,1,2\n");
  EXPECT_EQ(split.train.size(), 7U);
  EXPECT_EQ(split.test.values, (std::vector<float>{1, 1}));
  EXPECT_EQ(split.test.labels, (std::vector<std::uint8_t>{2}));
  EXPECT_EQ(split.test.classes, 3U);
  EXPECT_EQ(split.test.shape, (Shape{1, 1, 2}));
  const DataSplit text = load_both(kHeader + "1,2,b\n3,4,a\n", kHeader + "1,1,b\n1,1,a\n");
  EXPECT_EQ(text.test.labels, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(text.test.class_names, (std::vector<std::string>{"a", "b"}));

  expect_test_refusal(kHeader + kRows, kHeader, "line 2: no test example", "0 examples", "1");
  expect_test_refusal(kHeader + kRows, "width,kind,height\n1,0,2\n",
                      "line 1, column 2 (kind): another header", "width,kind,height", "width,height,kind");
  expect_test_refusal(kHeader + kRows, "width,height\n1,0\n", "line 1, column 3: another header",
                      "width,height", "");
  expect_test_refusal(kHeader + kRows, kHeader + "1,2,NA\n", "line 2, column 3 (kind): a missing", "NA",
                      "0 to 2");
  expect_test_refusal(kHeader + kRows, "", "line 1", "empty file", "header");
  EXPECT_ERROR(ErrorCode::data, load(kHeader + kRows, {.test = folder_.path() / "nowhere.csv"}));
  expect_refusal_of([&] { load_both(kHeader, kHeader + "1,1,2\n"); }, file_, "no training example",
                    "0 training", "1");
}

TEST_F(Csv, RefusesAClassThatNoTrainingExampleHas) {
  expect_test_refusal(kHeader + kRows, kHeader + "1,1,3\n", "line 2, column 3 (kind): not a class", "3",
                      "0 to 2");
  expect_test_refusal(kHeader + "1,2,b\n3,4,a\n", kHeader + "1,1,a\n1,1,c\n",
                      "line 3, column 3 (kind): not a class", "c", "class of the training");
  expect_test_refusal(kHeader + "1,2,b\n3,4,a\n", kHeader + "1,1,0\n", "line 2, column 3 (kind): not a class",
                      "0", "class of the training");
  const std::string five = "1,1,a\n1,1,b\n1,1,a\n1,1,b\n1,1,a\n";
  expect_refusal(kHeader + five + "1,1,c\n" + five + "1,1,c\n",
                 "line 7, column 3 (kind): a class that no training", "c", "class of the training");
  expect_refusal("part," + kHeader + "train,1,1,a\ntest,1,1,c\ntrain,1,1,b\n",
                 "line 3, column 4 (kind): a class that no training", "c", "", {.split = "part"});
}

TEST_F(Csv, ReadsTestExamplesForAModelsClasses) {
  std::ofstream(test_) << "kind,f\nb,1\nb,2\n";
  const CsvLayout layout{.label = "kind", .test = test_};
  const Dataset test = load_csv_test(layout, 3, {"c", "b", "a"});
  EXPECT_EQ(test.labels, (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(test.values, (std::vector<float>{1, 2}));
  EXPECT_EQ(test.classes, 3U);
  EXPECT_EQ(test.class_names.size(), 3U);
  expect_refusal_of(
      [&] {
        load_csv_test(layout, 2, {"c", "a"});
      },
      test_, "line 2, column 1 (kind)", "b", "class");
  expect_refusal_of([&] { load_csv_test(layout, 2, {}); }, test_, "line 2, column 1 (kind)", "b", "0 to 1");
  expect_refusal_of([&] { load_csv_test({.label = "king", .test = test_}, 2, {}); }, test_, "line 1",
                    "kind,f", "king");
}

// Without this refusal, the first example would silently be taken for the header and lost.
TEST_F(Csv, RefusesAnExampleInPlaceOfTheHeader) {
  expect_refusal(
      "5.1,3.5,iris\n" +
          std::string("4.9,3.0,iris\n4.7,3.2,rose\n4.6,3.1,iris\n5,3.6,rose\n5.4,3.9,iris\n5,3,rose\n"),
      "line 1, column 3 (iris): no header line", "a class", "names of the columns");
  EXPECT_NO_THROW(load("0,1,kind\n1,2,a\n1,2,b\n1,2,a\n1,2,b\n1,2,a\n1,2,b\n"));
}

TEST_F(Csv, RefusesAMillionColumns) {
  std::string many = "a";
  for (int i = 1; i < 1'000'000; ++i) many += ",a";
  expect_refusal(many + "\n", "line 1", "1000000 columns", "2 to 65536");
  expect_refusal(kHeader + many + "\n", "line 2: columns do not match", "1000000 columns",
                 "3, as in the header");
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
  EXPECT_ERROR(ErrorCode::data, load_csv(folder_.path() / "nowhere.csv"));
  EXPECT_ERROR(ErrorCode::data, load_csv(folder_.path()));
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

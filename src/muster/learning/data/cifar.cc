#include "muster/learning/data/cifar.h"

#include <array>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/learning/data/byte_file.h"

namespace muster::learning {
namespace {

constexpr std::size_t kPlane = kCifarSide * kCifarSide;
constexpr std::size_t kChannels = 3;
constexpr std::size_t kPixels = kPlane * kChannels;

struct Format {
  std::vector<std::string> train;
  std::string test;
  std::size_t labels;      // label bytes before the pixels; the last one is kept
  std::size_t classes;     // the number of classes of the label that is kept
  std::size_t most_train;  // the largest number of records in a training file
};

const Format& cifar_10() {
  static const Format format{
      {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
      "test_batch.bin",
      1,
      10,
      10'000};
  return format;
}
const Format& cifar_100() {
  static const Format format{{"train.bin"}, "test.bin", 2, 100, 50'000};
  return format;
}
constexpr std::size_t kMaxTest = 10'000;

bool holds_some(const std::filesystem::path& dir, const Format& format) {
  std::vector<std::string> names = format.train;
  names.push_back(format.test);
  for (const std::string& name : names) {
    for (const char* ending : {"", ".gz"}) {
      std::error_code ignored;
      if (std::filesystem::exists(dir / (name + ending), ignored)) return true;
    }
  }
  return false;
}

const Format& recognise(const std::filesystem::path& dir) {
  const bool ten = holds_some(dir, cifar_10());
  const bool hundred = holds_some(dir, cifar_100());
  const std::string wanted = "data_batch_1..5.bin and test_batch.bin, or train.bin and test.bin";
  if (ten && hundred) {
    throw Error(ErrorCode::data, dir.string(), "files of CIFAR-10 and of CIFAR-100", wanted,
                "holds more than one data set");
  }
  if (!ten && !hundred) {
    throw Error(ErrorCode::data, dir.string(), "none of these files", wanted, "holds no data set");
  }
  return ten ? cifar_10() : cifar_100();
}

// Appends the records of one file to `data`.
void append(const std::filesystem::path& path, const Format& format, std::size_t most, Dataset& data) {
  ByteFile file(path);
  const std::size_t size = format.labels + kPixels;
  std::vector<std::uint8_t> record(size);
  const auto refuse = [&path](const std::string& found, const std::string& expected, const char* message) {
    throw Error(ErrorCode::data, path.string(), found, expected, message);
  };
  std::size_t records = 0;
  for (;; ++records) {
    const std::size_t got = file.read(record);
    if (got == 0) break;
    if (got < size) {
      refuse(std::to_string(records) + " records and " + std::to_string(got) + " bytes",
             "records of " + std::to_string(size) + " bytes", "is truncated");
    }
    if (records == most) {
      refuse("more than " + std::to_string(most) + " records", "at most " + std::to_string(most),
             "has trailing bytes");
    }
    const std::uint8_t label = record[format.labels - 1];
    if (label >= format.classes) {
      refuse("label " + std::to_string(label) + " in record " + std::to_string(records),
             "0 to " + std::to_string(format.classes - 1), "has a label that is no class");
    }
    data.labels.push_back(label);
    const std::uint8_t* planes = record.data() + format.labels;
    for (std::size_t p = 0; p < kPlane; ++p) {
      for (std::size_t c = 0; c < kChannels; ++c) data.bytes.push_back(planes[c * kPlane + p]);
    }
  }
  if (records == 0) refuse("an empty file", "at least one record", "has no examples");
}

Dataset empty(const Format& format) {
  Dataset data;
  data.shape = {kCifarSide, kCifarSide, kChannels};
  data.classes = format.classes;
  data.normalisation = Normalisation(kCifar);
  return data;
}

}  // namespace

DataSplit load_cifar(const std::filesystem::path& dir) {
  const Format& format = recognise(dir);
  DataSplit split{empty(format), empty(format)};
  std::size_t each = 0;
  for (const std::string& name : format.train) {
    const std::filesystem::path path = find_plain_or_gz(dir, name);
    const std::size_t before = split.train.size();
    append(path, format, format.most_train, split.train);
    const std::size_t records = split.train.size() - before;
    if (before > 0 && records != each) {
      throw Error(ErrorCode::data, path.string(), std::to_string(records) + " records",
                  std::to_string(each) + ", as in " + format.train.front(), "is a batch of another size");
    }
    each = records;
  }
  append(find_plain_or_gz(dir, format.test), format, kMaxTest, split.test);
  return split;
}

}  // namespace muster::learning

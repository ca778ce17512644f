#include "muster/service/model/device_records.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/learning/data/csv.h"
#include "muster/learning/data/csv_file.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/data/idx.h"
#include "muster/service/model/record_shape.h"

namespace muster::service {
namespace {

// A larger index has no random stream of its own (random/keyed_stream.h).
constexpr std::uint64_t kDigits = std::uint64_t{1} << 48;

std::string format_of(const std::string& data) { return data.substr(0, data.find(':')); }

// Which lines of the file are training examples, by the same rule as learning::load_csv.
std::vector<bool> training_lines(const protocols::Plan& plan, const std::filesystem::path& path,
                                 std::size_t lines) {
  std::vector<bool> training(lines, true);
  if (!plan.test_data().empty()) return training;
  if (plan.split().empty()) {
    for (std::size_t i = learning::kHeldOut - 1; i < lines; i += learning::kHeldOut) training[i] = false;
    return training;
  }
  learning::CsvFile file(path);
  const auto column =
      static_cast<std::size_t>(std::ranges::find(file.names(), plan.split()) - file.names().begin());
  for (std::size_t i = 0; file.next() && i < lines; ++i) {
    const std::string_view word = file.fields()[column];
    if (word != "train" && word != "test")
      file.refuse(column, word, "train | test", "not a part of the data");
    training[i] = word == "train";
  }
  return training;
}

// Example i of the data set as a data set of its own.
learning::Dataset only(const learning::Dataset& data, std::size_t i) {
  learning::Dataset one;
  one.shape = data.shape;
  one.classes = data.classes;
  one.normalisation = data.normalisation;
  one.labels = {data.labels[i]};
  const auto cut = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i * data.shape.size());
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(data.shape.size()));
  };
  cut(data.bytes, one.bytes);
  cut(data.values, one.values);
  return one;
}

learning::Dataset read_csv(const protocols::Plan& plan, const RecordShape& shape,
                           const std::filesystem::path& path) {
  // The reader of files of test examples knows the classes beforehand and takes every line.
  learning::Dataset all = learning::load_csv_test(
      {.label = plan.label(), .split = plan.split(), .owner = plan.owner(), .test = path}, shape.classes, {});
  const std::vector<bool> training = training_lines(plan, path, all.size());
  learning::Dataset records;
  records.shape = all.shape;
  records.classes = all.classes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!training[i]) continue;
    const auto begin = all.values.begin() + static_cast<std::ptrdiff_t>(i * all.shape.size());
    records.values.insert(records.values.end(), begin, begin + static_cast<std::ptrdiff_t>(all.shape.size()));
    records.labels.push_back(all.labels[i]);
  }
  return records;
}

}  // namespace

bool has_format_of(const TaskDocument& task, const std::string& data) {
  const std::string format = format_of(task.plan().data());
  return format == "digits" ? data == format : format_of(data) == format && data.size() > format.size() + 1;
}

DeviceRecords::DeviceRecords(const TaskDocument& task, const std::string& data) : seed_(task.plan().seed()) {
  const std::string format = format_of(task.plan().data());
  if (!has_format_of(task, data)) {
    throw Error(ErrorCode::data, "data", data, format, "is of another format than the task's records");
  }
  if (format == "digits") return;
  const RecordShape shape = record_shape_of(task);
  const std::string path = data.substr(format.size() + 1);
  read_ = format == "csv" ? read_csv(task.plan(), shape, path) : learning::load_idx(path).train;
  if (read_->shape != shape.inputs) {
    throw Error(ErrorCode::data, "data", data, "", "has another number of features than the task's records");
  }
}

learning::Dataset DeviceRecords::record(std::uint64_t index) const {
  const std::uint64_t count = read_ ? read_->size() : kDigits;
  if (index >= count) {
    throw Error(ErrorCode::data, "record", std::to_string(index), "a number below " + std::to_string(count),
                "is not a record of the data");
  }
  if (read_) return only(*read_, static_cast<std::size_t>(index));
  learning::Dataset one;
  one.bytes.resize(learning::kImagePixels);
  one.labels = {
      learning::draw_digit(random::RunKey::from_seed(seed_), learning::DigitSet::train, index, one.bytes)};
  return one;
}

}  // namespace muster::service

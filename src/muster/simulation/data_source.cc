#include "muster/simulation/data_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "muster/core/error.h"
#include "muster/learning/data/cifar.h"
#include "muster/learning/data/csv.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/data/idx.h"
#include "muster/plan/value_kinds.h"
#include "muster/simulation/population.h"

namespace muster::simulation {
namespace {

constexpr std::uint64_t kMaxDigits = 60'000;
constexpr std::uint64_t kTestDigits = 10'000;
constexpr std::uint64_t kOpenDigits = 20'000;

// The function that reads one of the formats of plan/value_kinds.h.
struct Loader {
  std::string_view format;
  learning::DataSplit (*load)(const std::filesystem::path& path);
};
learning::DataSplit load_plain_csv(const std::filesystem::path& path) { return learning::load_csv(path); }
constexpr std::array kLoaders = {Loader{"idx", learning::load_idx}, Loader{"csv", load_plain_csv},
                                 Loader{"cifar", learning::load_cifar}};

// Returns the part of the name after the colon, which is the path of a folder or a file.
std::string path_of(const std::string& name) { return name.substr(name.find(':') + 1); }

learning::DataSplit load_files(const char* key, const std::string& name) {
  std::error_code ignored;
  if (name.starts_with("idx:") && std::filesystem::is_regular_file(path_of(name), ignored)) {
    throw Error(ErrorCode::plan, Reason::unknown, key, path_of(name), protocols::data_formats(),
                "is a file and no folder; did you mean csv:" + path_of(name) + "?");
  }
  if (const protocols::DataFormat* format = protocols::data_format_of(name)) {
    const auto loader = std::ranges::find(kLoaders, format->name, &Loader::format);
    if (loader != kLoaders.end()) return loader->load(path_of(name));
  }
  throw Error(ErrorCode::plan, Reason::unknown, key, name, protocols::data_formats(),
              "is not a data set that muster reads");
}

learning::CsvLayout layout_of(const protocols::PlanValues& values) {
  return {values.label, values.split, values.owner, path_of(values.test_data)};
}

learning::DataSplit load_files(const char* key, const protocols::PlanValues& values) {
  return values.data.starts_with("csv:") ? learning::load_csv(path_of(values.data), layout_of(values))
                                         : load_files(key, values.data);
}

// Returns the number of training digits to draw: as many as all clients hold together, but at most
// kMaxDigits.
std::uint64_t digits_held(const protocols::Plan& plan) {
  return std::min(held_records(holdings_of(plan)), kMaxDigits);
}

// Returns the inputs of one example as bytes, which expect_disjoint() compares.
std::string_view inputs_of(const learning::Dataset& data, std::size_t i) {
  const std::size_t size = data.shape.size();
  if (data.values.empty()) return {reinterpret_cast<const char*>(data.bytes.data()) + i * size, size};
  return {reinterpret_cast<const char*>(data.values.data() + i * size), size * sizeof(float)};
}

}  // namespace

learning::DataSplit load_data(const protocols::Plan& plan) {
  return protocols::naming_places(plan.source(), [&] {
    if (plan.data() == "digits") {
      expect_enough_records(holdings_of(plan), kMaxDigits);
      return learning::draw_digits(digits_held(plan), kTestDigits, plan.seed());
    }
    learning::DataSplit data = load_files("population.data", plan.values());
    expect_enough_records(holdings_of(plan), data.train.size());
    expect_enough_clients(holdings_of(plan), data.train);
    return data;
  });
}

learning::Dataset load_test_data(const protocols::PlanValues& values) {
  if (values.data == "digits") return learning::draw_digits(0, kTestDigits, values.seed).test;
  return load_files("--data", values).test;
}

learning::Dataset load_test_data(const protocols::PlanValues& values, std::size_t classes,
                                 const std::vector<std::string>& class_names) {
  return learning::load_csv_test(layout_of(values), classes, class_names);
}

std::string data_identity(const protocols::Plan& plan) {
  if (plan.data() == "digits") {
    return "digits:" + std::to_string(digits_held(plan)) + ":" + std::to_string(plan.seed());
  }
  return plan.data() + "\n" + plan.label() + "\n" + plan.split() + "\n" + plan.owner() + "\n" +
         plan.test_data();
}

learning::Dataset load_public_data(const protocols::Plan& plan) {
  if (plan.public_data() == "digits") {
    return learning::draw_digit_set(learning::DigitSet::open, kOpenDigits, plan.seed());
  }
  return load_files("model.public_data", plan.public_data()).train;
}

void expect_disjoint(const protocols::Plan& plan, const learning::Dataset& open,
                     const learning::DataSplit& data) {
  std::error_code ignored;
  if (plan.public_data() != "digits" && plan.data() != "digits" &&
      std::filesystem::equivalent(path_of(plan.public_data()), path_of(plan.data()), ignored)) {
    throw Error(ErrorCode::plan, Reason::contradiction, "model.public_data", plan.public_data(),
                "another data set", "is the same files as population.data: what clients hold is not public");
  }
  std::unordered_set<std::string_view> held;
  for (const learning::Dataset* part : {&data.train, &data.test}) {
    for (std::size_t i = 0; i < part->size(); ++i) held.insert(inputs_of(*part, i));
  }
  std::size_t shared = 0;
  for (std::size_t i = 0; i < open.size(); ++i) shared += held.contains(inputs_of(open, i)) ? 1 : 0;
  if (shared > 0) {
    throw Error(ErrorCode::data, "model.public_data", plan.public_data(), "no example of population.data",
                "shares " + std::to_string(shared) +
                    " examples with population.data: what clients hold is not public");
  }
}

}  // namespace muster::simulation

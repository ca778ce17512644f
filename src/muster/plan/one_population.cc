#include "muster/plan/one_population.h"

#include <vector>

namespace muster::protocols {
namespace {

struct Stated {
  std::string_view key;
  std::string value;
};

constexpr const char* kNotStated = "not stated";

std::string text_or_not_stated(const std::string& text) { return text.empty() ? kNotStated : text; }

// Returns whether the plan's seed decides which records a client holds.
bool is_drawn(const Plan& plan) { return plan.data() == "digits" || plan.partition() || plan.share(); }

// Returns the values that decide which training records a client holds, the seed among them if `with_seed`.
std::vector<Stated> deciding_values(const Plan& plan, bool with_seed) {
  std::vector<Stated> values = {
      {"population.data", plan.data()},
      {"population.records", plan.owner().empty() ? std::to_string(plan.records()) : plan.owner()},
      {"population.partition", plan.partition() ? plan.partition()->text() : kNotStated},
      {"population.share", plan.share() ? "true" : "false"},
      {"population.label", text_or_not_stated(plan.label())},
      {"population.split", text_or_not_stated(plan.split())},
      {"population.test_data", text_or_not_stated(plan.test_data())},
  };
  if (with_seed) values.push_back({"seed", std::to_string(plan.seed())});
  return values;
}

// Without a file of test examples, some rows of the data become test examples that nobody holds; it does not
// matter which file it is.
bool differ(const Stated& first, const Stated& second) {
  if (first.key == "population.test_data") {
    return (first.value == kNotStated) != (second.value == kNotStated);
  }
  return first.value != second.value;
}

}  // namespace

std::optional<PopulationDifference> population_difference(const Plan& first, const Plan& second) {
  if (first.data().empty() || second.data().empty()) return std::nullopt;
  const bool with_seed = is_drawn(first) || is_drawn(second);
  const std::vector<Stated> ones = deciding_values(first, with_seed),
                            others = deciding_values(second, with_seed);
  for (std::size_t i = 0; i < ones.size(); ++i) {
    if (differ(ones[i], others[i])) {
      return PopulationDifference{ones[i].key, ones[i].value, others[i].value};
    }
  }
  return std::nullopt;
}

}  // namespace muster::protocols

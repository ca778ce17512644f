#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "sweep.h"

namespace muster::app {
namespace {

constexpr std::uint64_t kMostRuns = 10'000;
constexpr const char* kForm = "KEY=VALUE,VALUE,... with a key of the plan";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

}  // namespace

Knob knob_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    throw Error(ErrorCode::usage, "--sweep", text, kForm, "is not a key and its values");
  }
  Knob knob{text.substr(0, equals), split(text.substr(equals + 1))};
  const protocols::KeySpec* spec = protocols::find_key(knob.key);
  if (spec == nullptr || spec->flag.empty()) {
    const std::string close = protocols::nearest_key(knob.key);
    throw Error(ErrorCode::usage, "--sweep", knob.key, kForm,
                spec != nullptr ? "names the plan, and is no setting"
                : close.empty() ? "is not a key of a plan"
                                : fmt::format("is not a key of a plan; did you mean {}?", close));
  }
  if (knob.key == "seed") {
    throw Error(ErrorCode::usage, "--sweep", text, "--seeds N",
                "does not sweep seeds: --seeds does, from --seed on");
  }
  for (std::size_t i = 0; i < knob.values.size(); ++i) {
    const std::string& value = knob.values[i];
    if (value.empty() ||
        std::find(knob.values.begin(), knob.values.begin() + i, value) != knob.values.begin() + i) {
      throw Error(ErrorCode::usage, "--sweep", text, kForm,
                  value.empty() ? "has an empty value" : "has a value twice");
    }
  }
  return knob;
}

std::vector<Combination> combinations_of(const protocols::PlanSource& source, const std::vector<Knob>& knobs,
                                         std::uint64_t seeds) {
  std::uint64_t runs = seeds;
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (knobs[i].key == knobs[j].key) {
        throw Error(ErrorCode::usage, "--sweep", knobs[i].key, "", "is swept twice");
      }
    }
    runs *= std::min<std::uint64_t>(knobs[i].values.size(), kMostRuns + 1);
    if (runs > kMostRuns) {
      throw Error(ErrorCode::usage, "--sweep", "", fmt::format("at most {} runs", kMostRuns),
                  "asks for too many runs");
    }
  }
  std::vector<Combination> combinations;
  std::set<std::string> hashes;
  for (std::uint64_t index = 0; index < runs / seeds; ++index) {
    Combination combination;
    protocols::PlanSource changed = source;
    std::uint64_t left = index;
    for (std::size_t i = knobs.size(); i-- > 0;) {
      const Knob& knob = knobs[i];
      combination.set.emplace(combination.set.begin(), knob.key, knob.values[left % knob.values.size()]);
      left /= knob.values.size();
    }
    for (const auto& [key, value] : combination.set) {
      changed.override_key(key, value, "--sweep");
    }
    const std::uint64_t first = protocols::Plan::validate(changed, protocols::Command::train).seed;
    if (first > std::numeric_limits<std::uint64_t>::max() - (seeds - 1)) {
      throw Error(ErrorCode::usage, "--seeds", fmt::format("{}", seeds), "",
                  "goes beyond the last seed, 2^64 - 1");
    }
    for (std::uint64_t i = 0; i < seeds; ++i) {
      changed.override_key("seed", fmt::format("{}", first + i), "--seeds");
      combination.plans.push_back(protocols::Plan::validate(changed, protocols::Command::train));
      if (!hashes.insert(combination.plans.back().hash()).second) {
        throw Error(ErrorCode::usage, "--sweep", "", "values that differ",
                    "has values that make two runs of the same plan");
      }
    }
    combinations.push_back(std::move(combination));
  }
  return combinations;
}

}  // namespace muster::app

#include "muster/experiments/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/variants.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::experiments {
namespace {

constexpr std::uint64_t kMaxRuns = 10'000;
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

// Returns the first `count` combinations of the keys' values, with the last key varying fastest.
std::vector<protocols::Settings> product_of(const std::vector<simulation::SweptKey>& keys,
                                            std::uint64_t count) {
  std::vector<protocols::Settings> product(count);
  for (std::uint64_t index = 0; index < count; ++index) {
    std::uint64_t left = index;
    for (std::size_t i = keys.size(); i-- > 0;) {
      const std::vector<std::string>& values = keys[i].values;
      product[index].emplace(product[index].begin(), keys[i].key, values[left % values.size()]);
      left /= values.size();
    }
  }
  return product;
}

std::vector<simulation::Combination> combinations_of(const protocols::PlanSource& source,
                                                     const std::vector<simulation::SweptKey>& keys,
                                                     std::uint64_t seeds) {
  std::uint64_t runs = std::min(seeds, kMaxRuns + 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (keys[i].key == keys[j].key) {
        throw Error(ErrorCode::usage, Reason::contradiction, "--sweep", keys[i].key, "", "is swept twice");
      }
    }
    runs = std::min(runs * std::min<std::uint64_t>(keys[i].values.size(), kMaxRuns + 1), kMaxRuns + 1);
  }
  if (runs > kMaxRuns) {
    throw Error(ErrorCode::usage, Reason::out_of_range, keys.empty() ? "--seeds" : "--sweep", "",
                fmt::format("at most {} runs", kMaxRuns), "asks for too many runs");
  }
  const std::vector<protocols::Settings> product = product_of(keys, runs / seeds);
  const std::vector<protocols::PlanSource> variants = protocols::variants_of(source, product, "--sweep");
  std::vector<simulation::Combination> combinations;
  std::set<std::string> hashes;
  for (std::size_t index = 0; index < product.size(); ++index) {
    simulation::Combination combination{product[index], {}};
    const protocols::Plan first = protocols::Plan::validate(variants[index], protocols::Command::train);
    combination.plans = plans_with_seeds(first, seeds);
    for (const protocols::Plan& plan : combination.plans) {
      if (!hashes.insert(plan.hash()).second) {
        throw Error(ErrorCode::usage, Reason::malformed, "--sweep", "", "values that differ",
                    "has values that make two runs of the same plan");
      }
    }
    combinations.push_back(std::move(combination));
  }
  return combinations;
}

}  // namespace

simulation::SweptKey swept_key_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    throw Error(ErrorCode::usage, Reason::malformed, "--sweep", text, kForm, "is not a key and its values");
  }
  simulation::SweptKey swept{text.substr(0, equals), split(text.substr(equals + 1))};
  const protocols::KeySpec* spec = protocols::find_key(swept.key);
  if (spec == nullptr || spec->flag.empty()) {
    const std::string close = protocols::nearest_key(swept.key);
    throw Error(ErrorCode::usage, Reason::unknown, "--sweep", swept.key, kForm,
                spec != nullptr ? "names the plan, and is no setting"
                : close.empty() ? "is not a key of a plan"
                                : fmt::format("is not a key of a plan; did you mean {}?", close));
  }
  if (swept.key == "seed") {
    throw Error(ErrorCode::usage, Reason::malformed, "--sweep", text, "--seeds N",
                "does not sweep seeds: --seeds does, from --seed on");
  }
  for (std::size_t i = 0; i < swept.values.size(); ++i) {
    const std::string& value = swept.values[i];
    if (value.empty() ||
        std::find(swept.values.begin(), swept.values.begin() + i, value) != swept.values.begin() + i) {
      throw Error(ErrorCode::usage, Reason::malformed, "--sweep", text, kForm,
                  value.empty() ? "has an empty value" : "has a value twice");
    }
  }
  return swept;
}

simulation::Sweep sweep_of(const protocols::PlanSource& source, std::vector<simulation::SweptKey> keys,
                           std::uint64_t seeds) {
  simulation::Sweep sweep;
  sweep.keys = std::move(keys);
  sweep.combinations = combinations_of(source, sweep.keys, seeds);
  for (const simulation::Combination& combination : sweep.combinations) {
    std::vector<simulation::SweptRun> runs;
    for (const protocols::Plan& plan : combination.plans) {
      runs.push_back({simulation::run_name(plan), std::nullopt, ""});
    }
    sweep.runs.push_back(std::move(runs));
  }
  return sweep;
}

std::vector<PlannedRun> runs_of(simulation::Sweep& sweep) {
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    for (std::size_t seed = 0; seed < sweep.runs[i].size(); ++seed) {
      runs.push_back({sweep.combinations[i].plans[seed], seed, &sweep.runs[i][seed]});
    }
  }
  return runs;
}

std::vector<std::string> left_out_of(const simulation::Sweep& sweep) {
  std::vector<std::string> sentences;
  std::set<std::string> said;
  for (const simulation::Combination& combination : sweep.combinations) {
    for (const std::string& sentence : combination.plans.front().left_out()) {
      if (said.insert(sentence).second) sentences.push_back(sentence);
    }
  }
  return sentences;
}

}  // namespace muster::experiments

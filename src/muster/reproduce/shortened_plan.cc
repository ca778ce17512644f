#include "muster/reproduce/shortened_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/values.h"

namespace muster::reproduce {
namespace {

using protocols::PlanSource;
using protocols::RawValue;

constexpr const char* kFlag = "--scale";

std::uint64_t at_scale(std::uint64_t count, double scale) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * scale));
}

std::uint64_t at_least_one(std::uint64_t count) { return count == 0 ? 1 : count; }

// Moves the steps [[round, value], ...] of a schedule; a value that is no such list stays.
void shorten_steps(PlanSource& source, std::string_view key, double scale) {
  const RawValue* raw = source.find(key);
  const auto* steps = raw == nullptr ? nullptr : std::get_if<std::vector<RawValue>>(&raw->value);
  if (steps == nullptr) return;
  std::map<std::uint64_t, std::string> moved;
  for (const RawValue& step : *steps) {
    // The caller has validated the plan, so each step is a pair of a round and a number.
    const auto& pair = std::get<std::vector<RawValue>>(step.value);
    const auto round = static_cast<std::uint64_t>(protocols::toml_number(pair.at(0)).value());
    moved[1 + at_scale(round - 1, scale)] = pair.at(1).text;
  }
  std::vector<std::string> texts;
  for (const auto& [round, value] : moved) texts.push_back(fmt::format("[{}, {}]", round, value));
  source.override_key(key, fmt::format("[{}]", fmt::join(texts, ", ")), kFlag);
}

}  // namespace

PlanSource shortened(const PlanSource& source, double scale) {
  if (scale == 1) return source;
  const protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::train);
  PlanSource shorter = source;
  const auto shorten = [&](const char* key, std::uint64_t count) {
    shorter.override_key(key, std::to_string(at_least_one(at_scale(count, scale))), kFlag);
  };
  shorten("rounds.count", plan.rounds());
  if (source.find("rounds.log_every") != nullptr) shorten("rounds.log_every", plan.log_every());
  if (source.find("rounds.checkpoint_every") != nullptr) {
    shorten("rounds.checkpoint_every", plan.checkpoint_every());
  }
  shorten_steps(shorter, "rounds.learning_rate", scale);
  shorten_steps(shorter, "participation.dropout", scale);
  return shorter;
}

}  // namespace muster::reproduce

#include "muster/simulation/runs/metrics_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/runs/json_fields.h"

namespace muster::simulation {
namespace {

Measurement parsed(const std::string& line) {
  const JsonFieldReader fields(line);
  Measurement measured;
  Measurement::describe(measured, fields);
  return measured;
}

void require_fits(const protocols::Plan& plan, const Measurement& before, const Measurement& line) {
  if (line.slot.has_value() != plan.has_slots()) {
    throw std::invalid_argument(plan.has_slots() ? "no \"slot\""
                                                 : "a \"slot\", which the plan does not have");
  }
  if (line.step() > plan.updates() || line.round != plan.rounds_charged(line.step())) {
    throw std::invalid_argument("a round that the plan does not have");
  }
  if (line.step() <= before.step()) {
    throw std::invalid_argument("rounds do not increase");
  }
  // The sum of two counts in a file could exceed 2^64 - 1 and wrap around; this difference cannot.
  if (line.messages < before.messages || line.messages - before.messages < line.check_ins) {
    throw std::invalid_argument("fewer messages than check-ins");
  }
  const std::uint64_t neutral = line.neutral.value_or(0);
  if (neutral > line.messages || neutral < before.neutral.value_or(0)) {
    throw std::invalid_argument("\"neutral\" does not fit the lines around it");
  }
}

}  // namespace

std::string metrics_line(const Measurement& measured) {
  JsonFieldWriter fields;
  Measurement::describe(measured, fields);
  return fields.str();
}

std::string shown_line(const Measurement& measured) {
  JsonFieldWriter fields;
  Measurement::describe_shown(measured, fields);
  return fields.str();
}

std::vector<Measurement> read_metrics(const std::filesystem::path& file, const protocols::Plan& plan,
                                      bool finished, std::uint64_t max_bytes) {
  std::string text = read_file(file);
  text.resize(std::min<std::uint64_t>(text.size(), max_bytes));
  std::vector<Measurement> logged;
  std::size_t at = 0;
  for (std::size_t number = 1; at < text.size(); ++number) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos && !finished) {
      break;
    }
    try {
      if (end == text.npos) {
        throw std::invalid_argument("the line is cut off");
      }
      const Measurement line = parsed(text.substr(at, end - at));
      require_fits(plan, logged.empty() ? Measurement() : logged.back(), line);
      logged.push_back(line);
    } catch (const std::invalid_argument& wrong) {
      throw Error(ErrorCode::file, file.string(), "", "", fmt::format(", line {}: {}", number, wrong.what()));
    }
    at = end + 1;
  }
  return logged;
}

}  // namespace muster::simulation

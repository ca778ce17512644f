// From a value as written to a value of its key's type, or a refusal that
// says where, what and what is allowed.
//
// An integer in TOML must be a TOML integer; a flag, which is text, may also write one as 1e8. Numbers take
// TOML integers and floats; nan, inf and whatever a double cannot hold are refused.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

// A rate of a range of rates; lo = hi for one rate.
struct RateRange {
  double lo;
  double hi;
};

using TypedValue = std::variant<std::uint64_t, double, std::string, LearningRate, RateRange, Schedule>;

// Throws Error(plan): wrong type, out of range, or not implemented yet for this command.
TypedValue typed_value(const KeySpec& spec, const RawValue& raw, Command command);

// Throws Error(plan) (Error(usage) is for flags that do not exist) for `key`, naming where `raw` stands.
[[noreturn]] void refuse(const std::string& key, const RawValue& raw, const std::string& allowed,
                         const std::string& message);

}  // namespace muster::protocols

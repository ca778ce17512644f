// Converts a raw value to a value of its key's type, or refuses it with its position and the values allowed.
//
// An integer in a TOML file must be a TOML integer; a flag, which is text, may also write one as 1e8. Keys
// for numbers accept TOML integers and floats; nan, inf and numbers that a double cannot hold are refused.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

// A range of rates; lo = hi for a single rate.
struct RateRange {
  double lo;
  double hi;
};

using TypedValue = std::variant<std::uint64_t, double, std::string, LearningRate, RateRange, Schedule>;

// Throws Error(plan) for a wrong type, a value out of range, or a choice that this command does
// not support yet.
TypedValue typed_value(const KeySpec& spec, const RawValue& raw, Command command);

// Throws Error(plan) for `key`, naming where `raw` was written. (A flag that does not exist is
// Error(usage) instead.)
[[noreturn]] void refuse(const std::string& key, const RawValue& raw, const std::string& allowed,
                         const std::string& message);

}  // namespace muster::protocols

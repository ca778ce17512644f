// What a plan or a flag states for one key, and the parsing that all kinds of values share.
//
// An integer in a TOML file must be a TOML integer; a flag, which is text, may also write one as 1e8. Keys
// for numbers accept TOML integers and floats; nan, inf and numbers that a double cannot hold are refused.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

// A value that is about to be read, and what its refusal needs to say.
struct Stated {
  std::string_view key;
  const RawValue& raw;
  Command command;
  std::string allowed;  // which values are allowed, as shown to users
};

// An interval of finite numbers. If `high` is infinity there is no upper limit, but infinity itself is
// refused.
struct Interval {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool low_included = false;
  bool high_included = false;

  bool contains(double number) const;
  std::string text() const;  // "number in (0, 1]", "number > 0"
};

inline constexpr Interval kPositive = {};
inline constexpr Interval kNotNegative = {.low_included = true};
inline constexpr Interval kFraction = {.high = 1, .low_included = true};  // [0, 1)
inline constexpr Interval kProbability = {.high = 1};                     // (0, 1)
inline constexpr Interval kRate = {.high = 1, .high_included = true};     // (0, 1]

// All of `text` as a finite double, independently of the locale; none if it is not one.
std::optional<double> parse_number(std::string_view text);
// A TOML integer or float as a finite double; none if the value is something else.
std::optional<double> toml_number(const RawValue& raw);

// These convert what is stated to the type wanted; each throws Error(plan) if that cannot be done.
std::string text_value(const Stated& stated);
// `text_in_files`: a file may state the integer as text, because TOML integers end at 2^63 - 1.
std::uint64_t integer_value(const Stated& stated, bool text_in_files);
// A finite double from a TOML number or from the text of a flag.
double any_number(const Stated& stated);
double number_value(const Stated& stated, const Interval& interval);

// Throws Error(plan), naming the key, its value and where it was written. (A flag that does not exist is
// Error(usage) instead.)
[[noreturn]] void refuse(const Stated& stated, const std::string& message);
[[noreturn]] void refuse_type(const Stated& stated, const char* wanted);
[[noreturn]] void refuse(const std::string& key, const RawValue& raw, const std::string& allowed,
                         const std::string& message);

}  // namespace muster::protocols

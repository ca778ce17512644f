// The value that a plan or a flag states for one key, and the parsing that all kinds of values share.
//
// In a TOML file, an integer must be written as a TOML integer, not as a float; a key that allows integers
// above 2^63 - 1 also accepts text. A text, such as the value of a flag, may also write the integer as 1e8.
// Keys for numbers accept TOML integers and floats, but not nan, inf or numbers outside the range of a
// double. The functions are pure and may be called from any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "muster/core/error.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

// A value to be read, and the information for its error message.
struct Stated {
  std::string_view key;
  const RawValue& raw;
  Command command;
  std::string allowed;  // which values are allowed, as shown to users
};

// An interval of finite numbers. If `high` is infinity, there is no upper limit, but infinity itself is
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
// The range of a step size. Steps are computed in single precision, where the size must be neither 0 nor
// infinite.
inline constexpr Interval kStepSize = {
    .low = 1e-30, .high = 1e30, .low_included = true, .high_included = true};
inline constexpr Interval kNotNegative = {.low_included = true};
inline constexpr Interval kFraction = {.high = 1, .low_included = true};  // the interval [0, 1)
inline constexpr Interval kProbability = {.high = 1};                     // the interval (0, 1)
inline constexpr Interval kRate = {.high = 1, .high_included = true};     // the interval (0, 1]

// Returns `text` as a finite double, whatever the locale; nullopt unless the whole text is such a number.
std::optional<double> parse_number(std::string_view text);
// Returns a TOML integer or float as a finite double; nullopt for any other value.
std::optional<double> toml_number(const RawValue& raw);

// These functions convert a stated value to a type, and throw Error(plan) if that is not possible.
std::string text_value(const Stated& stated);
// If `text_in_files` is true, a file may state the integer as text, because TOML integers end at 2^63 - 1.
// Otherwise, 2^64 - 1 is returned for every larger integer; no such key allows so large a value.
std::uint64_t integer_value(const Stated& stated, bool text_in_files);
// Accepts a TOML boolean and, from a flag, the text `true` or `false`.
bool truth_value(const Stated& stated);
// Accepts a finite TOML number and, from a flag, the text of a finite number.
double any_number(const Stated& stated);
double number_value(const Stated& stated, const Interval& interval);

// These throw Error(plan), which names the key, its value, its position and the allowed values.
[[noreturn]] void refuse(const Stated& stated, Reason reason, const std::string& message);
[[noreturn]] void refuse_type(const Stated& stated, const char* wanted);
[[noreturn]] void refuse(Reason reason, const std::string& key, const RawValue& raw,
                         const std::string& allowed, const std::string& message);

}  // namespace muster::protocols

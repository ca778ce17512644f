#include "muster/plan/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <variant>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

const char* type_name(const RawValue& raw) {
  switch (raw.value.index()) {
    case 1:
      return "a boolean";
    case 2:
      return "an integer";
    case 3:
      return "a floating-point number";
    case 4:
      return "text";
    case 5:
      return "an array";
    default:
      return std::get<RawValue::Other>(raw.value).kind.c_str();
  }
}

// Reads the whole text as a double. Fails with `result_out_of_range` for a number that is too large or too
// near 0 for a double, and with `invalid_argument` for other text.
std::errc read_number(std::string_view text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

// A decimal number: the integer `digits` times 10^-decimals. `digits` has no leading zeros, is empty for 0,
// and does not end in 0 if `decimals` is positive.
struct Decimal {
  std::string digits;
  std::int64_t decimals = 0;
};

// Splits a text that parse_number() accepts, such as "1e8" or "2.50e-1". A sign is left out.
Decimal decimal_of(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  Decimal number;
  bool after_point = false;
  for (const char c : text.substr(0, e)) {
    after_point = after_point || c == '.';
    if (c < '0' || c > '9') continue;
    if (c != '0' || !number.digits.empty()) number.digits += c;
    number.decimals += after_point ? 1 : 0;
  }
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  exponent.remove_prefix(exponent.starts_with('+') ? 1 : 0);
  std::int64_t shift = 0;
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
  number.decimals -= shift;
  while (number.decimals > 0 && number.digits.ends_with('0')) {
    number.digits.pop_back();
    --number.decimals;
  }
  return number;
}

enum class Form { integer, fraction, no_number };

struct WrittenInteger {
  Form form = Form::no_number;
  bool negative = false;
  std::uint64_t value = 0;  // 2^64 - 1 for larger integers
  bool too_large = false;   // whether the integer is larger than that
};

// Reads an integer in digits or in a form such as 1e8, exactly.
WrittenInteger integer_of_text(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  if (!number) return {};
  const Decimal decimal = decimal_of(text);
  if (decimal.digits.empty()) return {.form = Form::integer};  // 0, also when written as -0
  if (decimal.decimals > 0) return {.form = Form::fraction, .negative = *number < 0};
  WrittenInteger integer{.form = Form::integer, .negative = *number < 0};
  // A finite double has at most 309 digits before the point.
  const std::string digits = decimal.digits + std::string(static_cast<std::size_t>(-decimal.decimals), '0');
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer.value);
  integer.too_large = error != std::errc();
  if (integer.too_large) integer.value = std::numeric_limits<std::uint64_t>::max();
  return integer;
}

// Refuses a text that parse_number() does not accept.
[[noreturn]] void refuse_number(const Stated& stated, const std::string& text) {
  double number = 0;
  const std::errc failure = read_number(text, number);
  if (failure == std::errc::invalid_argument) refuse(stated, Reason::wrong_type, "is not a number");
  refuse(stated, Reason::out_of_range,
         failure == std::errc::result_out_of_range ? "is outside the range of a double"
                                                   : "is not a finite number");
}

}  // namespace

bool Interval::contains(double number) const {
  return (low_included ? number >= low : number > low) && (high_included ? number <= high : number < high);
}

std::string Interval::text() const {
  if (high == std::numeric_limits<double>::infinity()) {
    return fmt::format("number {} {}", low_included ? ">=" : ">", low);
  }
  return fmt::format("number in {}{}, {}{}", low_included ? '[' : '(', low, high, high_included ? ']' : ')');
}

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  return read_number(text, number) == std::errc() && std::isfinite(number) ? std::optional(number)
                                                                           : std::nullopt;
}

std::optional<double> toml_number(const RawValue& raw) {
  if (const auto* integer = std::get_if<std::int64_t>(&raw.value)) {
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&raw.value);
  return number != nullptr && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

std::string text_value(const Stated& stated) {
  const auto* text = std::get_if<std::string>(&stated.raw.value);
  if (text == nullptr) {
    refuse_type(stated, "text");
  }
  return *text;
}

std::uint64_t integer_value(const Stated& stated, bool text_in_files) {
  const RawValue& raw = stated.raw;
  if (const auto* integer = std::get_if<std::int64_t>(&raw.value)) {
    if (*integer < 0) {
      refuse(stated, Reason::out_of_range, "is out of range");
    }
    return static_cast<std::uint64_t>(*integer);
  }
  if (const auto* text = std::get_if<std::string>(&raw.value);
      text != nullptr && (raw.origin.takes_text() || text_in_files)) {
    const WrittenInteger parsed = integer_of_text(*text);
    if (parsed.form == Form::no_number) refuse(stated, Reason::wrong_type, "is not an integer");
    if (parsed.form == Form::fraction) refuse(stated, Reason::out_of_range, "is not an integer");
    if (parsed.negative || (parsed.too_large && text_in_files)) {
      refuse(stated, Reason::out_of_range, "is out of range");
    }
    return parsed.value;
  }
  const auto* number = std::get_if<double>(&raw.value);
  if (number != nullptr && *number >= 0 && *number <= 1e15 && *number == std::floor(*number)) {
    refuse(stated, Reason::wrong_type,
           fmt::format("is a floating-point number, not an integer: write {}",
                       static_cast<std::uint64_t>(*number)));
  }
  refuse_type(stated, "an integer");
}

bool truth_value(const Stated& stated) {
  if (const auto* truth = std::get_if<bool>(&stated.raw.value)) {
    return *truth;
  }
  const auto* text = std::get_if<std::string>(&stated.raw.value);
  if (text == nullptr || !stated.raw.origin.takes_text()) {
    refuse_type(stated, "a boolean");
  }
  if (*text != "true" && *text != "false") {
    refuse(stated, Reason::wrong_type, "is neither true nor false");
  }
  return *text == "true";
}

double any_number(const Stated& stated) {
  const auto* text = std::get_if<std::string>(&stated.raw.value);
  const bool typed_as_flag = text != nullptr && stated.raw.origin.takes_text();
  const std::optional<double> number = typed_as_flag ? parse_number(*text) : toml_number(stated.raw);
  if (number) {
    return *number;
  }
  if (typed_as_flag) refuse_number(stated, *text);
  if (std::holds_alternative<double>(stated.raw.value)) {
    refuse(stated, Reason::out_of_range, "is not a finite number");
  }
  refuse_type(stated, "a number");
}

double number_value(const Stated& stated, const Interval& interval) {
  const double number = any_number(stated);
  if (!interval.contains(number)) {
    refuse(stated, Reason::out_of_range, "is out of range");
  }
  // Adding 0 turns -0 into 0, so that both have the same hash.
  return number + 0.0;
}

void refuse(const Stated& stated, Reason reason, const std::string& message) {
  refuse(reason, std::string(stated.key), stated.raw, stated.allowed, message);
}

void refuse(Reason reason, const std::string& key, const RawValue& raw, const std::string& allowed,
            const std::string& message) {
  // If a flag is not a plan key, `key` is the flag itself, and the message does not name it twice.
  const std::string where = raw.origin.describe();
  const std::string origin = where == key ? "" : fmt::format("({}) ", where);
  throw Error(ErrorCode::plan, reason, key, raw.text, allowed, origin + message);
}

void refuse_type(const Stated& stated, const char* wanted) {
  refuse(stated, Reason::wrong_type, fmt::format("is {}, not {}", type_name(stated.raw), wanted));
}

}  // namespace muster::protocols

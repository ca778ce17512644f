#include "muster/plan/values.h"

#include <fmt/format.h>

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

// Parses an integer, which may also be written as 1e8 if it is below 2^53, where a double is exact.
std::optional<std::uint64_t> integer_of_text(std::string_view text) {
  std::uint64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) {
    return integer;
  }
  const std::optional<double> number = parse_number(text);
  constexpr double kExact = 9007199254740992.0;
  if (number && *number >= 0 && *number < kExact && *number == std::floor(*number)) {
    return static_cast<std::uint64_t>(*number);
  }
  return std::nullopt;
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
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
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
    const std::optional<std::uint64_t> parsed = integer_of_text(*text);
    if (!parsed) {
      const bool number = parse_number(*text).has_value();
      refuse(stated, number ? Reason::out_of_range : Reason::wrong_type,
             number ? "is out of range, or not an integer" : "is not an integer");
    }
    return *parsed;
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
  if (typed_as_flag || std::holds_alternative<double>(stated.raw.value)) {
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

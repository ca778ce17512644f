#include "muster/plan/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

constexpr std::string_view kInverseSqrt = "inverse-sqrt:";
constexpr const char* kNoRate = "is not a learning rate";

// Parses all of `text` as a finite double, independently of the locale.
std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

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
      return "a table, a date or a time";
  }
}

[[noreturn]] void refuse(const KeySpec& spec, const RawValue& raw, const std::string& message) {
  refuse(std::string(spec.key), raw, spec.allowed(), message);
}

[[noreturn]] void refuse_type(const KeySpec& spec, const RawValue& raw, const char* wanted) {
  refuse(spec, raw, fmt::format("is {}, not {}", type_name(raw), wanted));
}

// Parses an integer, which a flag may also write as 1e8. A double holds every integer below 2^53 exactly.
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

std::uint64_t integer_value(const KeySpec& spec, const RawValue& raw) {
  std::uint64_t integer = 0;
  if (const auto* signed_integer = std::get_if<std::int64_t>(&raw.value)) {
    if (*signed_integer < 0) {
      refuse(spec, raw, "is out of range");
    }
    integer = static_cast<std::uint64_t>(*signed_integer);
  } else if (const auto* text = std::get_if<std::string>(&raw.value);
             // TOML integers end at 2^63 - 1, so a larger seed is written as text.
             text != nullptr && (raw.origin.is_flag() || spec.most > std::uint64_t{1} << 63)) {
    const std::optional<std::uint64_t> parsed = integer_of_text(*text);
    if (!parsed) {
      refuse(spec, raw, parse_number(*text) ? "is out of range, or not an integer" : "is not an integer");
    }
    integer = *parsed;
  } else {
    const auto* number = std::get_if<double>(&raw.value);
    if (number != nullptr && *number >= 0 && *number <= 1e15 && *number == std::floor(*number)) {
      refuse(spec, raw,
             fmt::format("is a floating-point number, not an integer: write {}",
                         static_cast<std::uint64_t>(*number)));
    }
    refuse_type(spec, raw, "an integer");
  }
  if (integer < spec.least || integer > spec.most) {
    refuse(spec, raw, "is out of range");
  }
  return integer;
}

std::optional<double> toml_number(const RawValue& raw) {
  if (const auto* integer = std::get_if<std::int64_t>(&raw.value)) {
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&raw.value);
  return number != nullptr && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

// A finite double from a TOML number or from the text of a flag.
double any_number(const KeySpec& spec, const RawValue& raw) {
  const auto* text = std::get_if<std::string>(&raw.value);
  const bool typed_as_flag = text != nullptr && raw.origin.is_flag();
  const std::optional<double> number = typed_as_flag ? parse_number(*text) : toml_number(raw);
  if (number) {
    return *number;
  }
  if (typed_as_flag || std::holds_alternative<double>(raw.value)) {
    refuse(spec, raw, "is not a finite number");
  }
  refuse_type(spec, raw, "a number");
}

bool in_range(const KeySpec& spec, double number) {
  return (spec.low_included ? number >= spec.low : number > spec.low) &&
         (spec.high_included ? number <= spec.high : number < spec.high);
}

double number_value(const KeySpec& spec, const RawValue& raw) {
  const double number = any_number(spec, raw);
  if (!in_range(spec, number)) {
    refuse(spec, raw, "is out of range");
  }
  // Adding 0 turns -0 into 0, so that both have the same hash.
  return number + 0.0;
}

// Parses "[lo, hi]" in a file or "lo:hi" in a flag; returns nothing if the value is not written as a range.
std::optional<RateRange> range_as_written(const KeySpec& spec, const RawValue& raw) {
  std::optional<double> lo, hi;
  if (const auto* pair = std::get_if<std::vector<RawValue>>(&raw.value)) {
    if (pair->size() == 2) {
      lo = toml_number((*pair)[0]);
      hi = toml_number((*pair)[1]);
    }
  } else if (const auto* text = std::get_if<std::string>(&raw.value);
             text != nullptr && raw.origin.is_flag() && text->find(':') != text->npos) {
    const std::size_t colon = text->find(':');
    lo = parse_number(std::string_view(*text).substr(0, colon));
    hi = parse_number(std::string_view(*text).substr(colon + 1));
  } else {
    return std::nullopt;
  }
  if (!lo || !hi) {
    refuse(spec, raw, "is not a range of two numbers");
  }
  return RateRange{*lo, *hi};
}

RateRange rate_value(const KeySpec& spec, const RawValue& raw) {
  const std::optional<RateRange> range = range_as_written(spec, raw);
  if (!range) {
    const double rate = number_value(spec, raw);
    return {rate, rate};
  }
  if (!in_range(spec, range->lo) || !in_range(spec, range->hi)) {
    refuse(spec, raw, "is out of range");
  }
  if (range->lo > range->hi) {
    refuse(spec, raw, "is a range whose lowest rate does not come first");
  }
  return *range;
}

std::string text_value(const KeySpec& spec, const RawValue& raw) {
  const auto* text = std::get_if<std::string>(&raw.value);
  if (text == nullptr) {
    refuse_type(spec, raw, "text");
  }
  return *text;
}

std::string name_value(const KeySpec& spec, const RawValue& raw) {
  constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::string text = text_value(spec, raw);
  if (text.empty() || text.size() > 100 || text.front() == '.' ||
      text.find_first_not_of(kSafe) != text.npos) {
    refuse(spec, raw, "is not a name for a run folder");
  }
  return text;
}

std::string data_value(const KeySpec& spec, const RawValue& raw) {
  std::string text = text_value(spec, raw);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (std::ranges::any_of(text, control)) {
    refuse(spec, raw, "has control characters in a path");
  }
  if (text == "digits") {
    return text;
  }
  const std::size_t colon = text.find(':');
  for (const char* kind : {"idx:", "csv:", "cifar:"}) {
    if (text.starts_with(kind)) {
      if (colon + 1 == text.size()) {
        refuse(spec, raw, kind == std::string_view("csv:") ? "names no file" : "names no folder");
      }
      return text;
    }
  }
  if (text.empty()) {
    refuse(spec, raw, "names no folder");
  }
  if (colon != text.npos && text.find('/') > colon) {
    // A folder with a colon in its name must be written idx:NAME.
    refuse(spec, raw, "is an unknown kind of data");
  }
  return "idx:" + text;
}

std::string choice_value(const KeySpec& spec, const RawValue& raw, Command command) {
  std::string text = text_value(spec, raw);
  const auto option = std::ranges::find(spec.choices, text, &Choice::name);
  if (option == spec.choices.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(spec.choices, std::back_inserter(names), &Choice::name);
    const std::string close = nearest(text, names);
    refuse(std::string(spec.key), raw, spec.allowed(command),
           close.empty() ? "is unknown" : fmt::format("is unknown; did you mean {}?", close));
  }
  if (!option->works_with(command)) {
    refuse(std::string(spec.key), raw, spec.allowed(command),
           option->support == Support::none ? "is not implemented yet"
                                            : fmt::format("is not implemented yet for {}", name_of(command)));
  }
  return text;
}

// The factories of schedules check the values; this adds to their errors where the value stands in the plan.
template <typename Make>
auto located(const KeySpec& spec, const RawValue& raw, const char* what, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    refuse(std::string(spec.key), raw, error.allowed(), what);
  }
}

Schedule::Steps steps_value(const KeySpec& spec, const RawValue& raw, const std::vector<RawValue>& steps) {
  Schedule::Steps schedule;
  for (const RawValue& step : steps) {
    const auto* pair = std::get_if<std::vector<RawValue>>(&step.value);
    const bool paired = pair != nullptr && pair->size() == 2;
    const auto* round = paired ? std::get_if<std::int64_t>(&(*pair)[0].value) : nullptr;
    const std::optional<double> value = paired ? toml_number((*pair)[1]) : std::nullopt;
    if (round == nullptr || *round < 1 || !value) {
      refuse(spec, raw, fmt::format("has the step {}, which is not [round, value]", step.text));
    }
    schedule.emplace_back(static_cast<std::uint64_t>(*round), *value);
  }
  return schedule;
}

Schedule schedule_value(const KeySpec& spec, const RawValue& raw, Command command) {
  const auto* steps = std::get_if<std::vector<RawValue>>(&raw.value);
  if (steps == nullptr) {
    return number_value(spec, raw);
  }
  const Schedule::Steps values = steps_value(spec, raw, *steps);
  auto schedule = located(spec, raw, "is not a schedule",
                          [&] { return Schedule::piecewise(values, std::string(spec.key).c_str()); });
  if (!std::ranges::all_of(values, [&](const auto& step) { return in_range(spec, step.second); })) {
    refuse(spec, raw, "is out of range");
  }
  if (command == Command::calibrate && !schedule.constant()) {
    refuse(spec, raw, "is a schedule, and calibrate answers for rounds that are alike");
  }
  return schedule;
}

LearningRate learning_rate_value(const KeySpec& spec, const RawValue& raw) {
  if (const auto* steps = std::get_if<std::vector<RawValue>>(&raw.value)) {
    const auto schedule = steps_value(spec, raw, *steps);
    return located(spec, raw, kNoRate, [&] { return LearningRate::piecewise(schedule); });
  }
  if (const auto* text = std::get_if<std::string>(&raw.value);
      text != nullptr && text->starts_with(kInverseSqrt)) {
    const std::optional<double> value = parse_number(std::string_view(*text).substr(kInverseSqrt.size()));
    if (!value) {
      refuse(spec, raw, "has no finite number after inverse-sqrt:");
    }
    return located(spec, raw, kNoRate, [&] { return LearningRate::inverse_sqrt(*value); });
  }
  const double value = any_number(spec, raw);
  return located(spec, raw, kNoRate, [&] { return LearningRate::constant(value); });
}

}  // namespace

void refuse(const std::string& key, const RawValue& raw, const std::string& allowed,
            const std::string& message) {
  // A flag that is no key of a plan is its own origin.
  const std::string origin = raw.origin.flag == key ? "" : fmt::format("({}) ", raw.origin.describe());
  throw Error(ErrorCode::plan, key, raw.text, allowed, origin + message);
}

TypedValue typed_value(const KeySpec& spec, const RawValue& raw, Command command) {
  switch (spec.type) {
    case ValueType::name:
      return name_value(spec, raw);
    case ValueType::data:
      return data_value(spec, raw);
    case ValueType::integer:
      return integer_value(spec, raw);
    case ValueType::number:
      return number_value(spec, raw);
    case ValueType::rate:
      return rate_value(spec, raw);
    case ValueType::schedule:
      return schedule_value(spec, raw, command);
    case ValueType::learning_rate:
      return learning_rate_value(spec, raw);
    case ValueType::choice:
      return choice_value(spec, raw, command);
  }
  throw Error(ErrorCode::internal, std::string(spec.key), raw.text, "", "a key without a type");
}

}  // namespace muster::protocols

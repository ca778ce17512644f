// The value kinds (value_kinds.h) for integers, numbers, and rates, which may differ between clients.
#include <fmt/format.h>

#include "muster/plan/value_kinds.h"

namespace muster::protocols {
namespace {

// Writes an integer with six or more trailing zeros in short form: 1000000000000 as 1e12.
std::string compact(std::uint64_t integer) {
  int zeros = 0;
  std::uint64_t head = integer;
  for (; head >= 10 && head % 10 == 0; head /= 10) {
    ++zeros;
  }
  return zeros < 6 ? fmt::format("{}", integer) : fmt::format("{}e{}", head, zeros);
}

// "{}" prints a double as the shortest text that parses to the same double.
template <typename T>
std::optional<std::string> text_of(const std::optional<T>& value) {
  return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
}

// Returns two numbers that are written as "[lo, hi]" or, in a flag, as "lo:hi". Returns nullopt if the value
// is not written as a range, and refuses a range that does not consist of two numbers.
std::optional<std::pair<double, double>> range_as_written(const Stated& stated) {
  std::optional<double> lo, hi;
  if (const auto* pair = std::get_if<std::vector<RawValue>>(&stated.raw.value)) {
    if (pair->size() == 2) {
      lo = toml_number((*pair)[0]);
      hi = toml_number((*pair)[1]);
    }
  } else if (const auto* text = std::get_if<std::string>(&stated.raw.value);
             text != nullptr && stated.raw.origin.takes_text() && text->find(':') != text->npos) {
    const std::size_t colon = text->find(':');
    lo = parse_number(std::string_view(*text).substr(0, colon));
    hi = parse_number(std::string_view(*text).substr(colon + 1));
  } else {
    return std::nullopt;
  }
  if (!lo || !hi) {
    refuse(stated, Reason::wrong_type, "is not a range of two numbers");
  }
  return std::pair(*lo, *hi);
}

}  // namespace

std::string Integers::allowed(Command) const {
  return max == kMaxInteger ? fmt::format("integer >= {}", min)
                            : fmt::format("integer {}..{}", min, compact(max));
}

void Integers::read(const Stated& stated, PlanValues& values) const {
  const std::uint64_t integer = integer_value(stated, max > kMaxInteger);
  if (integer < min || integer > max) {
    refuse(stated, Reason::out_of_range,
           integer > max && max == kMaxInteger
               ? fmt::format("is out of range: the integers of a plan end at {}", kMaxInteger)
               : "is out of range");
  }
  field.set(values, integer);
}

std::optional<std::string> Integers::write(const PlanValues& values) const {
  return text_of(field.get(values));
}

std::string Numbers::allowed(Command) const { return range.text(); }

void Numbers::read(const Stated& stated, PlanValues& values) const {
  field.set(values, number_value(stated, range));
}

std::optional<std::string> Numbers::write(const PlanValues& values) const {
  return text_of(field.get(values));
}

std::string Rates::allowed(Command) const { return range.text() + ", or [lo, hi] (as a flag lo:hi)"; }

void Rates::read(const Stated& stated, PlanValues& values) const {
  const auto written = range_as_written(stated);
  const double alone = written ? 0 : number_value(stated, range);
  const auto [lo, hi] = written.value_or(std::pair(alone, alone));
  if (!range.contains(lo) || !range.contains(hi)) {
    refuse(stated, Reason::out_of_range, "is out of range");
  }
  if (lo > hi) {
    refuse(stated, Reason::malformed, "is a range whose lowest rate does not come first");
  }
  values.*highest = hi;
  values.*lowest = lo < hi ? std::optional(lo) : std::nullopt;
}

std::optional<std::string> Rates::write(const PlanValues& values) const {
  const std::optional<double> lo = values.*lowest;
  return lo ? fmt::format("[{}, {}]", *lo, values.*highest) : fmt::format("{}", values.*highest);
}

}  // namespace muster::protocols

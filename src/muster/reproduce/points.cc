#include "muster/reproduce/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace muster::reproduce {

Point point_of(double x, const accounting::Bound& bound) { return {x, bound.upper, bound.id}; }

Point lower_point_of(double x, const accounting::Statement& statement) {
  // Bounds with an upper value repeat the statement's lower value; those without one have their own.
  const auto reaches = std::ranges::find_if(statement.all, [&](const accounting::Bound& bound) {
    return !bound.upper && bound.lower && bound.lower == statement.best.lower;
  });
  return {x, statement.best.lower, reaches == statement.all.end() ? "" : reaches->id};
}

Curve curve_of(const std::string& name, Kind kind, const std::vector<double>& xs,
               const std::function<Point(double x)>& point) {
  Curve curve{name, kind, {}};
  for (const double x : xs) curve.points.push_back(point(x));
  return curve;
}

std::vector<Curve> proven_and_lower(const std::string& proven, const std::string& lower,
                                    const std::vector<double>& xs,
                                    const std::function<accounting::Statement(double x)>& statement) {
  Curve above{proven, Kind::proven, {}}, below{lower, Kind::lower, {}};
  for (const double x : xs) {
    const accounting::Statement answer = statement(x);
    above.points.push_back(point_of(x, answer.best));
    below.points.push_back(lower_point_of(x, answer));
  }
  return {above, below};
}

double upper_of(const accounting::Bound& bound) {
  return bound.upper.value_or(std::numeric_limits<double>::infinity());
}

double value_at(const Curve& curve, std::size_t index) {
  return curve.points.at(index).value.value_or(std::numeric_limits<double>::infinity());
}

std::vector<double> arithmetic(double low, double high, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    values.push_back(low + (high - low) * part);
  }
  return values;
}

bool prints_as(double value, double printed, int decimals) {
  return fmt::format("{:.{}f}", value, decimals) == fmt::format("{:.{}f}", printed, decimals);
}

std::uint64_t whole(double count) { return static_cast<std::uint64_t>(std::llround(count)); }

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t end = digits.size(); end > 3;) digits.insert(end -= 3, 1, ',');
  return digits;
}

std::string power_of_ten(double value) { return fmt::format("10^{:.0f}", std::log10(value)); }

std::string listed(const Curve& curve, int digits) {
  std::string text;
  for (const Point& point : curve.points) {
    text += text.empty() ? "" : ", ";
    text += point.value ? fmt::format("{:.{}g}", *point.value, digits) : "none";
  }
  return text;
}

}  // namespace muster::reproduce

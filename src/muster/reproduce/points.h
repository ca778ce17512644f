// Helpers for recipes: points from bounds, curves, comparisons, and numbers as text. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// The point at x with the bound's upper value and id.
Point point_of(double x, const accounting::Bound& bound);

// One point for each x.
Curve curve_of(const std::string& name, Kind kind, const std::vector<double>& xs,
               const std::function<Point(double x)>& point);

// Two curves from the statements at all xs: their best proven upper values, named `proven`, and their lower
// values, named `lower`.
std::vector<Curve> proven_and_lower(const std::string& proven, const std::string& lower,
                                    const std::vector<double>& xs,
                                    const std::function<accounting::Statement(double x)>& statement);

// The value of a curve's point; infinity if the point has none.
double value_at(const Curve& curve, std::size_t index);

// `count` values from `low` to `high`, both included, at equal distances; count >= 2.
std::vector<double> arithmetic(double low, double high, std::size_t count);

// Whether `value`, rounded to this many decimals, equals `printed`.
bool prints_as(double value, double printed, int decimals);

// A number of rounds or clients as an integer, rounded to the nearest.
std::uint64_t whole(double count);

// A count with commas: "1,000,000".
std::string grouped(double count);

// "10^3" for 1000, "10^-6" for 1e-6. The value is a power of ten.
std::string power_of_ten(double value);

// The curve's values, as in "0.2282, 0.2282, ...", each with `digits` significant digits; a missing value is
// "none".
std::string listed(const Curve& curve, int digits);

}  // namespace muster::reproduce

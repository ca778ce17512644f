// Helps recipes to make points and curves, to compare values, and to write numbers as text. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// Returns the point at x with the bound's upper value and id.
Point point_of(double x, const accounting::Bound& bound);

// Returns the point at x with the statement's lower value, and the id of the lower bound that reaches it. The
// id is empty if no bound of the statement does, as where the accountant's gate alone says more.
Point lower_point_of(double x, const accounting::Statement& statement);

// Returns a curve with one point for each x.
Curve curve_of(const std::string& name, Kind kind, const std::vector<double>& xs,
               const std::function<Point(double x)>& point);

// Returns two curves from the statements at all xs: their best proven upper values, named `proven`, and their
// lower values, named `lower`.
std::vector<Curve> proven_and_lower(const std::string& proven, const std::string& lower,
                                    const std::vector<double>& xs,
                                    const std::function<accounting::Statement(double x)>& statement);

// Returns the bound's upper value; infinity if it has none.
double upper_of(const accounting::Bound& bound);

// Returns the value of a curve's point; infinity if the point has none.
double value_at(const Curve& curve, std::size_t index);

// Returns `count` values from `low` to `high`, both included, at equal distances; count >= 2.
std::vector<double> arithmetic(double low, double high, std::size_t count);

// Says whether `value` and `printed` are equal when both are rounded to `decimals` decimals.
bool prints_as(double value, double printed, int decimals);

// Returns a number of rounds or clients as an integer, rounded to the nearest.
std::uint64_t whole(double count);

// Writes a count with commas: "1,000,000".
std::string grouped(double count);

// Writes a power of ten: "10^3" for 1000, "10^-6" for 1e-6.
std::string power_of_ten(double value);

// Lists the curve's values, as in "0.2282, 0.2282, ...", each with `digits` significant digits; a missing
// value is "none".
std::string listed(const Curve& curve, int digits);

}  // namespace muster::reproduce

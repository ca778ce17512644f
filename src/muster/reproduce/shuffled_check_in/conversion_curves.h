// Draws what the two conversions of conversion_times.h cost, for Table 1 of "Shuffled check-in" and for the
// same table of its later version. The functions may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/reproduce/estimates.h"
#include "muster/reproduce/shuffled_check_in/conversion_times.h"

namespace muster::reproduce {

// The counted cost of a conversion with a term for every k: its exponents of n and of the highest order, and
// the curves to which they were fitted. The curves' spreads are CPU times.
struct ConversionCost {
  Estimate exponent_of_clients, exponent_of_order;
  std::vector<Curve> curves;
};
ConversionCost conversion_cost(Approach approach, OrderSearch search);

// The orders from which ConversionCost::exponent_of_order is fitted, and the exponent of another function of
// the order, fitted to the same orders.
const std::vector<double>& conversion_orders();
Estimate exponent_over_orders(double (*cost)(double order));

// Returns the figure without its findings: the curves of both conversions, of the same conversions with the
// numbers of reports grouped into cells, of muster's accountant, and `more`, which are further published
// curves.
PaperFigure conversion_figure(OrderSearch search, const ConversionCost& shuffling,
                              const ConversionCost& subsampled_shuffling, const std::vector<Curve>& more);

// Returns a curve of measured CPU times. Its value at x is the time of one call of `compute`, in units of the
// time of one evaluation of Lemma 3. Several times, `calls` calls are timed together, and the least result is
// taken. The exponent of x is appended to the name.
Curve timed_curve(const std::string& name, Kind kind, const std::vector<double>& xs, int calls,
                  const std::function<void(double x)>& compute);

}  // namespace muster::reproduce

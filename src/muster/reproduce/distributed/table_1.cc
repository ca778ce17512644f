// Reproduces Table 1, which prints other costs of the same two conversions than Table 1 of the first version:
// n lambda^2 and n lambda. They are the costs of trying every order.
#include <fmt/format.h>

#include <cmath>

#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/shuffled_check_in/conversion_curves.h"

namespace muster::reproduce {
namespace {

// Says whether both exponents of a conversion are those of its row, within 0.1 for n and 0.2 for the order.
bool as_printed(const ConversionCost& cost, const char* row) {
  return std::fabs(cost.exponent_of_clients.value - number_of(row, 0)) <= 0.1 &&
         std::fabs(cost.exponent_of_order.value - number_of(row, 1)) <= 0.2;
}

Finding exponents(const ConversionCost& shuffling, const ConversionCost& subsampled) {
  const bool both =
      as_printed(shuffling, "003-table-1-shuffling") && as_printed(subsampled, "003-table-1-subsampled");
  return {"003-table-1-exponents", both ? Verdict::holds : Verdict::not_reproduced,
          fmt::format(
              "Counted in evaluations of Lemma 3, with a term for every k and every order tried: the "
              "exponent of n is {:.3f} for the shuffling conversion and {:.3f} for the subsampled one, and "
              "that of the highest order, from {} to {}, {} and {}. The first version's table (000-table-1) "
              "prints the costs of a bisection over the order.",
              shuffling.exponent_of_clients.value, subsampled.exponent_of_clients.value,
              conversion_orders().front(), conversion_orders().back(), words_of(shuffling.exponent_of_order),
              words_of(subsampled.exponent_of_order))};
}

}  // namespace

PaperFigure distributed_table_1() {
  const ConversionCost shuffling = conversion_cost(Approach::shuffling, OrderSearch::every_order),
                       subsampled = conversion_cost(Approach::subsampled_shuffling, OrderSearch::every_order);
  PaperFigure figure = conversion_figure(OrderSearch::every_order, shuffling, subsampled, {});
  figure.findings = {exponents(shuffling, subsampled)};
  return figure;
}

}  // namespace muster::reproduce

#include "muster/papers/renyi/renyi_route.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/slack.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

using numerics::kEightRoundings;
using numerics::kThreeRoundings;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Counts at which the Chernoff bound on the tail is below e^-40 are put into coarser cells.
constexpr double kCountExponent = 40;

}  // namespace

Bound answer_by_renyi(const Divergence& rdp, std::uint64_t rounds, const Question& question,
                      Conversion conversion) {
  // The papers' sums have as many terms as their order. convert_rdp() may refine beyond its last order, so
  // higher ones are left out here.
  const auto affordable = [&](std::uint64_t order) {
    return order > kAffordableOrder ? kInfinity : rdp(order);
  };
  return bound_of(convert_rdp(affordable, rounds, question, conversion, kAffordableOrder));
}

Bound bound_of(const ConvertedUpper& best) {
  Bound bound;
  if (std::isfinite(best.upper)) {
    bound.upper = best.upper;
    bound.assumptions.push_back(fmt::format("Renyi order {:.0f}, the best integer order", best.order));
  } else {
    bound.assumptions.push_back("infinite at every integer order");
  }
  return bound;
}

const char* id_suffix(Conversion conversion) {
  return conversion == Conversion::exact ? "-exact-conversion" : "";
}

const char* citation_suffix(Conversion conversion) {
  return conversion == Conversion::exact ? "; conversion: Asoodeh et al., 2021, Theorem 3"
                                         : "; conversion: Canonne, Kamath, Steinke, 2020, Proposition 12";
}

double girgis_ccs_2021_upper(double epsilon0, double clients, std::uint64_t order) {
  const auto l = static_cast<double>(order);
  // sinh is wrong by at most four roundings. So is the quotient in `nbar`: one comes from clients - 1, two
  // from `grown`, and one is its own.
  const double grown = std::exp(epsilon0), c = 2 * std::sinh(epsilon0) * (1 + kEightRoundings);
  const double nbar = std::floor((clients - 1) / (2 * grown) * (1 - kEightRoundings)) + 1;
  // log_second_term has the factor 4 of the subsampled shuffle's Theorem 1, which this bound does not have.
  // Its factor covers the rounding of log(4). The subtraction is covered by the slack in log_second_term(),
  // which is larger than its own roundings.
  const double second =
      rdp_detail::log_second_term(order, 1, epsilon0, nbar) - std::log(4.0) * (1 - kThreeRoundings);
  // The factor covers one rounding of the root and one of the quotient.
  const double series = rdp_detail::log_series(order, c / std::sqrt(2 * nbar) * (1 + kEightRoundings));
  // The first term is wrong by at most one rounding, and the second, like the quotient in `nbar`, by at most
  // four. The subtraction adds one of the larger term.
  const double few =
      epsilon0 * l * (1 + kThreeRoundings) - (clients - 1) / (8 * grown) * (1 - kEightRoundings);
  const double excess = rdp_detail::log_sum(rdp_detail::log_sum(second, series), few);
  return rdp_detail::divergence_from_log_excess(order, excess);
}

std::vector<CountCell> count_cells(double n, double rate, double fineness) {
  std::vector<CountCell> cells;
  for (const numerics::BinomialBlock& block : numerics::binomial_blocks(n, rate, kCountExponent, fineness)) {
    cells.push_back({std::floor((block.first + block.last) / 2), block.weight});
  }
  return cells;
}

}  // namespace muster::accounting

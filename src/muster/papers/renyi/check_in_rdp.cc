#include "muster/papers/renyi/check_in_rdp.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

// Returns a value that is at most kbar of subsampled_shuffle_rdp.h at k - 1 = `below`. The factor covers
// three roundings: two of the exponential and one of the quotient.
double kbar(double below, double epsilon0) {
  return std::floor(below / (2 * std::exp(epsilon0)) * (1 - numerics::kEightRoundings)) + 1;
}

}  // namespace

CheckInRdp::CheckInRdp(double epsilon0, double clients, double rate)
    : epsilon0_(epsilon0), clients_(clients), blocks_(numerics::binomial_blocks(clients, rate, 700, 0.02)) {}

double CheckInRdp::upper(std::uint64_t order) const {
  // The bound rises with the inclusion rate and, at a fixed rate, falls with the number k of reports. So a
  // block of counts is bounded at the rate k/n of its last k, with its first k as the number of reports. The
  // count k = 0 adds nothing.
  double log_excess = -std::numeric_limits<double>::infinity();
  for (const numerics::BinomialBlock& block : blocks_) {
    if (block.last == 0 || !(block.weight > 0)) continue;
    const double k = numerics::larger(1.0, block.first);
    const double one = rdp_detail::log_excess(order, block.last / clients_, epsilon0_, kbar(k - 1, epsilon0_),
                                              (k - 1) / (8 * std::exp(epsilon0_)));
    // The logarithm of the weight is wrong by at most two roundings of itself, and each of the two additions
    // by one of |log(weight)| + |one|. As log(weight) is the sum less `one`, that is at most four roundings
    // of the sum and six of `one`. The last term covers the six. log_sum() covers the four: it adds eight
    // roundings of 1 and of its larger argument, of which its own operations need only about four and two.
    log_excess = rdp_detail::log_sum(
        log_excess, std::log(block.weight) + one + numerics::kEightRoundings * std::fabs(one));
  }
  return rdp_detail::divergence_from_log_excess(order, log_excess);
}

double check_in_rdp_printed(double epsilon0, double clients, double rate, double slack, std::uint64_t order) {
  const double mean = clients * rate, below = std::floor((1 - slack) * mean);
  const double few = rdp_detail::log_excess(order, rate, epsilon0, 1, 0) - slack * slack * mean / 2;
  const double many =
      rdp_detail::log_excess(order, rate, epsilon0, kbar(below, epsilon0), below / (8 * std::exp(epsilon0)));
  return rdp_detail::divergence_from_log_excess(order, rdp_detail::log_sum(few, many));
}

double check_in_rdp_lower(double epsilon0, double clients, double rate, double slack, std::uint64_t order) {
  const double l = static_cast<double>(order), mean = clients * rate;
  const double chi_squared = std::expm1(epsilon0) * -std::expm1(-epsilon0);
  const double excess = -std::expm1(-slack * slack * mean / (2 + slack)) * (l * (l - 1) / 2) * rate * rate *
                        chi_squared / ((1 + slack) * mean);
  return std::log1p(excess) / (l - 1) * (1 - numerics::kEightHundredRoundings);
}

}  // namespace muster::accounting

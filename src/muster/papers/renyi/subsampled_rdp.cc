#include "muster/papers/renyi/subsampled_rdp.h"

#include <cmath>
#include <utility>

#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

using numerics::kUnitRoundoff;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The order is limited to save time: CheckInMixture evaluates the theorem for about a hundred values of the
// count k.
constexpr std::uint64_t kHighestOrder = 2048;
constexpr double kBlockExponent = 700, kBlockFineness = 0.5;

double log_expm1(double x) { return x > 40 ? x : std::log(std::expm1(x)); }

// Returns log(1 + e^log_excess) / (order - 1), rounded up. exp and log1p are together wrong by at most four
// roundings, and the product and the quotient by one each. Beyond 700, the logarithm exceeds log_excess by
// less than e^-700, which the factor covers, too.
double divergence(std::uint64_t order, double log_excess) {
  const double moment = log_excess < 700 ? std::log1p(std::exp(log_excess)) : log_excess;
  return moment * (1 + 16 * kUnitRoundoff) / (static_cast<double>(order) - 1);
}

}  // namespace

SubsampledRdp::SubsampledRdp(double rate, RenyiCurve mechanism, double largest_loss)
    : rate_(rate), mechanism_(std::move(mechanism)), largest_loss_(numerics::larger(0.0, largest_loss)) {}

double SubsampledRdp::log_excess(std::uint64_t order) const {
  const double l = static_cast<double>(order);
  const double whole = (l - 1) * mechanism_(order), plain = whole > 0 ? log_expm1(whole) : -kInfinity;
  // The rounding of the product `whole` changes `plain` by at most 1 + `whole` <= 2 + |plain| roundings of 1.
  // expm1 adds two of 1, the logarithm adds two of |plain|, and the sum adds one of |plain|.
  const double unsampled = whole > 0 ? plain + 8 * kUnitRoundoff * (1 + std::fabs(plain)) : -kInfinity;
  return order > kHighestOrder ? unsampled : numerics::smaller(unsampled, theorem_log_excess(order));
}

double SubsampledRdp::theorem_log_excess(std::uint64_t order) const {
  const double l = static_cast<double>(order);
  const double log_two = std::log(2.0);
  const double log_gain = std::isfinite(largest_loss_) ? log_expm1(largest_loss_) : kInfinity;
  for (std::uint64_t j = log_terms_.size(); j <= order; ++j) {
    const double jj = static_cast<double>(j);
    double term = -kInfinity;
    if (j == 2) {
      const double eps = numerics::larger(0.0, mechanism_(2));  // rounding could make mechanism_(2) negative
      term = numerics::smaller(2 * log_two + log_expm1(eps), eps + numerics::smaller(log_two, 2 * log_gain));
    } else if (j > 2) {
      term = (jj - 1) * mechanism_(j) + numerics::smaller(log_two, jj * log_gain);
    }
    log_terms_.push_back(term);
    log_factorial_.push_back(std::lgamma(jj + 1));
  }
  const double log_rate = std::log(rate_);
  const auto log_of_term = [&](std::uint64_t j) {
    const double jj = static_cast<double>(j);
    return log_terms_[j] + jj * log_rate + log_factorial_[order] - log_factorial_[j] -
           log_factorial_[order - j];
  };
  double highest = -kInfinity;
  for (std::uint64_t j = 2; j <= order; ++j) highest = numerics::larger(highest, log_of_term(j));
  if (!std::isfinite(highest)) return highest;
  double sum = 0, largest_size = 0;
  for (std::uint64_t j = 2; j <= order; ++j) {
    const double exponent = log_of_term(j);
    sum += std::exp(exponent - highest);
    if (log_terms_[j] > -kInfinity) largest_size = numerics::larger(largest_size, std::fabs(log_terms_[j]));
  }
  // The following counts the roundings of an exponent. With g = |log_gain|, a value in log_terms_ is wrong by
  // at most two of itself and l (2 + 4 g) of 1, because log_gain is wrong by at most two of 1 and two of
  // itself. j log(rate) is wrong by at most three of itself, and by l more if the rate is a quotient. lgamma
  // is wrong by at most eight of itself, and the three factorials are together at most twice the largest. The
  // four additions, that of log(sum) and that of this margin add one each of the terms so far. Together that
  // is at most 12 of `size` and 3 l of 1. The l additions of the sum, its exponentials, its logarithm and the
  // subtractions of `highest` add at most l + 4 log l and a few, because the weighted average of the
  // differences from `highest` is at most log l.
  const double gain_size = log_gain < 0 && std::isfinite(log_gain) ? l * -log_gain : 0;
  const double size = largest_size + l * std::fabs(log_rate) + 3 * log_factorial_[order] + gain_size;
  return highest + std::log(sum) + kUnitRoundoff * (12 * size + 4 * l + 64);
}

double SubsampledRdp::upper(std::uint64_t order) const { return divergence(order, log_excess(order)); }

double SubsampledRdp::theorem(std::uint64_t order) const {
  return divergence(order, theorem_log_excess(order));
}

CheckInMixture::CheckInMixture(double clients, double rate,
                               const std::function<RenyiCurve(double records)>& mechanism,
                               double largest_loss) {
  for (const numerics::BinomialBlock& block :
       numerics::binomial_blocks(clients, rate, kBlockExponent, kBlockFineness)) {
    if (block.last == 0 || !(block.weight > 0)) continue;  // if nobody reports, the divergence is 0
    const double share = numerics::smaller(1.0, block.last / clients);
    blocks_.push_back({std::log(block.weight),
                       SubsampledRdp(share, mechanism(numerics::larger(1.0, block.first)), largest_loss)});
  }
}

double CheckInMixture::upper(std::uint64_t order) const {
  double log_excess = -kInfinity, worst = 0;
  for (const Block& block : blocks_) {
    worst = numerics::larger(worst, block.rdp.mechanism(order));
    const double one = block.rdp.log_excess(order);
    if (one == -kInfinity) continue;  // the divergence given this block is 0
    // The logarithm of the weight is wrong by at most two roundings of itself, and each of the two sums by
    // one of both terms.
    const double charge = numerics::kEightRoundings * (std::fabs(block.log_weight) + std::fabs(one));
    log_excess = rdp_detail::log_sum(log_excess, block.log_weight + one + charge);
  }
  // The divergence of a mixture over a public count is at most the largest divergence of a component.
  return numerics::smaller(worst, divergence(order, log_excess));
}

}  // namespace muster::accounting

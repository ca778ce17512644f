#include "muster/papers/renyi/subsampled_rdp.h"

#include <cmath>
#include <utility>

#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

namespace muster::accounting {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The order is limited to save time: CheckInMixture evaluates the theorem for about a hundred values of the
// count k.
constexpr std::uint64_t kHighestOrder = 2048;
constexpr double kBlockExponent = 700, kBlockFineness = 0.5;

double log_expm1(double x) { return x > 40 ? x : std::log(std::expm1(x)); }

// Returns log(1 + e^log_excess) / (order - 1), rounded up.
double divergence(std::uint64_t order, double log_excess) {
  const double moment = log_excess < 700 ? std::log1p(std::exp(log_excess)) : log_excess + 1e-300;
  return moment * (1 + 16 * kUnit) / (static_cast<double>(order) - 1);
}

}  // namespace

SubsampledRdp::SubsampledRdp(double rate, RenyiCurve mechanism, double largest_loss)
    : rate_(rate), mechanism_(std::move(mechanism)), largest_loss_(numerics::larger(0.0, largest_loss)) {}

double SubsampledRdp::log_excess(std::uint64_t order) const {
  const double l = static_cast<double>(order);
  const double whole = (l - 1) * mechanism_(order), plain = whole > 0 ? log_expm1(whole) : -kInfinity;
  const double unsampled = whole > 0 ? plain + 8 * kUnit * (1 + std::fabs(plain)) : -kInfinity;
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
  // Each exponent is a sum of terms whose magnitudes add up to at most `size`, each within a few roundings.
  // At most l additions follow.
  const double size = largest_size + l * std::fabs(log_rate) + 3 * log_factorial_[order];
  return highest + std::log(sum) + kUnit * (8 * size + 2 * l + 64);
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
    log_excess = rdp_detail::log_sum(log_excess, block.log_weight + one + 4 * kUnit * std::fabs(one));
  }
  // The divergence of a mixture over a public count is at most the largest divergence of a component.
  return numerics::smaller(worst, divergence(order, log_excess));
}

}  // namespace muster::accounting

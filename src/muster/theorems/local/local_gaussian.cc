// Composes Gaussian messages, each of which is sent if a public coin says so. In T rounds, k ~ Bin(T, rate)
// messages are sent, and together they are as revealing as one Gaussian pair at distance mu sqrt(k), whose
// delta increases with k. The average over k is therefore bounded by a sum over blocks of k, each evaluated
// at its largest k, including the binomial tails.
#include <cmath>
#include <limits>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting::local_detail {
namespace {

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kValues = 262144;
// The relative precision of an epsilon found by search.
constexpr double kPrecise = 1e-12;

// Holds the weights of blocks of participation counts, and mu at each block's largest count.
struct Mixture {
  std::vector<double> weight, mu;
  bool joined;  // whether blocks have several values of k

  Mixture(double mu1, double rate, double rounds, double exponent) {
    // About 3 sqrt(exponent) sd values of k matter. If this number is at most kValues, each of them is a
    // block of its own.
    const double sd = std::sqrt(rounds * rate * (1 - rate));
    joined = 3 * std::sqrt(exponent) * sd > kValues;
    const double fineness = joined ? 1e-3 : 0;
    for (const numerics::BinomialBlock& block : numerics::binomial_blocks(rounds, rate, exponent, fineness)) {
      if (block.last == 0) continue;  // the victim never took part, so there is no loss
      weight.push_back(block.weight);
      mu.push_back(mu1 * std::sqrt(block.last));
    }
  }

  double delta(double epsilon) const {
    // The sum is in extended precision, because up to 5e5 terms added in doubles would take as many
    // roundings.
    long double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      // mu[i] takes three roundings: that of 2 / sigma, the root and the product.
      sum += static_cast<long double>(weight[i]) * gaussian_divergence(mu[i], epsilon, {.mu = 3}).upper;
    }
    return numerics::as_upper_bound(static_cast<double>(sum) * (1 + numerics::kEightThousandRoundings) +
                                    kTiny);
  }
};

// Returns the exponent for a Mixture whose delta is about `delta`: the binomial tails then add e^-20 of it.
double exponent_for(double delta) { return 20 - std::log(delta); }

}  // namespace

double gaussian_delta_upper(double mu, double rate, std::uint64_t rounds, double epsilon) {
  const Mixture widest(mu, rate, static_cast<double>(rounds), 700);
  const double first = widest.delta(epsilon);
  if (!widest.joined || !(first > 0)) return first;
  // Once delta is roughly known, fewer values of k matter, and their blocks may be smaller.
  const Mixture closer(mu, rate, static_cast<double>(rounds), exponent_for(first));
  return closer.joined ? first : numerics::smaller(first, closer.delta(epsilon));
}

double gaussian_epsilon_upper(double mu, double rate, std::uint64_t rounds, double delta) {
  const Mixture mixture(mu, rate, static_cast<double>(rounds), exponent_for(delta));
  if (mixture.delta(0) <= delta) return 0;
  double low = 0, high = numerics::larger(1e-9, mu * std::sqrt(static_cast<double>(rounds)));
  while (!(mixture.delta(high) <= delta)) {
    low = high, high *= 2;
    if (std::isinf(high)) return high;
  }
  while (high - low > kPrecise * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (mixture.delta(middle) <= delta ? high : low) = middle;
  }
  return high;  // delta(high) <= delta, so `high` is an upper bound
}

}  // namespace muster::accounting::local_detail

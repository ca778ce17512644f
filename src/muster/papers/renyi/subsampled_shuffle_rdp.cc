#include "muster/papers/renyi/subsampled_shuffle_rdp.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kEightRoundings;

using numerics::kUnitRoundoff;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The series of log_series() ends at a term that is at most this share of the sum so far, and that stands for
// all later terms.
constexpr double kNegligible = 1e-18;

double log_choose2(double l) { return std::log(l) + std::log(l - 1) - std::log(2.0); }

// Returns (1+x)^l - 1 - l x >= 0 for x > -1, rounded down; infinity where it would overflow.
double power_excess_lower(double l, double x) {
  if (std::fabs(l * x) < 1e-4) {
    // Taylor's series is used to third order. The fourth-order term is non-negative and outweighs the rest.
    const double second = l * (l - 1) / 2 * x * x;
    return numerics::larger(0.0, second * (1 + (l - 2) / 3 * x) * (1 - numerics::kEightThousandRoundings));
  }
  const double power = l * std::log1p(x);
  if (power > 700) return kInfinity;
  // `power` is wrong by at most three roundings of itself, which change e^power by at most 3 |power| of
  // itself. expm1 adds two of its result, whose size is at most e^power for x > 0, and at most |l x| for
  // x < 0 (Bernoulli's inequality). The product adds one of |l x|, and each of the two differences one of
  // e^power + |l x|.
  const double value = std::expm1(power) - l * x;
  return numerics::larger(
      0.0, value - 16 * kUnitRoundoff * (std::exp(power) * (1 + std::fabs(power)) + std::fabs(l * x)));
}

}  // namespace

namespace rdp_detail {

double log_second_term(std::uint64_t order, double rate, double epsilon0, double kbar) {
  const double l = static_cast<double>(order);
  const double log_rate = std::log(rate), log_kbar = std::log(kbar);
  const double log_gap = std::log(std::expm1(epsilon0));
  // Each logarithm is wrong by at most two roundings of itself, and by two of 1 because of its argument. Each
  // of the eight additions is wrong by one of a partial sum. With the factors of two, that is at most 24
  // roundings of `size`.
  const double size = 1 + std::fabs(log_rate) + std::log(l) + log_kbar + epsilon0 + std::fabs(log_gap);
  return std::log(4.0) + log_choose2(l) + 2 * log_rate + 2 * log_gap - epsilon0 - log_kbar +
         numerics::kEightHundredRoundings * size;
}

double log_series(std::uint64_t order, double x) {
  if (order < 3) return -kInfinity;
  const double l = static_cast<double>(order);
  const double half_root_pi = 0.886226925452758;  // Gamma(3/2) = sqrt(pi) / 2
  const double first = std::log(l) + std::log(l - 1) + std::log(l - 2) - std::log(2.0) +
                       std::log(half_root_pi) + 3 * std::log(x);
  // Terms are relative to the first one. The ratio of neighbouring terms is term_{j+1} / term_j =
  // x (l-j) / j * R_j with R_j = Gamma((j+1)/2) / Gamma(j/2) and R_{j+1} = (j/2) / R_j. It decreases in j,
  // because R_j^2 >= j/2 - 1/4. So once it is below a half, the later terms sum to less than the last one
  // added.
  double term = 1, sum = 1, shifts = 0, gamma_ratio = 1 / half_root_pi;
  for (double j = 3; j < l; ++j) {
    const double ratio = x * (l - j) / j * gamma_ratio;
    term *= ratio;
    sum += term;
    gamma_ratio = j / 2 / gamma_ratio;
    if (sum > 0x1p512) sum *= 0x1p-512, term *= 0x1p-512, shifts += 512;
    if (ratio < 0.5 && term < kNegligible * sum) {
      sum += term;
      break;
    }
  }
  // The shifts are counted, and their number is multiplied by the logarithm once. If equal logarithms were
  // added one by one, all rounding errors would have the same sign.
  //
  // In each step, the term gains at most four roundings and the sum one. R_j R_{j+1} is wrong by at most one
  // rounding whatever R_j is, so the product of all R_j is wrong by one for every two steps, and by two more.
  // That is 5.5 l in all. log(sum) is wrong by at most two roundings of itself and the shift by three; the
  // two add up to value - first. `first` is wrong by at most eight roundings of 3 log l + 3 |log x|, where
  // 3 |log x| is at most |first| + 3 log l + 1. The three sums add three of |value| and two of |first|.
  // Together these are at most six of |value|, 13 of |first|, and 5.5 l + 48 log l + 24 of 1, which is below
  // 16 l + 64 for l >= 3.
  const double value = first + std::log(sum) + shifts * std::log(2.0);
  return value + kUnitRoundoff * (16 * l + 64 + 8 * std::fabs(value) + 16 * std::fabs(first));
}

double log_power_excess(std::uint64_t order, double z) {
  const double l = static_cast<double>(order);
  if (!(z > 0)) return -kInfinity;
  const double power = l * std::log1p(z);
  // Taylor's remainder C(l,2) z^2 (1+z)^(l-2) is an upper bound, and within a factor 1.11 where l z < 0.1.
  const double remainder = log_choose2(l) + 2 * std::log(z) + (l - 2) * std::log1p(z);
  double value = remainder;
  if (l * z >= 0.1 && power < 700) value = numerics::smaller(value, std::log(std::expm1(power) - l * z));
  if (power >= 700) value = numerics::smaller(value, power);
  // The remainder is wrong by fewer than 20 roundings of the absolute values of its three terms, which add up
  // to at most |value| + 4 |log z| + 4 log l. In expm1(power) - l z, the three roundings of `power` change
  // e^power by at most 2,100 roundings, because `power` is below 700. Where l z = 0.1, the difference is at
  // least a 42nd of expm1(power), so all its roundings are at most 300 of itself.
  return value +
         numerics::kEightThousandRoundings * (1 + std::fabs(value) + std::fabs(std::log(z)) + std::log(l));
}

double log_sum(double log_a, double log_b) {
  const double high = numerics::larger(log_a, log_b), low = numerics::smaller(log_a, log_b);
  if (high == -kInfinity || low == -kInfinity) return high;
  // With d = high - low, e^-d is wrong by at most d + 2 roundings of itself, which change the logarithm by at
  // most 1.3 roundings of 1. log1p adds two of its own value, at most 1.4 of 1, and each of the two sums adds
  // one of |high| + log 2. Together these are at most 4.1 roundings of 1 and two of |high|.
  return high + std::log1p(std::exp(low - high)) + 8 * kUnitRoundoff * (1 + std::fabs(high));
}

double divergence_from_log_excess(std::uint64_t order, double log_excess) {
  // Beyond 700, log(1 + e^x) exceeds x by less than e^-700, which the factor covers, too. exp and log1p are
  // together wrong by at most four roundings, and the product and the quotient by one each.
  const double moment = log_excess < 700 ? std::log1p(std::exp(log_excess)) : log_excess;
  return moment * (1 + numerics::kEightyRoundings * (1 + std::fabs(log_excess))) /
         (static_cast<double>(order) - 1);
}

double log_excess(std::uint64_t order, double rate, double epsilon0, double kbar, double exponent) {
  // sinh is wrong by at most four roundings. `rate`, which may be a quotient, is wrong by one, and its
  // product with c adds another. In the series, the quotient adds half a rounding through the root, and the
  // root and the product add one each. `exponent` is wrong by at most four, and the subtraction adds one of
  // the larger term.
  const double c = 2 * std::sinh(epsilon0) * (1 + kEightRoundings);
  const double series = log_series(order, rate * c * std::sqrt(2 / kbar) * (1 + kEightRoundings));
  const double tail =
      log_power_excess(order, rate * c * (1 + kEightRoundings)) - exponent * (1 - kEightRoundings);
  return log_sum(log_sum(log_second_term(order, rate, epsilon0, kbar), series), tail);
}

}  // namespace rdp_detail

double subsampled_shuffle_rdp_upper(double epsilon0, double clients, double subset, std::uint64_t order) {
  const double grown = std::exp(epsilon0);
  // The quotient is wrong by at most four roundings: one comes from subset - 1, two from `grown`, and one is
  // its own.
  const double kbar = std::floor((subset - 1) / (2 * grown) * (1 - kEightRoundings)) + 1;
  return rdp_detail::divergence_from_log_excess(
      order, rdp_detail::log_excess(order, subset / clients, epsilon0, kbar, (subset - 1) / (8 * grown)));
}

double subsampled_shuffle_rdp_lower(double epsilon0, double clients, double subset, std::uint64_t order) {
  // Let 1 + X be the base of the power in Theorem 2. As E X = 0, E[(1+X)^l] - 1 = E[(1+X)^l - 1 - l X], whose
  // terms are all >= 0. So leaving some out only lowers the sum. The binomial probabilities are computed
  // relative to the probability of the mode. The sum is divided by their total, and the quotient is rounded
  // down.
  const double l = static_cast<double>(order), rate = subset / clients;
  const double p = 1 / (1 + std::exp(epsilon0)), c = 2 * std::sinh(epsilon0), odds = std::exp(-epsilon0);
  const double mode = numerics::smaller(std::floor((subset + 1) * p), subset);
  // The distance of m/k from p is wrong by at most two roundings of m/k, five of p and one of itself. X is
  // wrong by seven more: one from the rate, four from c and two from the products. Moving X towards 0 lowers
  // a term.
  const auto base = [&](double m) {
    const double gap = m / subset - p;
    const double least = numerics::larger(0.0, std::fabs(gap) - kEightRoundings * (m / subset + p));
    return std::copysign(rate * c * least * (1 - kEightRoundings), gap);
  };
  double mass_sum = 0, sum = 0, steps = 0;
  const auto walk = [&](double step) {
    double mass = 1;
    for (double m = mode; m >= 0 && m <= subset && mass > 1e-300; m += step) {
      if (step > 0 || m != mode) {
        mass_sum += mass;
        sum += mass * power_excess_lower(l, base(m));
      }
      mass *= step > 0 ? (subset - m) / (m + 1) * odds : m / (subset - m + 1) / odds;
      ++steps;
    }
  };
  walk(1);
  walk(-1);
  // Per step, a mass gains at most five roundings, two of which are those of the odds, and each sum one. The
  // products and the quotient add one each. Together, both sums are wrong by at most 12 roundings per step
  // and four more.
  const double mean = sum / mass_sum * (1 - 16 * kUnitRoundoff * (steps + 64));
  if (!std::isfinite(mean)) return 0;  // the mean leaves the range of doubles; 0 is the trivial lower bound
  return std::log1p(mean) / (l - 1) * (1 - numerics::kEightyRoundings);
}

}  // namespace muster::accounting

#include "muster/gate/floor_arithmetic.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// Margins for the errors of the binomial law: a relative one, and an absolute one for a difference of two
// distribution functions. The relative one is far above Boost's errors, which floor_test.cc checks in 256-bit
// ball arithmetic for up to 400 trials.
constexpr double kRelativeMargin = 1e-5, kDifference = 1e-9;
// Added to a tail of the binomial law, which may be too small for a double while E times this tail is not.
constexpr double kUnderflow = 1e-300;
// The exponential of any number below this is finite as a double.
constexpr double kMaxLog = 700;

using boost::math::policies::ignore_error;
using Policy = boost::math::policies::policy<
    boost::math::policies::domain_error<ignore_error>, boost::math::policies::overflow_error<ignore_error>,
    boost::math::policies::underflow_error<ignore_error>,
    boost::math::policies::evaluation_error<ignore_error>, boost::math::policies::pole_error<ignore_error>,
    boost::math::policies::denorm_error<ignore_error>>;
using Binomial = boost::math::binomial_distribution<double, Policy>;

// x as a lower bound: 0 where the computation failed or x is negative.
double claimed(double x) { return x > 0 && x < std::numeric_limits<double>::infinity() ? x : 0; }

double at_threshold(double count, double gap, double b, double epsilon, double t) {
  if (!(t >= 1 && t <= count)) return 0;
  const double one_fewer = count > 1 ? boost::math::pdf(Binomial(count - 1, b), t - 1) : 1;
  const double tail = boost::math::cdf(boost::math::complement(Binomial(count, b), t - 1));
  if (!(tail >= 0)) return 0;
  return claimed(gap * claimed(one_fewer) * (1 - kRelativeMargin) -
                 std::expm1(epsilon) * (tail * (1 + kRelativeMargin) + kUnderflow));
}

}  // namespace

double binary_test(double count, double gap, double log_b, double epsilon) {
  if (!(gap > 0)) return 0;
  // The value of the test with t = 1 follows from the bounds (1 - b)^{N-1} >= 1 - (N-1) b and
  // 1 - (1-b)^N <= N b, which can be computed for large E and tiny b, too.
  const double log_ones = std::log(count) + log_b;
  double best = 0;
  if (log_ones + epsilon < kMaxLog) {
    best = claimed(gap * (1 - std::exp(log_ones)) * (1 - kRelativeMargin) -
                   std::exp(log_ones + epsilon) * (1 + kRelativeMargin));
  }
  const double b = std::exp(log_b) * (1 + numerics::kEightThousandRoundings);
  if (!(b > 1e-280 && b < 1) || !(epsilon < kMaxLog)) return best;
  // With a = b + gap, the likelihood ratio of t ones (floor.h) is
  // P(ones = t) / P'(ones = t) = (1 - a)/(1 - b) (1 - t/N) + (a/b) t/N. It increases with t, and the best
  // threshold is the first t at which it is above E.
  const double less = gap / (1 - b), more = gap / b;
  const double t = std::ceil(count * (std::expm1(epsilon) + less) / (more + less));
  for (const double near : {t - 1, t, t + 1}) {
    const double value = at_threshold(count, gap, b, epsilon, near);
    if (value > best) best = value;
  }
  return best;
}

double binomial_window(double n, double p, double first, double last) {
  if (p >= 1) return last >= n ? 1 : 0;
  const Binomial law(n, p);
  if (first == last) return claimed(boost::math::pdf(law, first) * (1 - kRelativeMargin));
  const double to_last = last >= n ? 1 : boost::math::cdf(law, last);
  return claimed(to_last - (first > 0 ? boost::math::cdf(law, first - 1) : 0) - kDifference);
}

double fair_race(double tails, double heads) {
  return claimed(boost::math::ibeta(tails, heads, 0.5, Policy()));
}

double log_upper_normal(double x) {
  if (x < 30) return std::log(0.5 * std::erfc(x / std::sqrt(2.0)) * (1 + numerics::kEightThousandRoundings));
  // The logarithm of phi(x) / x, which is an upper bound of 1 - Phi(x).
  return -x * x / 2 * (1 - numerics::kEightRoundings) - std::log(x * 2.506628274631);
}

double upper_normal_from_below(double x) {
  return 0.5 * std::erfc(x / std::sqrt(2.0)) * (1 - numerics::kEightThousandRoundings);
}

// For mu < 1e-3, the probability is bounded by mu times the smallest density between x - mu and x, so that no
// nearly equal tails are subtracted. For a larger mu, the tails beyond x - mu and x are subtracted, each
// rounded so that the result stays a lower bound. If they are nearly equal, that bound may be loose or 0.
double normal_gap(double x, double mu) {
  constexpr double kInward = 1 - numerics::kEightMillionRoundings;
  if (mu < 1e-3) {
    const double edge = larger_known(std::fabs(x), std::fabs(x - mu));
    return mu * std::exp(-edge * edge / 2) / 2.5066282746310007 * kInward;
  }
  return larger_known(0, upper_normal_from_below(x - mu) - std::exp(log_upper_normal(x)) / kInward);
}

}  // namespace muster::accounting

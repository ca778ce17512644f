#include "muster/theorems/everyone/class_c_pool.h"

#include <cmath>
#include <limits>

#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/weight_error.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::accounting {
namespace {

using numerics::round_up;

constexpr double kSmallPopulation = 300;  // up to this m, the mean of 1/(m - Y) is a sum over all Y
// The share of delta that may be charged for H outside the window. A smaller share needs a wider window.
constexpr double kOutside = 1e-4;
constexpr double kNegligible = 1e-80;  // where Chernoff's bound is at most this, no integral is computed

// A probability and 1 minus it, both with a small relative error.
struct Chance {
  double p, not_p;
};

// Returns the logarithm of Chernoff's bound exp(-m KL(x/m || p)) on the probability that Bin(m, p) is at x or
// farther from its mean on the same side. For a whole x, the result is rounded up by more than the rounding
// errors of its exponential and of a sum of two such exponentials.
//
// With a = x/m, the divergence D is the sum of a log(a/p) and (1 - a) log((1 - a)/(1 - p)), which nearly
// cancel. p takes four roundings and not_p six (class_c_pool()), and the two quotients two more. They move
// the logarithms by six and eight roundings, and so D by at most eight. The other roundings, of the
// logarithms, the products and the sum, are at most 5 D + 8 |a - p|, because the negative term has a modulus
// of at most |a - p|. As D >= 2 (a - p)^2, a ninth rounding and the share kEightMillionRoundings of D cover
// them.
double log_tail(double m, const Chance& chance, double x) {
  const auto term = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; };
  const double divergence =
      term(x / m, chance.p) + (chance.not_p > 0 ? term((m - x) / m, chance.not_p) : 0.0);
  return -m * divergence * (1 - numerics::kEightMillionRoundings) + numerics::kEightMillionRoundings +
         m * numerics::kEightRoundings;
}

// Returns the integer nearest to the mean at which log_tail() is at most -exponent, or the end of the range
// 0..m if there is no such integer. The search is above the mean if `direction` is 1 and below it if
// `direction` is -1.
double window_end(double m, const Chance& chance, double exponent, double direction) {
  const double mean = m * chance.p;
  const double limit = direction > 0 ? m : 0.0;
  double low = 0;
  double high = std::abs(limit - mean);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (log_tail(m, chance, mean + direction * middle) > -exponent ? low : high) = middle;
  }
  return direction > 0 ? std::ceil(mean + high) : std::floor(mean - high);
}

// Returns an upper bound of P(H <= first or H >= last) for H ~ Bin(m, p), where 0 <= first < last <= m - 1.
// For first = 0 and for last = m - 1 the tail's probability is computed directly; otherwise Chernoff's
// bound is used.
double outside_window(double m, const Chance& chance, double first, double last) {
  const double log_p = log_probability(chance.p, chance.not_p);
  const double below = first > 0 ? std::exp(log_tail(m, chance, first))
                                 : std::exp(m * log_probability(chance.not_p, chance.p));
  const double above = last < m - 1 ? std::exp(log_tail(m, chance, last))
                                    : m * std::exp((m - 1) * log_p) * chance.not_p + std::exp(m * log_p);
  return below + above;
}

// Returns a bound on the relative error that the rounding of two exponents causes in class_c_pool(): theta H
// in the bound of h, and m log z in the tilt. Here z = 1 + P (e^theta - 1), and P is the probability that a
// client reports a message in its own half-set. Both exponents can be as large as theta m, and they nearly
// cancel. Together they take at most 14 roundings, each relative to theta m. The weights of each of the m
// terms are also divided by z. The product P (e^theta - 1) takes five more roundings, which over all m terms
// are again relative to theta m. Where a client is rarely silent, theta m can be 1e4 and more.
double error_of_tilt(double theta, double m) { return 3 * numerics::kEightRoundings * std::abs(theta) * m; }

}  // namespace

numerics::Enclosure displaceable_share(double m, double h, double r) {
  const double s = 1 - r;
  if (m <= kSmallPopulation) {
    double probability = 1;
    double total = 0;
    // Where Y is likely to be large, the sum runs over h - Y instead, so that its first term does not
    // underflow to 0.
    const bool flip = s > 0.5;
    const double chance = flip ? r : s;
    probability = std::exp(h * std::log1p(-chance));
    for (int y = 0; y <= static_cast<int>(h); ++y) {
      total += probability / (flip ? m - h + y : m - y);
      probability *= (h - y) / (y + 1) * chance / (1 - chance);
    }
    return {total * (1 - numerics::kEightThousandRoundings), total * (1 + numerics::kEightThousandRoundings)};
  }
  // This expands 1/X around the mean mu of X = m - Y. The remainder after the third order is
  // (X - mu)^4 / (mu^4 X), which is not negative; X >= m - h bounds it from above.
  const double mu = (m - h) + h * r;  // this is m - h s, a difference that would cancel where r is small
  const double variance = h * s * r;
  const double third = -variance * (1 - 2 * s);
  const double fourth = variance * numerics::larger(0.0, 1 + 3 * (h - 2) * s * r);
  const double value = (1 + (variance - third / mu) / (mu * mu)) / mu;
  return {value * (1 - 2 * numerics::kEightRoundings),
          (value + fourth / (mu * mu * mu * mu * numerics::larger(1.0, m - h))) *
              (1 + 2 * numerics::kEightRoundings)};
}

ClassCPoolCurve::ClassCPoolCurve(double epsilon0, double n, double rate)
    : epsilon0_(epsilon0), n_(n), rate_(rate), profile_(Profile::pure(epsilon0)) {}

numerics::UpperAndEstimate ClassCPoolCurve::generic(double epsilon) const {
  const numerics::AtomicLaw law = reporting_law(profile_, rate_, epsilon);
  const double threshold = n_ * -std::expm1(-epsilon) * (1 - numerics::kThreeRoundings),
               scale = std::exp(epsilon) / n_;
  const double estimate = numerics::expected_excess_chernoff(law, n_, threshold) * scale;
  numerics::Enclosure excess{0, estimate};
  if (!(estimate <= kNegligible)) {
    excess = numerics::expected_excess(law, n_, threshold);
    excess = {excess.lower * scale, excess.upper * scale};
  }
  // At rate 1 the generic bound is the privacy blanket. Below rate 1 it is that of the swap theorem, which
  // adds the local delta times the probability that everybody reports.
  const double all_report = rate_ < 1 ? std::exp(n_ * std::log(rate_)) * profile_.at(epsilon) *
                                            (1 + numerics::kEightThousandRoundings)
                                      : 0;
  const double weights = numerics::weight_error(n_ * rate_);
  return {.upper = excess.upper * weights + all_report, .estimate = excess.lower / weights};
}

numerics::UpperAndEstimate class_c_pool(double epsilon0, double n, double rate, double epsilon,
                                        double guess) {
  const numerics::UpperAndEstimate nothing{.upper = std::numeric_limits<double>::infinity(), .estimate = 0};
  const double m = n - 1;
  const double e = std::exp(epsilon);
  const double p = 1 / (std::exp(-epsilon0) + 1);
  const double q = 1 / (std::exp(epsilon0) + 1);
  const double r = std::exp(-epsilon0);
  // This is p - E q. Here and below, formulas are arranged so that no difference cancels at a small
  // epsilon0 or at an epsilon near epsilon0.
  const double local = numerics::larger(0.0, q * e * std::expm1(epsilon0 - epsilon));
  // The probability that a client reports a message in its own half-set.
  const Chance inside{rate * p, (1 - rate) + rate * q};
  // These are the ends of the window of H. Outside the window, the victim's full local delta is charged.
  const double exponent = std::log(2 * rate * local / (kOutside * numerics::larger(guess, kNegligible)));
  const double first = numerics::larger(0.0, window_end(m, inside, numerics::larger(exponent, 1.0), -1));
  const double last = numerics::smaller(m - 1, window_end(m, inside, numerics::larger(exponent, 1.0), 1));
  if (!(last > first)) return nothing;
  const double outside = outside_window(m, inside, first, last);
  // These are the values of h at the ends of the window, and bounds on h(H-1)/h(H) in the window.
  const numerics::Enclosure at_first = displaceable_share(m, first, r);
  const numerics::Enclosure at_last = displaceable_share(m, last, r);
  const numerics::Enclosure before_last = displaceable_share(m, last - 1, r);
  const double ratio_low = before_last.lower / at_last.upper;
  const double ratio_high =
      first > 0 ? numerics::smaller(1.0, displaceable_share(m, first - 1, r).upper / at_first.lower) : 1.0;
  const double theta = std::log(at_last.upper / at_first.upper) / (last - first);
  const double log_c =
      numerics::larger(std::log(at_first.upper) - theta * first, std::log(at_last.upper) - theta * last);
  const double growth = std::expm1(theta);
  const double z = 1 + inside.p * growth;
  const double log_factor = log_c + m * std::log1p(inside.p * growth);
  // The atoms of the tilted law, rounded up. E - 1 is added to every value, so that silence has the value
  // 0. Before this shift, a message in the client's own half-set has the value (1/e^epsilon0 - E) w or
  // (1 - E/e^epsilon0) w, with w between ratio_low and ratio_high. `lost` is at least 1 - w.
  const double lost = 1 - ratio_low + numerics::kThreeRoundings;
  numerics::AtomicLaw alternative, record;
  // These weights take at most eight roundings, which weight_error() covers: four for q or three for p, and
  // one for each product, sum and quotient. error_of_tilt() covers the roundings of inside.p * growth.
  const double rare = rate * q / z;
  const double common = rate * p * (1 + growth) / z;
  alternative.add(round_up(std::expm1(epsilon0)), rare);
  alternative.add(
      round_up(round_up(std::expm1(-epsilon0)) + round_up(lost * e * -std::expm1(-epsilon0 - epsilon))),
      common);
  record.add(round_up(-e * std::expm1(epsilon0)), rare);
  record.add(round_up(round_up(-std::expm1(epsilon - epsilon0) * ratio_high) + round_up(std::expm1(epsilon))),
             common);
  const double threshold = m * std::expm1(epsilon) * (1 - numerics::kEightRoundings);
  const numerics::WorstMixture worst =
      numerics::worst_mixture_excess(alternative, record, m, threshold, numerics::Mixing::product);
  const double kappa = (1 - rate) + 2 * rate * q;  // this is 1 - rate (p - q), a difference that would cancel
  const double log_not_kappa = log_probability(rate * q * std::expm1(epsilon0), kappa);
  const double scale = kappa * std::exp(log_factor);
  const double weights =
      numerics::weight_error(m * rate) * (1 + numerics::kEightHundredRoundings + error_of_tilt(theta, m));
  const double charged = rate * local * (outside + std::exp(m * log_not_kappa));
  return {.upper = worst.value.upper * scale * weights + charged * (1 + numerics::kEightThousandRoundings),
          .estimate = worst.value.estimate * scale / weights};
}

numerics::UpperAndEstimate ClassCPoolCurve::delta(double epsilon) const {
  const double cap =
      numerics::as_upper_bound(rate_ * profile_.at(epsilon) * (1 + 4 * numerics::kEightRoundings));
  if (epsilon >= epsilon0_ || n_ < 2) {
    return {.upper = cap, .estimate = 0};
  }
  numerics::UpperAndEstimate best{.upper = cap, .estimate = 0};
  // The first guess of the value is a tenth of Chernoff's bound for the sum without window or tilt, with
  // all others of one type.
  const double e = std::exp(epsilon);
  const double threshold = n_ * std::expm1(epsilon);
  double guess = kNegligible;
  for (const double side : {1.0, -e}) {
    numerics::AtomicLaw law;
    law.add(side * std::expm1(epsilon0_), rate_ / (std::exp(epsilon0_) + 1));
    law.add(side * std::expm1(-epsilon0_), rate_ / (std::exp(-epsilon0_) + 1));
    guess = numerics::larger(guess, numerics::expected_excess_chernoff(law, n_, threshold) / n_ / 10);
  }
  const numerics::UpperAndEstimate pool = class_c_pool(epsilon0_, n_, rate_, epsilon, guess);
  if (pool.upper < best.upper) {
    best = pool;
  }
  // The generic bound can be smaller only where the pool's bound is far from the truth, which happens with
  // few clients or shows in a value far above the guess.
  if (n_ < 3000 || !(pool.upper < 30 * guess)) {
    const numerics::UpperAndEstimate any = generic(epsilon);
    if (any.upper < best.upper) {
      best = any;
    }
  }
  return {.upper = best.upper, .estimate = numerics::within(best.estimate, 0.0, best.upper)};
}

}  // namespace muster::accounting

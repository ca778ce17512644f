#include "muster/papers/conversions/rdp_to_dp.h"

#include <cmath>
#include <limits>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::kEightRoundings;
using numerics::kThreeRoundings;

using numerics::kUnitRoundoff;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A moment with a larger logarithm is represented by its logarithm only.
constexpr double kLargestLog = 600;
// The search around the best order makes at most this many moves of one width. As widths are halved, two
// moves are enough where the bound first falls and then rises with the order.
constexpr int kMoves = 4;
// The relative precision to which the minimum of F is located, and that of an epsilon or a delta found by
// search.
constexpr double kLocated = 4e-16, kFound = 1e-14;
constexpr double kStill = 1e-6;  // the upward steps end if a step gains less than this, relatively

// Describes the sum F(y) = r u^(l-1) + (1-r) v^(l-1) that Theorem 3 minimizes at order l, with r = delta + y,
// u = r/y = 1 + t and v = (1-r) / (e^eps - y) = 1 - w. The product e^{(l-1) eps} F(y) is E_Q[(P/Q)^l] of
// the pair on two outcomes with P(A) = r and Q(A) = e^-eps y. F is convex, and F' = phi(u) - phi(v) with
// phi(x) = x^(l-1) (l - (l-1) x). Beyond y = 1 - delta, F is continued by r u^(l-1), and stays convex.
//
// Margins below count roundings (docs/theory/arithmetic.md). y, order and l - 1 are exact, and G stands for
// e^eps / (e^eps - y).
struct MomentSum {
  double order, delta, grown, shifted;  // grown = e^eps, shifted = e^eps - 1 + delta

  double t(double y) const { return delta / y; }
  double w(double y) const { return numerics::smaller(1.0, shifted / (grown - y)); }
  // Returns log v and a bound on its error. They are -infinity and 1e300 if v may be arbitrarily close to 0.
  std::pair<double, double> log_v(double y) const {
    const double left = w(y), rest = 1 - delta - y, growth = grown / (grown - y);
    // w is wrong by at most 5 + 2 G roundings: three from its numerator, one from the quotient, and 2 G + 1
    // from its denominator, where e^eps is wrong by two roundings of itself and the subtraction adds one. For
    // w < 1/2, log1p(-w) magnifies this by at most 2, and adds two roundings of its own result, which is at
    // most 1.4 w. In all that is 12.8 + 4 G roundings of w. The charge also covers the squares of errors,
    // because with G < 2^47 the relative error of w is at most about 1/32.
    if (left < 0.5 && growth < 0x1p47) return {std::log1p(-left), kUnitRoundoff * left * (13 + 8 * growth)};
    // The numerator 1 - delta - y is wrong by at most 1 / rest + 1 roundings, the denominator by at most
    // 2 G + 1, where G <= 1 + 1 / rest, and the quotient adds one. That is 5 + 3 / rest, and the logarithm
    // adds two roundings of itself. The charge also covers the squares of errors, because rest is at least
    // eight roundings of 1.
    if (left < 0.5 || rest < 8 * kUnitRoundoff) return {-kInfinity, 1e300};
    const double value = std::log(rest / (grown - y));
    return {value, kUnitRoundoff * (8 + 4 / rest + 2 * std::fabs(value))};
  }

  // Encloses log phi(u) - log phi(v) in difference +- margin. If rounding may hide the sign, the margin is
  // +infinity. If phi(v) may be arbitrarily close to 0, log_right is -infinity, and log_left is an upper
  // bound of log phi(u).
  struct Slope {
    double difference, margin, log_right, log_left;
    bool rises() const { return difference > margin; }
    bool falls() const { return difference < -margin; }
  };
  Slope slope(double y) const {
    const double m = order - 1, a = m * t(y), room = 1 - a, power = m * std::log1p(t(y));
    // `a` is wrong by at most two roundings, so a > 1 is certain if `room` is below -16 roundings, and a < 1
    // if it is above 16. In between, phi(u) is at most (1+t)^(l-1) times 18 roundings. The factor of 32
    // roundings also covers the error of its logarithm.
    if (room < -16 * kUnitRoundoff) return {-kInfinity, 0, 0, -kInfinity};
    if (room < 0) return {0, kInfinity, 0, 0};
    if (room < 16 * kUnitRoundoff) return {0, kInfinity, -kInfinity, power + std::log(32 * kUnitRoundoff)};
    const auto [lv, lv_error] = log_v(y);
    // log phi(u) is wrong by at most six roundings of `of_left`, and log phi(v) by six of m |log v|, besides
    // what the errors of log v and of log1p(m w) cost. For log phi(u), these are four of m log1p(t) <= a, two
    // of `a` and two of log1p in log(1-a), each of which costs at most a / room, one of the sum and one of
    // the later difference. For log phi(v), the product, the sum and the difference cost one each of
    // m |log v|. The sum and the difference also cost one each of log1p(m w), which is at most 1.5 m |log v|.
    // The margins charge 16 roundings; the other ten cover the squares of errors, and the sum of difference
    // and margin.
    const double left = power + std::log1p(-a), of_left = a + a / room;
    if (!std::isfinite(lv)) return {0, kInfinity, -kInfinity, left + 16 * kUnitRoundoff * of_left};
    const double right = m * lv + std::log1p(m * w(y));
    // The last term is doubled to cover also the error of log1p(m w). That error is at most 6 + 2 G roundings
    // of m w / (1 + m w) and two of log1p(m w), and so at most m times what is charged for log v.
    const double margin = 16 * kUnitRoundoff * (of_left + std::fabs(m * lv)) + 2 * m * lv_error;
    return {left - right, margin, right, left};
  }

  // Returns an upper bound of F'(y) = phi(v) (phi(u) / phi(v) - 1), or of phi(u) where phi(v) may be 0. The
  // caller must add five roundings: two for each exponential, and one for the product.
  static double steepest(const Slope& at) {
    if (!std::isfinite(at.log_left)) return 0;
    if (!std::isfinite(at.log_right)) return std::exp(at.log_left);
    return std::exp(at.log_right) * std::expm1(at.difference + at.margin);
  }

  // Returns a lower bound of log F on [low, high], from the tangent at high. The minimum of F must lie in
  // this interval.
  double log_minimum(double low, double high) const {
    const double steep = steepest(slope(high));
    if (!std::isfinite(steep)) return -kInfinity;
    // The factor covers five roundings of steepest(), two of this line, and two of the subtractions of
    // `loss`.
    const double loss = numerics::larger(0.0, steep) * (high - low) * (1 + numerics::kEightyRoundings);
    // r is wrong by at most a rounding of itself, and each of the two differences by one of 1 - r, or by half
    // a rounding of 1 where 1 - r is near 1. Together that is at most two roundings of 1.
    const double m = order - 1, r = delta + high;
    const double rest = numerics::larger(0.0, 1 - r - 2 * kUnitRoundoff),
                 rest_up = numerics::larger(0.0, 1 - r + 2 * kUnitRoundoff);
    const auto [lv, lv_error] = log_v(high);
    // `up` is wrong by at most four roundings of itself. `down`, which may be -infinity, is wrong by at most
    // one of itself, besides m lv_error.
    const double up = m * std::log1p(t(high)), down = m * lv;
    if (!(up < kLargestLog)) {  // F >= r u^(l-1), and that power would overflow a double
      // log r is wrong by at most one rounding of 1, which comes from r, and two of itself. The sum and the
      // subtraction of `charge` add one each.
      const double charge = kUnitRoundoff * (16 + 4 * std::fabs(std::log(r)) + 8 * up);
      return loss > 0 ? -kInfinity : std::log(r) + up - charge;
    }
    // `down` costs one rounding. The other three that are charged for it, and the excess of lv_error over the
    // error of log v, cover the roundings of power_error itself.
    const double power = std::exp(down);
    const double power_error = power > 0 ? power * (m * lv_error - 4 * kUnitRoundoff * down) : 0;
    return numerics::larger(from_sum(r, rest, up, power, power_error, loss),
                            from_excess(r, rest_up, up, down, rest_up * power_error, loss));
  }

  // Returns a lower bound of log F from F = r u^(l-1) + (1-r) v^(l-1), which is accurate where F is small.
  // The first term is wrong by at most 8 + 4 up roundings: one from r, two from the exponential, 4 up from
  // its exponent, and one each from the two products, the factor, the sum and the subtraction of `loss`. The
  // second term is wrong by at most seven: two from the exponential and five from the operations.
  static double from_sum(double r, double rest, double up, double power, double power_error, double loss) {
    const double sum = r * std::exp(up) * (1 - kUnitRoundoff * (10 + 5 * up)) +
                       rest * (power * (1 - kEightRoundings) - power_error) - loss;
    if (!(sum > 0 && std::isfinite(sum))) return -kInfinity;
    // The logarithm is wrong by at most two roundings of itself, and the subtraction by one. The two
    // roundings of 1 are for squares of errors.
    const double log_sum = std::log(sum);
    return log_sum - kUnitRoundoff * (2 + 3 * std::fabs(log_sum));
  }

  // Returns a lower bound of log F from F - 1 = r (u^(l-1) - 1) + (1-r) (v^(l-1) - 1), which is accurate
  // where F is near 1.
  static double from_excess(double r, double rest_up, double up, double down, double error_of_power,
                            double loss) {
    const double first = r * std::expm1(up), second = rest_up * std::expm1(down), both = first + second;
    // The error of `up` changes the first term by at most 4 up roundings of r u^(l-1) <= 1 + first. Besides,
    // either term is wrong by at most four roundings of itself: one from r, two from expm1 and one from the
    // product. Five are charged instead of four, so that the charge covers its own roundings. The sum and the
    // last difference add two roundings of the sum, for which four are charged.
    const double of_terms = kUnitRoundoff * (5 * (up * (1 + first) + first - second) + 4 * std::fabs(both));
    const double excess = both - (of_terms + error_of_power + loss);
    if (!(excess > -1 && std::isfinite(excess))) return -kInfinity;
    const double log_sum = std::log1p(excess);
    return log_sum - kThreeRoundings * std::fabs(log_sum);  // covers log1p and the difference
  }
};

// Returns a lower bound of the least D_order of a pair whose hockey-stick divergence at epsilon is delta, for
// 0 < delta < 1: the exact value less a bound on its rounding error.
double least_divergence(double order, double epsilon, double delta) {
  if (epsilon > 700) return -kInfinity;  // a trivial bound; callers then keep that of Conversion::canonne
  const MomentSum f{order, delta, std::exp(epsilon), std::expm1(epsilon) + delta};
  const double bottom = std::log(delta) - 60 - std::log(order), top = std::log1p(-delta);
  // Brackets the minimum of F: `low` is a y at which F surely falls, `high` one at which it surely rises, or
  // an end of the range of y. Both are found by bisection in log y.
  const auto locate = [&](auto&& is_right_of) {
    double low = bottom, high = top;
    for (int i = 0; i < 90 && high - low > kLocated * numerics::larger(1.0, std::fabs(high)); ++i) {
      const double middle = low + (high - low) / 2;
      (is_right_of(f.slope(std::exp(middle))) ? high : low) = middle;
    }
    return std::pair{low, high};
  };
  const double right = locate([](auto s) { return s.rises(); }).second;
  const double high = right < top ? std::exp(right) : numerics::smaller(1.0, std::nextafter(1 - delta, 2.0));
  // F falls at `bottom`, where (order - 1) t is at least 2^-52 e^60. The factor only moves `low` outward.
  const double low = std::exp(locate([](auto s) { return !s.falls(); }).first) * (1 - kThreeRoundings);
  if (f.slope(low).rises()) return -kInfinity;
  // The quotient, the two products and the sum are each wrong by at most one rounding. A negative share gets
  // no factor of its own: the factor of epsilon covers its rounding, because a sum below 0 certifies nothing.
  const double share = f.log_minimum(numerics::smaller(low, high), high) / (order - 1);
  return epsilon * (1 - kThreeRoundings) + (share > 0 ? share * (1 - kThreeRoundings) : share);
}

double canonne_epsilon(double order, double rho, double delta) {
  const double gain = -std::log(delta) + (order - 1) * std::log1p(-1 / order) - std::log(order);
  // log delta and log l are wrong by at most two roundings of themselves. The second term, which is at most 1
  // in size, is wrong by at most four of 1: one from 1/l, two from log1p and one from the product. With the
  // three additions, that is five roundings of |log delta|, seven of 1 and four of log l. The charge exceeds
  // this by at least three of |gain|, which cover the quotient, and the sum with rho where gain and rho have
  // different signs. The last factor covers the roundings of rho, one in the sum and one in the product.
  const double scale = std::fabs(std::log(delta)) + 2 + std::log(order);
  return numerics::larger(0.0,
                          (rho + (gain + 8 * kUnitRoundoff * scale) / (order - 1)) * (1 + kThreeRoundings));
}

double canonne_delta(double order, double rho, double epsilon) {
  const double main = (order - 1) * (rho - epsilon);
  const double rest = (order - 1) * std::log1p(-1 / order) - std::log(order);
  // `main` is wrong by at most two roundings of (l-1) |rho - epsilon|, and the terms of `rest` by as much as
  // in canonne_epsilon(). With the additions, that is four roundings of (l-1) (rho + epsilon), seven of 1 and
  // five of log l.
  const double scale = (order - 1) * (rho + epsilon) + 2 + std::log(order);
  const double log_delta = main + rest + 8 * kUnitRoundoff * scale;
  // The factor covers the exponential and the sum.
  return numerics::smaller(1.0,
                           std::exp(log_delta) * (1 + kThreeRoundings) + std::numeric_limits<double>::min());
}

}  // namespace

double epsilon_upper_from_rdp(Conversion conversion, double order, double rho, double delta) {
  double high = canonne_epsilon(order, rho, delta);
  if (conversion == Conversion::canonne || !std::isfinite(high)) return high;
  if (least_divergence(order, 0, delta) >= rho) return 0;
  double low = 0;
  for (int i = 0; i < 80 && high - low > kFound * high; ++i) {
    const double middle = low + (high - low) / 2;
    (least_divergence(order, middle, delta) >= rho ? high : low) = middle;
  }
  return high;  // the last epsilon that least_divergence certified, or the value of Conversion::canonne
}

double delta_upper_from_rdp(Conversion conversion, double order, double rho, double epsilon) {
  double high = canonne_delta(order, rho, epsilon);
  if (conversion == Conversion::canonne || !(high < 1)) {
    if (conversion == Conversion::canonne || !std::isfinite(rho)) return high;
    high = 1 - kUnitRoundoff;  // the largest double below 1
    if (!(least_divergence(order, epsilon, high) >= rho)) return 1;
  }
  double low = std::log(std::numeric_limits<double>::min()), top = std::log(high);
  double best = high;
  for (int i = 0; i < 80 && top - low > kFound; ++i) {
    const double middle = low + (top - low) / 2, delta = std::exp(middle);
    if (least_divergence(order, epsilon, delta) >= rho) {
      top = middle, best = delta;
    } else {
      low = middle;
    }
  }
  return best;
}

ConvertedUpper convert_rdp(const std::function<double(std::uint64_t)>& rdp, std::uint64_t rounds,
                           const Question& question, Conversion conversion, std::uint64_t last_order) {
  const bool for_epsilon = question.asks_epsilon();
  if (rounds == 0) return {0, 2};
  ConvertedUpper best{for_epsilon ? kInfinity : 1.0, 2};
  double rho = 0;  // the divergence of all rounds together at the last visited order
  const auto visit = [&](std::uint64_t order) {
    const double l = static_cast<double>(order);
    rho = static_cast<double>(rounds) * rdp(order) * (1 + kThreeRoundings);  // a conversion and a product
    if (!std::isfinite(rho)) return kInfinity;
    const double value = for_epsilon ? epsilon_upper_from_rdp(conversion, l, rho, question.fixed())
                                     : delta_upper_from_rdp(conversion, l, rho, question.fixed());
    if (value < best.upper) best = {value, l};
    return value;
  };
  // Orders grow by a fifth per step, and by at least one. The steps upward stop where higher orders cannot
  // help: if the value is infinite, nearly 0, a delta of 1 or more than twice the best one, or if the
  // divergence exceeds the best epsilon. They also stop if a step beyond order 100 gains less than a part in
  // 10^6. The remaining gain falls like 1 / order, so it is then below a part in 10^5.
  std::uint64_t step = 1;
  double before = kInfinity, last = 0;
  for (std::uint64_t order = 2; order <= last_order; order += step) {
    const double value = visit(order);
    last = static_cast<double>(order);
    if (!std::isfinite(value) || (value > 2 * best.upper && value > 1e-300)) break;
    if (for_epsilon ? best.upper == 0 : ((value == 1 && best.upper < 1) || value < 1e-300)) break;
    // Divergences rise with the order, and epsilon is not much below the divergence.
    if (for_epsilon && rho > 1.01 * best.upper + (std::log(last) + 2) / last) break;
    if (order > 100 && value <= before && value > before * (1 - kStill) && value < 1) break;
    before = value;
    step = numerics::larger<std::uint64_t>(1, order / 5);
  }
  // Then the search takes steps of ever smaller width around the best order, each repeated while it helps. If
  // the last order of the upward steps is the best one, these steps are skipped.
  if (best.order == last) return best;
  for (auto width = numerics::larger<std::uint64_t>(1, static_cast<std::uint64_t>(best.order) / 6); width > 0;
       width /= 2) {
    double at = 0;
    for (int moves = 0; moves < kMoves && at != best.order; ++moves) {
      at = best.order;
      const auto middle = static_cast<std::uint64_t>(at);
      if (middle > width + 1) visit(middle - width);
      visit(middle + width);
    }
  }
  return best;
}

}  // namespace muster::accounting

#include "muster/papers/conversions/rdp_to_dp.h"

#include <cmath>
#include <limits>
#include <utility>

#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
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
// phi(x) = x^(l-1) (l - (l-1) x).
struct MomentSum {
  double order, delta, grown, shifted;  // grown = e^eps, shifted = e^eps - 1 + delta

  double t(double y) const { return delta / y; }
  double w(double y) const { return numerics::smaller(1.0, shifted / (grown - y)); }
  // Returns log v and a bound on its error; the bound is 1e300 where v may be 0.
  std::pair<double, double> log_v(double y) const {
    const double left = w(y), rest = 1 - delta - y;
    if (left < 0.5) return {std::log1p(-left), kUnit * 8 * left * (1 + grown / (grown - y))};
    if (rest < 8 * kUnit) return {-kInfinity, 1e300};
    const double value = std::log(rest / (grown - y));
    return {value, kUnit * (8 + 4 / rest + 2 * std::fabs(value))};
  }

  // Encloses log phi(u) - log phi(v) in difference +- margin; the margin is +infinity where rounding hides
  // the sign. log_left is log phi(u), and log_right is log phi(v).
  struct Slope {
    double difference, margin, log_right, log_left;
    bool rises() const { return difference > margin; }
    bool falls() const { return difference < -margin; }
  };
  Slope slope(double y) const {
    const double m = order - 1, a = m * t(y);
    const double room = 1 - a;
    if (room < -16 * kUnit) return {-kInfinity, 0, 0, -kInfinity};
    if (room < 0) return {0, kInfinity, 0, 0};
    const auto [lv, lv_error] = log_v(y);
    const double left = m * std::log1p(t(y)) + std::log1p(-a);
    const double right = std::isfinite(lv) ? m * lv + std::log1p(m * w(y)) : -kInfinity;
    const double margin =
        16 * kUnit * (a + a / numerics::larger(room, 1e-300) + (std::isfinite(lv) ? std::fabs(m * lv) : 0)) +
        (std::isfinite(lv) ? 2 * m * lv_error : 0);
    return {left - right, margin, right, left};
  }

  // Returns a lower bound of log F on [low, high], from the tangent at high. The minimum of F must lie in
  // this interval.
  double log_minimum(double low, double high) const {
    const Slope s = slope(high);
    double steep = 0;  // an upper bound of the slope F'(high)
    if (std::isfinite(s.log_left)) {
      steep = std::isfinite(s.log_right) ? std::exp(s.log_right) * std::expm1(s.difference + s.margin)
                                         : std::exp(s.log_left + s.margin);
    }
    if (!std::isfinite(steep)) return -kInfinity;
    const double loss = numerics::larger(0.0, steep) * (high - low) * (1 + 8 * kUnit);
    const double m = order - 1, r = delta + high;
    const double rest = numerics::larger(0.0, 1 - r - 2 * kUnit),
                 rest_up = numerics::larger(0.0, 1 - r + 2 * kUnit);
    const auto [lv, lv_error] = log_v(high);
    const double up = m * std::log1p(t(high)), down = m * lv;  // `down` may be -infinity
    if (!(up < kLargestLog)) {  // F >= r u^(l-1), and that power would overflow a double
      const double log_first = std::log(r) + up - kUnit * (16 + 4 * up);
      const double lost = loss > 0 ? std::exp(std::log(loss) - log_first) * (1 + 8 * kUnit) : 0;
      return lost < 1 ? log_first + std::log1p(-lost) - 2 * kUnit : -kInfinity;
    }
    const double power = std::exp(down);
    const double power_error = power > 0 ? power * (m * lv_error - 4 * kUnit * down) : 0;
    // The result is the larger of two lower bounds: from F, which is accurate where F is small, and from
    // F - 1, which is accurate where F is near 1. Each is reduced by its rounding error.
    const double sum =
        r * std::exp(up) * (1 - kUnit * (8 + 4 * up)) + rest * (power * (1 - 8 * kUnit) - power_error) - loss;
    const double first = r * std::expm1(up), second = rest_up * std::expm1(down);
    const double error = 4 * kUnit * (up * (1 + first) + first - second) + rest_up * power_error;
    const double excess = first + second - error - loss;
    const double a = sum > 0 && std::isfinite(sum) ? std::log(sum) - 2 * kUnit : -kInfinity;
    const double b = excess > -1 && std::isfinite(excess) ? std::log1p(excess) : -kInfinity;
    return numerics::larger(a, b > -kInfinity ? b - 2 * kUnit * std::fabs(b) : b);
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
  const double high = numerics::smaller(1 - delta, std::exp(locate([](auto s) { return s.rises(); }).second));
  const double low = std::exp(locate([](auto s) { return !s.falls(); }).first) * (1 - 4 * kUnit);
  if (f.slope(low).rises()) return -kInfinity;
  return epsilon * (1 - 4 * kUnit) + f.log_minimum(numerics::smaller(low, high), high) / (order - 1);
}

double canonne_epsilon(double order, double rho, double delta) {
  const double gain = -std::log(delta) + (order - 1) * std::log1p(-1 / order) - std::log(order);
  const double scale = std::fabs(std::log(delta)) + 2 + std::log(order);
  return numerics::larger(0.0, (rho + (gain + 8 * kUnit * scale) / (order - 1)) * (1 + 4 * kUnit));
}

double canonne_delta(double order, double rho, double epsilon) {
  const double main = (order - 1) * (rho - epsilon);
  const double rest = (order - 1) * std::log1p(-1 / order) - std::log(order);
  const double scale = (order - 1) * (rho + epsilon) + 2 + std::log(order);
  const double log_delta = main + rest + 8 * kUnit * scale;
  return numerics::smaller(1.0, std::exp(log_delta) * (1 + 4 * kUnit) + std::numeric_limits<double>::min());
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
    high = 1 - kUnit;
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
    rho = static_cast<double>(rounds) * rdp(order) * (1 + 4 * kUnit);
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

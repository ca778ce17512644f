#include "muster/theorems/swap/gaussian_triangle.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

using numerics::kUlp;
using numerics::larger;
using numerics::smaller;
using numerics::within;
using Extended = long double;

// No larger z is considered, because the tail of the normal law beyond it contributes less than kVanishing.
constexpr double kFarthest = 36;
constexpr double kVanishing = 1e-250;
// Upper bounds of the relative errors of a normal tail and of the integrand. A relative error of the tail's
// argument x is multiplied by about x^2, which is below 2e3 where the tail is in the range of a double.
constexpr double kErrorOfTail = 1e-10, kErrorOfValue = 1e-8;
// Newton's method for F(z) = 0 (see excess_of_difference) stops where |F(z)| is at most this.
// Integrating from that z instead of the root changes the result by about the square of kResidual.
constexpr double kResidual = 3e-9;
constexpr int kMaxSteps = 60;
// ln V of the lognormal factor V (struct Integrand) is a linear function of a standard normal variable. This
// variable is divided into cells from -9 to 9, and what lies beyond is bounded.
constexpr double kOutermost = 9;
// Bounds the error from rounding the triangle's shape, the factor V and the threshold, in units of (1 + |c|)
// E. The error is at most 48 roundings (docs/theory/gaussian-two-types.md, "Roundings of C at a corner"), and
// the constant is 90.
constexpr double kAbsolute = 1e-14;
// Bounds the relative error of the sum over the cells. There are at most 79 cells (at mu = 2), so 81 terms.
// A term takes two roundings, the sum one for each term, the scale one, and the products with the scale and
// with this factor one each. Together these are 86.
constexpr double kErrorOfSum = 48 * kUlp;
// This is 184 roundings of a long double. divergence_at() takes only a few of its own.
constexpr Extended kFewExtended = 1e-17L;
// This is 18 roundings of a long double. It covers the error of a loss l at which a divergence is taken. l is
// the difference of two logarithms, which take four roundings each, and the difference takes one.
constexpr Extended kOfLoss = 1e-18L;
// The work of one excess_of_difference(): three steps of Newton's method and three normal tails.
constexpr double kWorkOfDifference = 12 * numerics::kWorkOfLoneExponential;

double upper_tail(double x) { return 0.5 * std::erfc(x * std::numbers::sqrt2 / 2); }

// Returns an upper bound of the mean of (exp(pZ - p^2/2) - e exp(qZ - q^2/2) - k)_+, where Z is standard
// normal and e is the argument, for p >= 0 >= q, p > q and k > 0. The integrand is positive beyond the root
// of F(z) = pz - p^2/2 - ln(k + e exp(qz - q^2/2)). F is concave and increasing, so Newton's method
// approaches the root from the left after its first step. `start` is a guess of the root on entry and the
// root found on return.
double excess_of_difference(double p, double q, double e, double log_e, double k, double& start) {
  const double length = p - q, half_p = 0.5 * p * p, half_q = 0.5 * q * q;
  const double log_k = std::log(k);
  const double other = log_k + half_p;
  // If e^{pz - p^2/2} is at most k for every z <= kFarthest, the integrand is positive only beyond kFarthest.
  if (other > kFarthest * p && (p > 0 || log_k > 0)) return kVanishing;
  // Leaving out either term inside the logarithm of F moves its root to the left, so both roots found in this
  // way are lower bounds of the true one.
  double least = (log_e + half_p - half_q) / length;
  if (p > 0) least = larger(least, other / p);
  double z = larger(start, least);
  double residual = 0, slope = 0, value = 0;
  bool settled = false;
  for (int i = 0; i < kMaxSteps; ++i) {
    if (!(z < kFarthest)) {
      if (i == 0)
        z = kFarthest - 1;  // a starting point inside the range
      else
        return kVanishing;
    }
    const double second = e * std::exp(q * z - half_q);
    value = k + second;
    residual = p * z - half_p - std::log(value);
    slope = p - q * second / value;
    if (std::fabs(residual) <= kResidual) {
      settled = true;
      break;
    }
    if (!(slope > 0)) break;
    z = larger(least, z - residual / slope);
  }
  start = z;
  // If Newton's method has not converged, the mean of exp(pZ - p^2/2) is the bound: only its part beyond z if
  // the root lies beyond z, and otherwise the whole mean, which is 1.
  if (!settled) return residual < 0 ? upper_tail(z - p) * (1 + kErrorOfTail) : 1;
  const double tails[3] = {upper_tail(z - p), e * upper_tail(z - q), k * upper_tail(z)};
  const double sum = tails[0] + tails[1] + tails[2];
  const double reach = std::fabs(z) + length;
  // A tail Q(x), |x| <= reach, takes ten roundings of erfc and three of x (of a difference, a product and the
  // root). Each of those of x changes the tail by |x| phi(x) / Q(x) roundings of itself, which is at most
  // x^2 + min(1, 0.8 |x|). The product with e or k takes one. The two differences and the two sums of
  // `expected` take one rounding each of at most the first tail. So no tail takes more than 14 + 3
  // x^2 + min(3, 2.4 |x|) roundings. This is less than 16 + 4 x^2.
  const double rounding = kUlp * (8 + 2 * reach * reach) * sum;
  // The distance of the root from z is at most 2 * away while |q| * away is below 1/2. Between the root and
  // z, the integrand is at most as large in absolute value as at z.
  //
  // The residual takes four roundings of p |z| + p^2/2: one of p z and p^2, one of their difference, and two
  // of the logarithm, which equals this difference within kResidual. The errors of `value` change its
  // logarithm by two roundings of |q z| + q^2/2 (of the exponent), two of the exponential, and one each of
  // the product and the sum. With p - q = length <= 2.1, these are at most 4 length |z| + 13 roundings.
  const double lost_residual =
      std::fabs(residual) + kUlp * (8 + 2 * length * std::fabs(z) + std::fabs(log_k));
  const double away = lost_residual / slope;
  if (!(-q * away <= 0.4)) return upper_tail(z - away - p) * (1 + kErrorOfTail);
  const double cut = value * (1 + kErrorOfValue) * lost_residual * 1.01 * 2 * away * 0.4;
  const double expected = larger(0.0, tails[0] - tails[1] - tails[2]) + rounding + cut;
  return expected > kVanishing ? expected : kVanishing;
}

// Represents a stop-loss transform as scale * mean of V (exp(pZ - p^2/2) - e
// exp(qZ - q^2/2) - threshold/V)_+. Z is standard normal, and V is a lognormal factor of mean one that is
// independent of Z.
struct Integrand {
  double p, q;  // p >= 0 >= q
  double e, log_e;
  double threshold;
  double scale;
};

// Let g = V (e^{pZ - p^2/2} - E e^{qZ - q^2/2}), where p - q = length, p = share * length and E = 1 + excess.
// Returns an Integrand for the expected excess, the mean of (g - c)_+, if c > 0, and for the expected
// deficit, the mean of (c - g)_+, if c <= 0. With g = e^{N1} - E e^{N2}, the deficit (c - g)_+ = E
// (e^{N2} - (1/E) e^{N1} - |c|/E)_+ has the same form, with -Z instead of Z.
Integrand integrand_of(double length, double share, double excess, double c) {
  const double e = 1 + excess, log_e = std::log1p(excess);
  const double p = length * share, q = p - length;
  if (c > 0) return {p, q, e, log_e, c, 1};
  const double inverse = 1 / e;
  return {-q, -p, inverse, -log_e, -c * inverse, e};
}

// Returns the value at c = 0, rounded up. There the threshold is 0, and V, independent of Z and of mean one,
// drops out. The value is scale * mean of (exp(pZ - p^2/2) - in.e exp(qZ - q^2/2))_+, by the Black-Scholes
// formula.
double value_at_zero(const Integrand& in, double length) {
  const double z = (in.log_e + 0.5 * in.p * in.p - 0.5 * in.q * in.q) / length;
  const double tails[2] = {upper_tail(z - in.p), in.e * upper_tail(z - in.q)};
  // The first tail is at most 1. It takes ten roundings of erfc, and three of its argument x, each of which
  // moves the tail by |x| phi(x) <= 0.25 roundings. The second tail is smaller than the first and takes the
  // same roundings and one more. The difference, the two sums (one is the caller's), the product with the
  // scale, the scale and e take one rounding each of at most 1. Together these are below 29 roundings, and 32
  // are added. The roundings of z count to second order only, because the derivative with respect to z is 0.
  return in.scale * (larger(0.0, tails[0] - tails[1]) + 16 * kUlp);
}

// Returns a bound, from above or below, of f of gaussian_divergence.h at the distance mu and at every loss
// within `error_of_loss` of `loss`. f falls as the loss grows. For l < 0 it uses f(l) = 1 - e^l + e^l f(-l).
Extended divergence_at(double mu, Extended loss, Extended error_of_loss, bool from_above) {
  const Extended l = from_above ? loss - error_of_loss : loss + error_of_loss;
  const Extended size = std::fabs(l) < 1e4L ? std::fabs(l) : 1e4L;
  const ExtendedDivergence at = extended_gaussian_divergence(mu, size);
  const Extended error = at.error + kFewExtended;
  const Extended value = at.value * (from_above ? 1 + error : 1 - error);
  return l >= 0 ? value : -std::expm1(l) + std::exp(l) * value;
}

// Encloses factor * f(loss) if the loss may be off by `error_of_loss` and the factor by as much relatively.
// kExtendedRoundings covers the conversions, the few roundings of the products and of the factor, and the
// thirteen roundings of f at a negative loss.
TriangleExcesses::Ends scaled_divergence(double mu, Extended factor, Extended loss, Extended error_of_loss) {
  const Extended slack = numerics::kExtendedRoundings + error_of_loss;
  const Extended lower = factor * divergence_at(mu, loss, error_of_loss, false) * (1 - slack);
  const Extended upper = factor * divergence_at(mu, loss, error_of_loss, true) * (1 + slack);
  return {static_cast<double>(larger<Extended>(0, lower)), static_cast<double>(upper)};
}

}  // namespace

// `open` is wrong by at most five roundings of 1, and eight are added. The quotient, which is at most 1
// because |d| is at most 1 - eta, takes three of them, and the difference and the sum take one each. The root
// takes one and a half roundings, one of them its own, and the two sums and the last product take one each.
double widest_sum(double eta, double d) {
  if (!(eta < 1)) return 4;  // x = x': the square root tends to 1 there
  const double open = larger(0.0, 1 - d * d / (1 - eta) + 4 * kUlp);
  return smaller(4.0, (1 + eta + 2 * std::sqrt(eta * open)) * (1 + 4 * kUlp));
}

// The cells of the common factor's normal variable are narrower for larger mu, where chords add more to the
// value.
TriangleExcesses::TriangleExcesses(double mu, double excess) : mu_(mu), excess_(excess) {
  const double step = smaller(0.6, 0.32 / mu);
  double right = kOutermost;
  cuts_.push_back({right, upper_tail(right), 0});
  while (right > -kOutermost) {
    const double left = larger(-kOutermost, right - step * larger(1.0, std::fabs(right) / 3));
    // Right of 0, upper tails are subtracted, and left of 0, lower tails. On each side, these are the smaller
    // tails, so few digits cancel.
    const double cell =
        right > 0 ? upper_tail(left) - upper_tail(right) : upper_tail(-right) - upper_tail(-left);
    cuts_.push_back({left, upper_tail(left), cell});
    right = left;
  }
}

double TriangleExcesses::above(const Triangle& triangle, double c, double negligible) const {
  // The part of t - (x + x')/2 along x - x' enters p and q. The orthogonal part gives a factor V common to
  // a/u and b/u, a lognormal of mean one: g = V (e^{pZ - p^2/2} - E e^{qZ - q^2/2}). The length takes three
  // roundings, of the root and two products. A larger length raises the value, because g is a martingale in
  // length^2.
  const double length = mu_ * std::sqrt(triangle.D) * (1 + 2 * kUlp);
  const double share = within(0.5 * (1 + triangle.d / triangle.D), 0.0, 1.0);
  const Integrand in = integrand_of(length, share, excess_, c);
  const double p = in.p, q = in.q, e = in.e, log_e = in.log_e, scale = in.scale;
  const double absolute = kAbsolute * (1 + std::fabs(c)) * (1 + excess_);
  if (in.threshold <= 0) return value_at_zero(in, length) + absolute;
  // The quotient, which is at most 1, takes two roundings. The difference and the sum take one rounding each
  // of at most 4.
  const double across =
      mu_ * mu_ * larger(0.0, triangle.S - triangle.d * triangle.d / triangle.D + 8 * kUlp) / 4;
  // The two products under the root count half a rounding each. With the root and the product with the
  // factor, these are three roundings.
  const double deviation = std::sqrt(across) * (1 + 4 * kUlp);
  // Let C1(k) be the mean that excess_of_difference() bounds. The function V C1(threshold/V) of V is convex
  // with slopes in [0, 1]. So the mass of V may be moved to the ends of cells, which are v = e^{deviation
  // t - deviation^2/2} at the cuts t, if each cell keeps its probability and its mean. The mean of (V - v)_+
  // at the largest v is added. The cells are visited from the largest v down, so that the roots increase.
  double sum = 0;
  double z = -kFarthest, before = z;
  std::size_t differences = 0;
  const auto visit = [&](double at, double mass, bool guess) {
    const double worth = larger(0.0, mass * at);  // the most that is added, because V C1(threshold / V) <= V
    if (worth <= negligible) {
      sum += worth;
      return;
    }
    ++differences;
    double root = guess ? 2 * z - before : z;
    sum += worth * excess_of_difference(p, q, e, log_e, in.threshold / at, root);
    before = z;
    z = root;
  };
  double right = cuts_.front().t, point = std::exp(deviation * right - 0.5 * deviation * deviation);
  double first = upper_tail(right - deviation);  // the part of V's mean beyond `point`
  double weight = cuts_.front().beyond;          // the mass that was moved to `point` from its right
  sum += larger(0.0, first - point * weight);
  for (std::size_t i = 1; i < cuts_.size(); ++i) {
    const double left = cuts_[i].t, cell = cuts_[i].cell;
    const double next = std::exp(deviation * left - 0.5 * deviation * deviation);
    const double next_first = upper_tail(left - deviation);
    const double upper_share = within((next_first - first - next * cell) / (point - next), 0.0, cell);
    visit(point, weight + upper_share, i > 2);
    weight = cell - upper_share;
    point = next;
    first = next_first;
  }
  visit(point, weight + cuts_.front().beyond, true);
  numerics::count_work(differences, kWorkOfDifference, 0);
  return scale * sum * (1 + kErrorOfSum) + absolute;
}

TriangleExcesses::Ends TriangleExcesses::record(double c) const {
  const Extended e = 1 + static_cast<Extended>(excess_), at = c;
  const Extended log_e = std::log1p(static_cast<Extended>(excess_));
  // At t = x the term is g = 1 - E r, and at t = x' it is r - E, where r is lognormal of mean 1.
  if (at <= 0) {  // the deficit is the mean of (c - 1 + E r)_+ = E (r - (1 + |c|)/E)_+
    const Extended log_above = std::log1p(-at);
    return scaled_divergence(mu_, e, log_above - log_e, kOfLoss * (log_above + log_e));
  }
  if (at >= 1) return {0, 0};
  // The mean of (1 - c - E r)_+ is (1 - c) f(ln(E / (1 - c))).
  const Extended log_below = std::log1p(-at);
  return scaled_divergence(mu_, 1 - at, log_e - log_below, kOfLoss * (log_e - log_below));
}

TriangleExcesses::Ends TriangleExcesses::alternative(double c) const {
  // The mean of (g - c)_+ is that of (r - K)_+ with the threshold K = c + E.
  const Extended minus_one = static_cast<Extended>(excess_) + c, threshold = 1 + minus_one;
  if (c > 0) {
    const Extended l = std::log1p(minus_one);
    return scaled_divergence(mu_, 1, l, kOfLoss * l);
  }
  if (threshold <= 0) return {0, 0};
  // The mean of (K - r)_+ is K f(-ln K), where K = c + E. The rounding of K - 1 changes K relatively by up to
  // |K - 1| / K roundings, and ln K by the same amount.
  const Extended l = -std::log1p(minus_one), of_threshold = std::fabs(minus_one) / threshold;
  return scaled_divergence(mu_, threshold, l, kOfLoss * (std::fabs(l) + of_threshold));
}

}  // namespace muster::accounting

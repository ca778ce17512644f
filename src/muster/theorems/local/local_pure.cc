// Composes epsilon0-LDP messages exactly, each of which is sent if a public coin of probability g says so.
// Let D be the number of rounds with loss +epsilon0 minus the number with loss -epsilon0. With
// q = 1/(e^epsilon0 + 1) and p = 1 - q, D is a sum of T independent terms, one for each round, which are +1,
// 0 and -1 with probabilities g p, 1 - g and g q, and
//     delta(eps) = sum_{D = d} P(D) (1 - e^(eps - d epsilon0))_+ .
// P(D) is the coefficient c_(T-D) of x^(T-D) in (a0 + a1 x + a2 x^2)^T, where a0 = g p, a1 = 1 - g and
// a2 = g q. Miller's recurrence
//     m a0 c_m = (T - m + 1) a1 c_(m-1) + (2T - m + 2) a2 c_(m-2)
// has no negative term for m <= T, so relative errors can only add up. These values of m belong to D >= 0,
// and no other D contributes at epsilon >= 0.
#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting::local_detail {
namespace {

using numerics::kUnitRoundoff;
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr std::uint64_t kExactRounds = 30'000'000;  // with more rounds, the moment bound is used
// Smaller rates are replaced by this one, so that no term of the Walk overflows. Delta rises with the rate.
constexpr double kLeastRate = 1e-150;

// Walks through D = T, T-1, ... With Q(D) = e^(-D epsilon0) P(D), D's law under the other record, let
// head = sum_{D>=d} P(D) and tail = e^(d epsilon0) sum_{D>=d} Q(D) at level d, both in units of 2^scale. Then
// delta(eps) = 2^scale (head - e^(eps - d epsilon0) tail) for eps between (d-1) epsilon0 and d epsilon0.
class Walk {
 public:
  Walk(double epsilon0, double true_rate, std::uint64_t rounds)
      : rounds_(static_cast<double>(rounds)), level_(rounds_), decay_(std::exp(-epsilon0)) {
    const double rate = numerics::larger(true_rate, kLeastRate);
    const double q = decay_ / (1 + decay_);
    plus_ = rate / (1 + decay_);
    zero_ = 1 - rate;
    minus_ = rate * q;
    const double start = rounds_ * std::log2(plus_);
    scale_ = static_cast<long>(std::floor(start));
    term_ = std::exp2(start - std::floor(start));
    head_ = tail_ = term_;
    // slack_ bounds the relative errors of head_ and tail_. In units of one rounding, they have these parts:
    // 8 for each call of down() (5 in the recurrence, 3 in the sums), 4 for each of the T factors plus_,
    // zero_ or minus_ of a term, 2 for each factor decay_ in tail_, and 2 T |log2 plus_| in the first term.
    // The constants below are larger.
    slack_ = kUnitRoundoff * (rounds_ + 8) * (24 + 2 * std::fabs(std::log2(plus_)));
  }

  double level() const { return level_; }

  void down() {
    const double m = rounds_ - level_ + 1;
    const double next =
        ((rounds_ - m + 1) * zero_ * term_ + (2 * rounds_ - m + 2) * minus_ * before_) / (m * plus_);
    before_ = term_;
    // Terms far past the mode are raised to 1e-290, so that they do not become subnormal. This can only raise
    // the bound.
    term_ = next > 0 ? numerics::larger(next, 1e-290) : 0;
    level_ -= 1;
    head_ += term_;
    tail_ = tail_ * decay_ + term_;
    while (head_ > 0x1p256) {
      head_ *= 0x1p-256, tail_ *= 0x1p-256, term_ *= 0x1p-256, before_ *= 0x1p-256;
      scale_ += 256;
    }
  }

  // Returns an upper bound of delta at eps = level * epsilon0 + x, where x <= 0.
  double delta(double x) const {
    const double raw = (1 + slack_) * head_ - (1 - slack_) * std::exp(x) * tail_;
    // The difference and the sum take one rounding each. slack_ has more than a hundred roundings to spare
    // for the exponential and the products, and for the rounding of x, which changes e^x by less than half a
    // rounding.
    return scaled(raw * (1 + numerics::kEightRoundings)) + kTiny;
  }

  // Returns the x <= 0 at which delta(x) reaches `delta`, rounded up.
  double solve(double delta) const {
    const double target = std::ldexp(delta, static_cast<int>(numerics::larger(-scale_, -4000L)));
    // `ratio` takes four roundings: one of the difference, one of the quotient and two of the denominator.
    // Those of the logarithm and the sum, which grow with |x| <= epsilon0, are covered in
    // pure_epsilon_upper().
    const double ratio =
        ((1 + slack_) * head_ - target * (1 - numerics::kEightRoundings)) / ((1 - slack_) * tail_);
    // If only the allowance for underflow makes delta(0) reach `delta`, the answer is x = 0, because delta at
    // the level above did not reach `delta`.
    if (!(ratio > 0)) return 0;
    return numerics::smaller(0.0, std::log(ratio) + 8 * kUnitRoundoff);
  }

 private:
  double scaled(double v) const { return std::ldexp(v, static_cast<int>(numerics::larger(scale_, -4000L))); }

  double rounds_, level_, decay_;
  double plus_, zero_, minus_;
  double term_, before_ = 0;
  double head_, tail_, slack_;
  long scale_;
};

// Returns the least d >= 1 with epsilon < d epsilon0, but at most `rounds`. If epsilon is just below
// d epsilon0, the quotient epsilon / epsilon0 may be rounded up to d, which would give d + 1 and leave out
// the term of D = d. Where messages are rare, that term is larger than all others together. A fused
// multiply-add rounds only once, so the sign of its result is exact. A level that is too small by one only
// raises the bound.
double level_above(double epsilon0, double rounds, double epsilon) {
  const double below = std::floor(epsilon / epsilon0);
  const bool rounded_up = std::fma(below, epsilon0, -epsilon) > 0;
  return numerics::smaller(rounded_up ? below : below + 1, rounds);
}

// The largest loss of all rounds, rounded up. The factor covers the rounding of the products.
double most_epsilon(double rounds, double epsilon0) {
  return rounds * epsilon0 * (1 + numerics::kThreeRoundings);
}

// Returns log E e^{t L} for the loss L of all rounds, rounded up. With x = t epsilon0, p (e^x - 1) + q
// (e^-x - 1) equals (e^x - 1) (1 - e^{-x - epsilon0}) / (1 + e^-epsilon0), in which nothing cancels. This
// product has an error of at most 14 roundings, and 1 + x more from the rounding of x.
double log_moment_above(double epsilon0, double rate, double rounds, double t) {
  const double x = t * epsilon0;
  const double growth = rate * std::expm1(x) * -std::expm1(-x - epsilon0) / (1 + std::exp(-epsilon0));
  return rounds * std::log1p(growth * (1 + numerics::kEightRoundings * (2 + x))) *
         (1 + numerics::kEightRoundings);
}

// Returns log max_x (1 - e^-x) e^(-t x), rounded up. This is the constant of Canonne, Kamath, Steinke (2020),
// Proposition 12: t log t - (1 + t) log(1 + t), written so that nothing cancels.
double log_constant_above(double t) {
  return -(t * std::log1p(1 / t) + std::log1p(t)) * (1 - numerics::kEightRoundings);
}

// Returns an upper bound of the total variation of all rounds: the total variation of one message times the
// expected number of messages. It bounds delta at every epsilon, also where epsilon0 is so small that the
// relative error of the Walk's two sums exceeds their difference.
double total_variation_above(double epsilon0, double rate, double rounds) {
  const double of_one = -std::expm1(-epsilon0) / (1 + std::exp(-epsilon0));  // tanh(epsilon0 / 2)
  return rounds * rate * of_one * (1 + 2 * numerics::kEightRoundings) + kTiny;
}

// Returns approximately the minimum over t > 0 of a quasi-convex function f(t). It need not be exact, because
// any t gives a valid bound.
template <class F>
double minimum_over_t(double epsilon0, F&& f) {
  double best = std::numeric_limits<double>::infinity(), at = 0;
  const double top = std::log(600 / epsilon0);
  for (double s = -30; s <= top; s += 0.25) {
    const double v = f(std::exp(s));
    if (v < best) best = v, at = s;
  }
  for (double step = 0.125; step > 1e-4; step /= 2) {
    for (const double s : {at - step, at + step}) {
      const double v = s > top ? best : f(std::exp(s));
      if (v < best) best = v, at = s;
    }
  }
  return best;
}

}  // namespace

double pure_delta_upper_by_moments(double epsilon0, double rate, std::uint64_t rounds, double epsilon) {
  const double n = static_cast<double>(rounds);
  if (epsilon >= most_epsilon(n, epsilon0)) return 0;
  const double log_delta = minimum_over_t(epsilon0, [&](double t) {
    const double moment = log_moment_above(epsilon0, rate, n, t), constant = log_constant_above(t);
    return moment - t * epsilon + constant + numerics::kEightRoundings * (moment + t * epsilon - constant);
  });
  return numerics::smaller(1.0, std::exp(log_delta) * (1 + numerics::kEightThousandRoundings) + kTiny);
}

double pure_epsilon_upper_by_moments(double epsilon0, double rate, std::uint64_t rounds, double delta) {
  const double n = static_cast<double>(rounds);
  const double epsilon = minimum_over_t(epsilon0, [&](double t) {
    const double moment = log_moment_above(epsilon0, rate, n, t), constant = log_constant_above(t);
    return (moment - std::log(delta) + constant +
            numerics::kEightRoundings * (moment - std::log(delta) - constant)) /
           t;
  });
  return numerics::within(epsilon * (1 + numerics::kEightThousandRoundings), 0.0, most_epsilon(n, epsilon0));
}

double pure_delta_upper(double epsilon0, double rate, std::uint64_t rounds, double epsilon) {
  const double n = static_cast<double>(rounds);
  if (epsilon >= most_epsilon(n, epsilon0)) return 0;
  const double variation = total_variation_above(epsilon0, rate, n);
  if (rounds > kExactRounds) {
    return numerics::smaller(variation, pure_delta_upper_by_moments(epsilon0, rate, rounds, epsilon));
  }
  const double level = level_above(epsilon0, n, epsilon);
  Walk walk(epsilon0, rate, rounds);
  while (walk.level() > level) walk.down();
  // The product with `level` is wrong by at most 1.5 roundings of epsilon; this is at level 3, and the
  // product is exact at levels 1 and 2. The difference is at most epsilon0, so above level 1 it is wrong by
  // at most one rounding of epsilon. At level 1, Walk::delta() allows for the rounding of the difference.
  const double x = numerics::smaller(0.0, epsilon * (1 - numerics::kThreeRoundings) - level * epsilon0);
  return numerics::smaller(1.0, variation, walk.delta(x));
}

double pure_epsilon_upper(double epsilon0, double rate, std::uint64_t rounds, double delta) {
  if (total_variation_above(epsilon0, rate, static_cast<double>(rounds)) <= delta) return 0;
  if (rounds > kExactRounds) return pure_epsilon_upper_by_moments(epsilon0, rate, rounds, delta);
  Walk walk(epsilon0, rate, rounds);
  while (walk.delta(-epsilon0) < delta) {
    if (walk.level() <= 1) return 0;  // even at eps = 0, delta stays below the target
    walk.down();
  }
  // The product and the sum take one rounding each, solve() takes at most three roundings of epsilon0 (two of
  // its logarithm and one of its sum), and the last product and sum take one each. These are at most seven
  // roundings of level * epsilon0, and eight are added.
  const double epsilon = walk.level() * epsilon0 + walk.solve(delta);
  return numerics::larger(0.0, epsilon + 8 * kUnitRoundoff * walk.level() * epsilon0);
}

}  // namespace muster::accounting::local_detail

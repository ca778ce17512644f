#include "muster/papers/optimal_composition.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

// This relative allowance covers some eight thousand roundings. No formula here has more than two dozen
// operations, besides the sums over rounds, for which `heterogeneous_composition_epsilon_upper` adds its own.
constexpr double kRelativeMargin = numerics::kEightThousandRoundings;
constexpr long double kTwoRoundings = 0x1p-63L;  // of a long double
constexpr double kSmallest = 1e-300;
// Beyond this number of rounds, at most a dozen bounds are computed for one answer, because each takes a pass
// over the rounds.
constexpr std::uint64_t kFewPasses = 1'000'000;

// Returns the logarithm of (1 - delta)^rounds for the round's delta, rounded down. It is -infinity if delta
// is 1 or more.
double log_kept(const Guarantee& round, double rounds) {
  if (!(round.delta < 1)) return -std::numeric_limits<double>::infinity();
  return rounds * std::log1p(-round.delta) * (1 + kRelativeMargin);
}

// Returns the part of delta that the rounds' own deltas leave for the privacy loss: 1 - (1 - delta) / kept
// with kept = e^log_kept, rounded down. It is at most 0 if nothing is left.
double left_for_loss(double delta, double log_kept) {
  const double spent = -std::expm1(log_kept) * (1 + kRelativeMargin);
  return (delta - spent) / std::exp(log_kept) * (1 - kRelativeMargin) - kRelativeMargin * spent;
}

// Returns the epsilon of Theorem 3.5 for rounds with the given sums of eps^2 (`squares`), of eps tanh(eps/2)
// (`mean`) and of eps (`most`).
double sub_gaussian_epsilon(double squares, double mean, double most, double delta) {
  const double plain = std::sqrt(-2 * squares * std::log(delta));
  const double other = std::sqrt(2 * squares * std::log(std::exp(1.0) + std::sqrt(squares) / delta));
  return numerics::smaller(most, mean + numerics::smaller(plain, other)) * (1 + kRelativeMargin);
}

}  // namespace

double optimal_composition_delta_upper(const Guarantee& round, std::uint64_t rounds, double epsilon) {
  if (rounds == 0) return 0;
  const double kept = log_kept(round, static_cast<double>(rounds));
  const double spent = numerics::smaller(1.0, -std::expm1(kept) * (1 + kRelativeMargin));
  if (std::isinf(round.epsilon)) return 1;
  const double loss =
      round.epsilon > 0 ? local_detail::pure_delta_upper(round.epsilon, 1, rounds, epsilon) : 0.0;
  // This form of 1 - (1-spent)(1-loss) keeps a tiny result accurate.
  return numerics::smaller(1.0, (spent + (1 - spent) * loss) * (1 + kRelativeMargin));
}

std::optional<double> optimal_composition_epsilon_upper(const Guarantee& round, std::uint64_t rounds,
                                                        double delta) {
  if (rounds == 0) return 0;
  const double left = left_for_loss(delta, log_kept(round, static_cast<double>(rounds)));
  if (std::isinf(round.epsilon) || std::isnan(left) || left < 0) return std::nullopt;
  if (!(round.epsilon > 0)) return 0;
  const double most = static_cast<double>(rounds) * round.epsilon * (1 + kRelativeMargin);
  if (left < kSmallest) return most;
  return numerics::smaller(most, local_detail::pure_epsilon_upper(round.epsilon, 1, rounds, left));
}

std::optional<double> heterogeneous_composition_epsilon_upper(const std::vector<Guarantee>& rounds,
                                                              double delta) {
  long double kept = 0, squares = 0, mean = 0, most = 0;
  for (const Guarantee& round : rounds) {
    kept += log_kept(round, 1);
    squares += round.epsilon * round.epsilon;
    mean += round.epsilon * std::tanh(round.epsilon / 2);
    most += round.epsilon;
  }
  // No sum has terms of both signs, so N additions have a relative error of at most N roundings.
  const long double slack = kRelativeMargin + kTwoRoundings * static_cast<long double>(rounds.size());
  const auto outward = [&](long double sum) { return static_cast<double>(sum * (1 + slack)); };
  const double left = left_for_loss(delta, outward(kept));
  if (!std::isfinite(most) || std::isnan(left) || left < 0) return std::nullopt;
  if (left < kSmallest) return outward(most);
  return sub_gaussian_epsilon(outward(squares), outward(mean), outward(most), left);
}

std::optional<double> advanced_composition_epsilon_upper(const Guarantee& round, std::uint64_t rounds,
                                                         double delta) {
  const auto k = static_cast<double>(rounds);
  const double left = delta * (1 - kRelativeMargin) - k * round.delta * (1 + kRelativeMargin);
  if (!(left > kSmallest) || std::isinf(round.epsilon)) return std::nullopt;
  const double epsilon =
      std::sqrt(-2 * k * std::log(left)) * round.epsilon + k * round.epsilon * std::expm1(round.epsilon);
  if (!std::isfinite(epsilon)) return std::nullopt;
  return epsilon * (1 + kRelativeMargin);
}

Guarantee subsampled(const Guarantee& mechanism, double rate) {
  const double epsilon = mechanism.epsilon > 700
                             ? mechanism.epsilon
                             : std::log1p(rate * std::expm1(mechanism.epsilon)) * (1 + kRelativeMargin);
  return {numerics::smaller(epsilon, mechanism.epsilon), rate * mechanism.delta * (1 + kRelativeMargin)};
}

namespace {

using EpsilonOfDelta = std::function<std::optional<double>(double delta)>;

std::optional<double> smaller_of(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(numerics::smaller(*a, *b)) : a ? a : b;
}

std::optional<double> best_epsilon(const EpsilonOfDelta& epsilon_of, std::uint64_t rounds, double delta) {
  std::optional<double> best;
  for (const double part : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9}) {
    if (rounds > kFewPasses && part != 0.5) continue;
    const double each = part * delta / static_cast<double>(rounds);
    if (!(each > kSmallest)) continue;
    if (const auto epsilon = epsilon_of(each)) {
      best = smaller_of(best, optimal_composition_epsilon_upper({*epsilon, each}, rounds, delta));
    }
  }
  return best;
}

double delta_of_one_round(const EpsilonOfDelta& epsilon_of, double epsilon) {
  double low = std::log(kSmallest), high = 0;
  const auto answers = [&](double log_delta) {
    const auto found = epsilon_of(std::exp(log_delta));
    return found && *found <= epsilon;
  };
  if (answers(low)) return kSmallest;
  while (high - low > 1e-10) {
    const double middle = low + (high - low) / 2;
    (answers(middle) ? high : low) = middle;
  }
  return numerics::smaller(1.0, std::exp(high));
}

// Returns the least bound on the delta of all rounds that a scan finds. bound_for(delta) is this bound if
// each round has this delta. The scan tries deltas that are a constant factor apart, from the largest one
// down.
std::optional<double> smallest_by_scan(const EpsilonOfDelta& bound_for, std::uint64_t rounds) {
  const auto k = static_cast<double>(rounds);
  const double step = rounds > 10'000 ? 2 : 0.5;           // between the values of ln(delta) that are tried
  double tried = std::numeric_limits<double>::infinity();  // the smallest delta whose bound was computed
  std::optional<double> best;
  for (double log_delta = -0.01; log_delta > -600; log_delta -= step) {
    const double delta = std::exp(log_delta);
    if (best && delta > *best) continue;
    // A smaller delta has no smaller epsilon. So a later bound is at most k * tried below the bound for
    // `tried`, which is all that the rounds' own deltas add there. The search ends where this is less than a
    // thousandth of `best`.
    if (best && tried * k < 1e-3 * *best) break;
    if (const auto bound = bound_for(delta)) {
      best = smaller_of(best, bound);
      tried = delta;
    }
  }
  return best;
}

// Returns the same in at most a dozen calls of `bound_for`. As the delta of each round falls, what the
// rounds' own deltas add to the bound falls with it, and the rest of the bound grows. Where each of the two
// parts is half of the bound, the bound is at most twice the least one. This delta is bracketed by bisection,
// and the least bound is then sought around and below it.
std::optional<double> smallest_by_bisection(const EpsilonOfDelta& bound_for, std::uint64_t rounds) {
  constexpr double kBracket = 4, kTried[] = {2, -2, -4, -7};  // differences of ln(delta)
  const auto k = static_cast<double>(rounds);
  double low = std::log(kSmallest), high = -std::log(k);
  std::optional<double> best;
  while (high - low > kBracket) {
    const double middle = low + (high - low) / 2;
    const std::optional<double> bound = bound_for(std::exp(middle));
    best = smaller_of(best, bound);
    (bound && k * std::exp(middle) > *bound / 2 ? high : low) = middle;
  }
  for (const double difference : kTried) best = smaller_of(best, bound_for(std::exp(low + difference)));
  return best;
}

}  // namespace

std::optional<double> composed_optimally_upper(const EpsilonOfDelta& epsilon_of, std::uint64_t rounds,
                                               const Question& question) {
  if (rounds == 0) return 0;
  if (question.asks_epsilon()) {
    return rounds == 1 ? epsilon_of(question.fixed()) : best_epsilon(epsilon_of, rounds, question.fixed());
  }
  if (rounds == 1) return delta_of_one_round(epsilon_of, question.fixed());
  const auto bound_for = [&](double delta) -> std::optional<double> {
    const auto epsilon = epsilon_of(delta);
    if (!epsilon) return std::nullopt;
    return optimal_composition_delta_upper({*epsilon, delta}, rounds, question.fixed());
  };
  const std::optional<double> best =
      rounds > kFewPasses ? smallest_by_bisection(bound_for, rounds) : smallest_by_scan(bound_for, rounds);
  return numerics::smaller(best.value_or(1), 1.0);
}

}  // namespace muster::accounting

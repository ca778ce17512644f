#include "muster/theorems/everyone/clones.h"

#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/mean_of_terms.h"

namespace muster::accounting {
namespace {

// Encloses the divergence of the clone pair whose clones have probability B = e^-epsilon0 (1 - delta0). A
// clone behaves like either record with probability 1/2. Let E = e^epsilon, q = 1/(e^epsilon0 + 1) and
// p = 1 - q. The term of a client is 2(p - E q)/B for a clone of one record and 2(q - E p)/B for a clone of
// the other, with probability B/2 each, and 0 otherwise. The mean over C ~ Bin(n-1, B) of the divergence
// with C clones is
//     (1/n) * mean of ( sum of n such terms )_+ .
numerics::Enclosure pair(double n, double epsilon0, double epsilon, long double delta0) {
  const long double top = epsilon0;
  const long double clone = std::exp(-top) * (1 - delta0);
  const long double rest = -std::expm1(-top) + std::exp(-top) * delta0;
  const long double twice_q = 2 / (std::expm1(top) + 2);
  const long double high = std::exp(static_cast<long double>(epsilon)) * std::expm1(top - epsilon);
  const long double low = -std::expm1(top + epsilon);
  return numerics::mean_of_terms(
      {{twice_q * high / clone, clone / 2}, {twice_q * low / clone, clone / 2}, {0, rest}}, n);
}

}  // namespace

numerics::Enclosure clone_pair_delta(double n, double epsilon0, double epsilon) {
  if (epsilon >= epsilon0) {
    return {0, 0};
  }
  return pair(n, epsilon0, epsilon, 0);
}

std::optional<double> clone_closed_form_epsilon_upper(double n, double epsilon0, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return std::nullopt;
  }
  // The theorem holds for epsilon0 up to ln(n / (16 ln(2 / delta))), which is rounded down here. The argument
  // takes at most five roundings: 1.5 come from 2 / delta, whose relative error the logarithm may raise by
  // that factor, two from this logarithm and one from the quotient. The outer logarithm takes two.
  const double argument = n / (16 * std::log(2 / delta)) * (1 - numerics::kEightRoundings);
  if (!(epsilon0 <= -numerics::round_up(-std::log(argument)))) {
    return std::nullopt;
  }
  // `hidden` takes three roundings, the logarithm 2.8, and their product 6.8. The root halves these and takes
  // one, and so does the sum, so `spread` takes 5.4. log1p takes two more, so `first` takes 7.4. With
  // x = epsilon0 + first, e^-x takes x + 7.4 first + 2, which is at most 4.1 of 1 + e^-x, because x e^-x and
  // first e^-first are below 0.37, and the sum takes one. The numerator takes two, and the quotient and the
  // product one each. Together these are 14.5, and the last logarithm takes two.
  const double hidden = std::exp(epsilon0) / n;
  const double spread = 8 * (std::sqrt(hidden * std::log(4 / delta)) + hidden);
  const double first = std::log1p(spread);
  return std::log1p(-std::expm1(-epsilon0) / (1 + std::exp(-epsilon0 - first)) * spread) *
         (1 + numerics::kEightyRoundings);
}

std::optional<double> clone_approximate_epsilon_as_published(double n, double epsilon0, double delta0,
                                                             double total) {
  const auto slack = [&](double epsilon) {
    return (std::exp(epsilon) + 1) * (1 + std::exp(-epsilon0) / 2) * n * delta0;
  };
  // epsilon falls as `delta` grows, so the largest delta whose total is at most `total` is best. Bisection
  // finds it.
  double low = 0;
  double high = total;
  std::optional<double> best;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    const std::optional<double> epsilon = clone_closed_form_epsilon_upper(n, epsilon0, middle);
    // If there is no value, `middle` is below the deltas for which the closed form holds.
    if (!epsilon) {
      low = middle;
    } else if (middle + slack(*epsilon) <= total) {
      best = best ? numerics::smaller(*best, *epsilon) : *epsilon;
      low = middle;
    } else {
      high = middle;
    }
  }
  return best;
}

numerics::UpperAndEstimate approximate_clone_pair_delta(double n, double epsilon0, double delta0,
                                                        double epsilon) {
  if (epsilon >= epsilon0) {  // the randomizer's own guarantee, which shuffling keeps
    return {numerics::smaller(1.0, delta0), numerics::smaller(1.0, delta0)};
  }
  const long double grown = std::exp(static_cast<long double>(epsilon));
  const long double outside = delta0 + (1 + grown) * static_cast<long double>(n - 1) *
                                           std::exp(-static_cast<long double>(epsilon0)) * delta0;
  if (!(outside < 1)) {
    return {1, 1};
  }
  const numerics::Enclosure inside = pair(n, epsilon0, epsilon, delta0);
  const auto added = static_cast<double>(outside);
  return {.upper =
              numerics::smaller(1.0, (inside.upper * (1 - delta0) + added) * (1 + numerics::kEightRoundings)),
          .estimate = numerics::smaller(1.0, inside.lower * (1 - delta0) + added)};
}

}  // namespace muster::accounting

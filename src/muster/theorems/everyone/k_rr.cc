#include "muster/theorems/everyone/k_rr.h"

#include <cmath>
#include <utility>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

long double probability_of_another(double k, double epsilon0) {
  return 1 / (std::expm1(static_cast<long double>(epsilon0)) + static_cast<long double>(k));
}

// Returns r - E for r = e^log_ratio and E = e^epsilon, without cancellation.
long double above(long double log_ratio, long double epsilon) {
  return std::exp(epsilon) * std::expm1(log_ratio - epsilon);
}

long double absent(double epsilon) { return -std::expm1(static_cast<long double>(epsilon)); }

// Returns the law of the term of a client that reports with probability `rate` and otherwise has the term
// 1 - E.
std::vector<numerics::Term> with_rate(std::vector<numerics::Term> terms, double rate, double epsilon) {
  for (numerics::Term& term : terms) {
    term.mass *= rate;
  }
  if (rate < 1) {
    terms.push_back({absent(epsilon), 1 - static_cast<long double>(rate)});
  }
  return terms;
}

}  // namespace

std::vector<numerics::Term> k_rr_terms(double k, double epsilon0, double epsilon) {
  const long double b = probability_of_another(k, epsilon0);
  const auto top = static_cast<long double>(epsilon0);
  return {{above(top, epsilon), b},
          {-std::expm1(top + epsilon), b},
          {absent(epsilon), static_cast<long double>(k - 2) * b},
          {0, std::expm1(top) * b}};
}

numerics::Enclosure k_rr_blanket_delta(double n, double k, double epsilon0, double epsilon) {
  return epsilon >= epsilon0 ? numerics::Enclosure{0, 0}
                             : numerics::mean_of_terms(k_rr_terms(k, epsilon0, epsilon), n);
}

numerics::Enclosure k_rr_check_in_delta(double n, double rate, double k, double epsilon0, double epsilon) {
  if (epsilon >= epsilon0) {
    return {0, 0};
  }
  const numerics::Enclosure sum =
      numerics::mean_of_terms(with_rate(k_rr_terms(k, epsilon0, epsilon), rate, epsilon), n);
  const long double local = above(epsilon0, epsilon) * probability_of_another(k, epsilon0);
  const auto everybody = static_cast<double>(std::exp(n * std::log(static_cast<long double>(rate))) * local);
  // The divergence is at most `cap`, by its joint convexity.
  const double cap = static_cast<double>(rate * local) * (1 + numerics::kEightRoundings);
  const double upper = numerics::smaller((sum.upper + everybody) * (1 + numerics::kEightRoundings), cap);
  return {numerics::smaller(sum.lower, upper), upper};
}

numerics::Enclosure k_rr_dataset_delta(const RoundShape& shape, double k, double epsilon0, OthersHold others,
                                       double epsilon) {
  // No likelihood ratio exceeds e^epsilon0, so delta is 0 from there on.
  if (epsilon >= epsilon0) return {0, 0};
  const long double b = probability_of_another(k, epsilon0);
  const auto top = static_cast<long double>(epsilon0);
  const long double kept = b * std::exp(top);
  const auto rest = static_cast<long double>(k - 2) * b;
  std::vector<numerics::Term> terms;
  if (others == OthersHold::alternative) {  // relative to R(x'): the terms of x, x' and other symbols
    terms = {{above(top, epsilon), b}, {above(-top, epsilon), kept}, {absent(epsilon), rest}};
  } else if (others == OthersHold::own) {  // relative to R(x): the terms of x, x' and other symbols
    terms = {{-std::expm1(epsilon - top), kept}, {-std::expm1(epsilon + top), b}, {absent(epsilon), rest}};
  } else {  // relative to R(third): the terms of x, x', the third symbol and other symbols
    terms = {{above(top, epsilon), b},
             {-std::expm1(epsilon + top), b},
             {absent(epsilon) / std::exp(top), kept},
             {absent(epsilon), numerics::larger(0.0L, rest - b)}};
  }
  return numerics::mean_of_terms(with_rate(std::move(terms), shape.rate, epsilon), shape.clients, shape.count,
                                 absent(epsilon));
}

}  // namespace muster::accounting

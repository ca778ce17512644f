#include "muster/papers/published/published_clones.h"

#include <cmath>
#include <optional>
#include <string>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_shuffle_gaussian.h"
#include "muster/theorems/everyone/clones.h"

namespace muster::accounting {
namespace {

const char* const kFeldman = "Feldman, McMillan, Talwar, Hiding Among the Clones, FOCS 2021, ";
const char* const kComposed = "; composed by Kairouz, Oh, Viswanath, 2015, Theorem 3.3";

constexpr double kLargestEpsilon0 = 40;  // above this epsilon0, amplification would take e^40 clients

// Returns the values of delta0 to try: delta / n, halved repeatedly down to 1e-5 delta / n.
std::vector<double> shares(double delta, double clients) {
  std::vector<double> tried;
  for (double share = 1; share > 1e-5; share /= 2)
    tried.push_back(share * numerics::smaller(1.0, delta) / clients);
  return tried;
}

Bound composed(const std::function<std::optional<double>(double)>& epsilon_of, std::uint64_t rounds,
               const Question& question) {
  Bound bound;
  bound.upper = composed_optimally_upper(epsilon_of, rounds, question);
  if (!bound.upper) bound.assumptions.push_back("no epsilon at this delta");
  return bound;
}

}  // namespace

Bound clone_closed_form_bound(double clients, double epsilon0, std::uint64_t rounds,
                              const Question& question) {
  Bound bound =
      composed([&](double delta) { return clone_closed_form_epsilon_upper(clients, epsilon0, delta); },
               rounds, question);
  bound.id = "feldman-2021-theorem-3-1";
  bound.validity = Validity::as_published;
  bound.citation = std::string(kFeldman) + "Theorem 3.1, closed form" + kComposed;
  bound.assumptions.push_back(
      "the closed form's constants are quoted; the clone pair, its numerical form, is proven and smaller");
  return bound;
}

Bound clone_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                              const Question& question) {
  Bound bound = composed(
      [&](double delta) {
        std::optional<double> least;
        for (const double delta0 : shares(delta, clients)) {
          const std::optional<double> epsilon =
              clone_approximate_epsilon_as_published(clients, epsilon0(delta0), delta0, delta);
          if (epsilon && (!least || *epsilon < *least)) least = epsilon;
        }
        return least;
      },
      rounds, question);
  bound.id = "feldman-2021-theorem-3-8";
  bound.validity = Validity::as_published;
  bound.citation = std::string(kFeldman) + "Theorem 3.8, closed form for (epsilon0, delta0)" + kComposed;
  bound.assumptions.push_back("quoted, not proved here; the (epsilon0, delta0) clone pair is");
  return bound;
}

Bound clone_pair_approximate_bound(double clients, const LocalGuarantee& epsilon0, std::uint64_t rounds,
                                   const Question& question) {
  const auto epsilon_of = [&](double delta) -> std::optional<double> {
    std::optional<double> least;
    for (const double delta0 : shares(delta, clients)) {
      const double local = epsilon0(delta0);
      if (!(local <= kLargestEpsilon0)) continue;
      const auto holds = [&](double epsilon) {
        return approximate_clone_pair_delta(clients, local, delta0, epsilon).upper <=
               delta * (1 - numerics::kEightThousandRoundings);
      };
      // At epsilon >= epsilon0 the pair's delta is delta0, which is at most `delta`.
      double low = 0, high = least ? numerics::smaller(*least, local) : local;
      if (!holds(high)) continue;
      if (holds(0)) return 0;
      while (high - low > 1e-5 * high) {
        const double middle = low + (high - low) / 2;
        (holds(middle) ? high : low) = middle;
      }
      least = high;
    }
    return least;
  };
  Bound bound = composed(epsilon_of, rounds, question);
  bound.id = "clone-pair-approximate";
  bound.validity = Validity::proven;
  bound.citation =
      std::string(kFeldman) + "the pair for (epsilon0, delta0); docs/theory/clones.md" + kComposed;
  return bound;
}

std::vector<Bound> clone_bounds_pure(double clients, double epsilon0, std::uint64_t rounds,
                                     const Question& question) {
  return {timed([&] { return clone_closed_form_bound(clients, epsilon0, rounds, question); })};
}

std::vector<Bound> clone_bounds_gaussian(double clients, double mu, std::uint64_t rounds,
                                         const Question& question) {
  const auto epsilon0 = [mu](double delta0) {
    return published_shuffle_gaussian::gaussian_guarantee(mu, delta0).epsilon;
  };
  return {timed([&] { return clone_pair_approximate_bound(clients, epsilon0, rounds, question); }),
          timed([&] { return clone_approximate_bound(clients, epsilon0, rounds, question); })};
}

}  // namespace muster::accounting

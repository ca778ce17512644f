#include "muster/numerics/sums/expected_excess.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/excess_by_contour.h"
#include "muster/numerics/sums/rare_terms.h"
#include "muster/numerics/sums/smoothed_excess.h"
#include "muster/numerics/sums/sparse_sum.h"
#include "muster/numerics/sums/term_pairs.h"

namespace muster::numerics {
namespace {

using Found = std::optional<Enclosure>;

// One or two terms: exact, from sorted atoms (term_pairs.h).
Found one_or_two(const AtomicLaw& law, double n, double k) {
  return n <= 2 && law.points.size() > 3 ? Found(excess_of_one_or_two(law, n, k)) : std::nullopt;
}

// A sum over how many terms equal each of at most three atoms.
Found all_counts(const AtomicLaw& law, double n, double k) {
  return enumerable(law, n) ? Found(enumerated_excess(law, n, k)) : std::nullopt;
}

// For a law of many atoms: rare large terms are treated separately.
Found rare_terms(const AtomicLaw& law, double n, double k) {
  constexpr std::size_t kMany = 64;  // with fewer atoms, a contour integral takes little work
  return law.points.size() >= kMany && n >= 2 ? excess_with_rare_terms(law, n, k) : std::nullopt;
}

// The strategies in the order in which they are tried, the more exact strategies first. Each returns none
// where it does not apply. If all return none, the contour integral is used (excess_by_contour.h).
constexpr std::array kStrategies{
    one_or_two,        // n <= 2 and more than 3 atoms
    few_terms_excess,  // few terms are expected away from zero (sparse_sum.h)
    all_counts,        // n <= 100 and at most 3 atoms (enumerated_excess.h)
    rare_terms,        // at least 64 atoms, of which some are rare and large (rare_terms.h)
};

// The sign of a fused multiply-add is exact. A rounded product can hide an excess: the double 0.1 is a little
// more than a tenth, so the sum of 10 copies exceeds 1, but 10 * 0.1 is rounded to 1.
bool never_exceeded(const AtomicLaw& law, double n, double k) {
  return law.points.empty() || std::fma(n, law.largest_point(), -k) <= 0;
}

}  // namespace

Enclosure expected_excess(const AtomicLaw& law, double n, double k) {
  if (!std::isfinite(k))
    // An infinite or NaN threshold must not look like an excess of 0.
    return {0, std::numeric_limits<double>::infinity()};
  contour::Jensen jensen(k);
  jensen.add(law, 1, n);
  if (never_exceeded(law, n, k)) {
    return jensen.value();
  }
  for (const auto strategy : kStrategies) {
    if (const Found found = strategy(law, n, k)) {
      return jensen.raise(*found);
    }
  }
  return jensen.raise(excess_by_contour(law, n, k));
}

double expected_excess_chernoff(const AtomicLaw& law, double n, double k) {
  if (!std::isfinite(k)) return std::numeric_limits<double>::infinity();
  if (never_exceeded(law, n, k)) {
    return larger(0.0, n * law.mean() - k);
  }
  const double c = excess_saddle(law, n, k);
  return chernoff_bound(n * log_mgf_above(law, c), c, k);
}

}  // namespace muster::numerics

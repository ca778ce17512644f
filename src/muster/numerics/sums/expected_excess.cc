#include "muster/numerics/sums/expected_excess.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/excess_by_contour.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/rare_terms.h"
#include "muster/numerics/sums/smoothed_excess.h"
#include "muster/numerics/sums/sparse_sum.h"
#include "muster/numerics/sums/term_pairs.h"

namespace muster::numerics {
namespace {

using Found = std::optional<Enclosure>;

// For laws of at least this many atoms, rare large terms are treated separately before an integral over the
// whole law is tried. With fewer atoms, each frequency of the integral takes little work.
constexpr std::size_t kMany = 64;
// If an enclosure is wider than this, relative to its upper end, a second method is worth its work.
constexpr double kWide = 1e-2;

// Sums of one or two terms are computed exactly from the sorted atoms (term_pairs.h).
Found one_or_two(const AtomicLaw& law, double n, double k) {
  return n <= 2 && law.points.size() > 3 ? Found(excess_of_one_or_two(law, n, k)) : std::nullopt;
}

// Sums of which few terms are expected away from zero are computed from these terms (sparse_sum.h). If the
// enclosure would be wider than kWideFewTerms, the sum is left to the other strategies.
constexpr double kWideFewTerms = 1e-3;
Found few_terms(const AtomicLaw& law, double n, double k) {
  return few_terms_excess(law, n, k, kWideFewTerms);
}

// Sums over how many terms equal each of at most three atoms (enumerated_excess.h).
Found all_counts(const AtomicLaw& law, double n, double k) {
  return enumerable(law, n) ? Found(enumerated_excess(law, n, k)) : std::nullopt;
}

// For a law of many atoms, rare large terms are treated separately (rare_terms.h).
Found rare_terms(const AtomicLaw& law, double n, double k) {
  return law.points.size() >= kMany && n >= 2 ? excess_with_rare_terms(law, n, k) : std::nullopt;
}

// The strategies in the order in which they are tried, the more exact strategies first. Each returns nullopt
// where it does not apply. If all return nullopt, integral_or_rare_terms() is used.
constexpr std::array kStrategies{
    one_or_two,  // n <= 2 and more than 3 atoms
    few_terms,   // few terms are expected away from zero (sparse_sum.h)
    all_counts,  // n <= 100 and at most 3 atoms (enumerated_excess.h)
    rare_terms,  // at least 64 atoms, of which some are rare and large (rare_terms.h)
};

bool is_narrow(const Enclosure& found) {
  return std::isfinite(found.upper) && found.upper - found.lower <= kWide * found.upper;
}

// The contour integral. For a law of few atoms, rare large terms are treated separately where the integral
// would take many frequencies or its enclosure is wide. An example is a law with one atom that is a thousand
// standard deviations of the others away from them. As a last resort, for any law whose integral is wide,
// pairs of large terms are enclosed: with few terms of a heavy-tailed law, two large ones together may
// decide.
Enclosure integral_or_rare_terms(const AtomicLaw& law, double n, double k) {
  const bool few = law.points.size() < kMany && n >= 2;
  const bool costly =
      few && !finest_is_affordable(std::array{LawCopies{&law, n}}, k, excess_saddle(law, n, k));
  Found rare = costly ? excess_with_rare_terms(law, n, k) : std::nullopt;
  if (rare && is_narrow(*rare)) {
    return *rare;
  }
  const Enclosure integral = excess_by_contour(law, n, k);
  if (!is_narrow(integral) && n >= 2) {
    if (few && !costly) rare = excess_with_rare_terms(law, n, k);
    // A lower end of 0 means that the integral was not computed, or lost all its digits. Then the value is
    // far in the tail, where pairs take much work for little.
    if (!rare && integral.lower > 0) rare = excess_with_rare_pairs(law, n, k);
  }
  return rare ? Enclosure{larger(rare->lower, integral.lower), smaller(rare->upper, integral.upper)}
              : integral;
}

Enclosure by_first_strategy(const AtomicLaw& law, double n, double k) {
  for (const auto strategy : kStrategies) {
    if (const Found found = strategy(law, n, k)) {
      return *found;
    }
  }
  return integral_or_rare_terms(law, n, k);
}

// Whether no sum of n terms exceeds k. The sign of a fused multiply-add is exact, while a rounded product
// can hide an excess: the double 0.1 is a little more than a tenth, so the sum of 10 copies exceeds 1, but
// 10 * 0.1 is rounded to 1.
bool never_exceeded(const AtomicLaw& law, double n, double k) {
  return law.points.empty() || std::fma(n, law.largest_point(), -k) <= 0;
}

}  // namespace

Enclosure expected_excess(const AtomicLaw& law, double n, double k) {
  // An infinite or NaN threshold, point or weight must not look like an excess of 0.
  if (!std::isfinite(k) || !law.finite()) return {0, std::numeric_limits<double>::infinity()};
  contour::Jensen jensen(k);
  jensen.add(law, 1, n);
  if (never_exceeded(law, n, k)) {
    return jensen.value();
  }
  // Where squares of the atoms are beyond the range of a double, the ends may be NaN. They are then replaced
  // by 0 and infinity.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Enclosure found = by_first_strategy(law, n, k);
  if (!is_narrow(found)) {
    // Far in the tail, where a strategy only bounds what it leaves out, Chernoff's bound can be much smaller.
    const double chernoff = expected_excess_chernoff(law, n, k);
    if (chernoff < found.upper) found.upper = chernoff;
  }
  return jensen.raise({as_lower_bound(found.lower, kInfinity), as_upper_bound(found.upper, kInfinity)});
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

#include "muster/numerics/sums/mean_of_terms.h"

#include <cmath>
#include <limits>
#include <optional>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/weight_error.h"

namespace muster::numerics {
namespace {

constexpr double kDeep = 1e-80;  // if Chernoff's bound on the mean is below this, it is not refined
// If at most this many terms are expected not to have the heaviest value (the centre), the counts of the
// other values (up to three) are enumerated.
long double few(std::size_t values) { return values <= 2 ? 60 : 10; }

// If the masses sum to more than 1 minus this, the difference from 1 is taken to be round-off and not mass at
// 0.
constexpr long double kRoundOff = 1e-18L;

// The unit round-off of a long double.
constexpr long double kExtendedRoundoff = 0x1p-64L;

// Eighteen rounding errors of 2^-64, relative to the size of what is added and subtracted.
constexpr long double kPart = 1e-18L;

// 1,844 rounding errors of 2^-64, for the probabilities of enumerate_few() and the sums over them. With
// kExtendedRoundings, which covers ten thousand more, it covers the most that they take, 2,400. These are
// five for each step of a recurrence and three for its odds, in at most 168 steps; eight for each unit of the
// exponent of `nobody`, which is at most 64; and 168 for the sum over the counts of each of three values.
constexpr long double kProbability = 1e-16L;

struct Centred {
  std::vector<Term> terms;  // nonzero values relative to `centre`, and their masses
  long double centre;       // the heaviest value
  long double mass;         // the total mass of `terms`
  long double mean;         // E X
  long double magnitude;    // E |X|
  long double positive;     // E (X)_+
  long double threshold;    // the threshold for the sum of the centred terms
  // The threshold is a sum of two parts. `cancelled` is the sum of their moduli less the modulus of their
  // sum, which is 0 if both have the same sign. The parts' rounding errors are relative to their moduli.
  long double cancelled;
};

Centred centred(const std::vector<Term>& terms) {
  long double rest = 1;
  Centred law{{}, 0, 0, 0, 0, 0, 0, 0};
  for (const Term& term : terms) {
    rest -= term.mass;
    law.mean += term.value * term.mass;
    law.magnitude += std::abs(term.value) * term.mass;
    law.positive += larger(0.0L, term.value) * term.mass;
  }
  rest = rest > kRoundOff ? rest : 0;
  long double heaviest = rest;
  for (const Term& term : terms) {
    if (term.mass > heaviest) {
      heaviest = term.mass;
      law.centre = term.value;
    }
  }
  const auto add = [&law](long double value, long double mass) {
    if (value != law.centre && mass > 0) {
      law.terms.push_back({value - law.centre, mass});
      law.mass += mass;
    }
  };
  for (const Term& term : terms) {
    add(term.value, term.mass);
  }
  add(0, rest);
  return law;
}

// E(S - threshold)_+ for the sum S of n centred terms, summed over the counts of up to three values; nullopt
// unless few terms are expected away from the centre. Multinomial probabilities come from recurrences of
// positive terms. Let C ~ Bin(n, law.mass) be the number of terms away from the centre. The part with C above
// `most` is bounded: S is at most C times the largest value, and the tail of C falls faster than a geometric
// series of ratio 1/2.
std::optional<Enclosure> enumerate_few(const Centred& law, long double n) {
  if (law.terms.size() > 3 || n * law.mass > few(law.terms.size()) || law.mass > 0.1L) {
    return std::nullopt;
  }
  const auto most = static_cast<int>(smaller(n, n * law.mass + 30 + 10 * std::sqrt(n * law.mass)));
  const long double nobody = std::exp(n * std::log1p(-law.mass));
  struct Means {
    long double total = 0;
    long double size = 0;  // the mean of the moduli of all that is added and subtracted
  };
  const long double size_of_threshold = std::abs(law.threshold) + law.cancelled;
  // `chance` is the probability of the counts fixed so far, with all other terms at the centre. The counts of
  // each value are added up by themselves, because one sum over all of up to 65,000 combinations would take
  // as many roundings.
  const auto visit = [&](const auto& self, std::size_t atom, int used, long double sum, long double magnitude,
                         long double chance) -> Means {
    Means means;
    if (atom == law.terms.size()) {
      // Rounding may bring a sum that is above the threshold down to it. Such a sum still counts in `size`.
      const long double above = sum - law.threshold, around = magnitude + size_of_threshold;
      if (above > -kPart * around) {
        means = {chance * larger(0.0L, above), chance * around};
      }
      return means;
    }
    const long double odds = law.terms[atom].mass / (1 - law.mass);
    for (int c = 0; used + c <= most; ++c) {
      const long double part = static_cast<long double>(c) * law.terms[atom].value;
      const Means of_count = self(self, atom + 1, used + c, sum + part, magnitude + std::abs(part), chance);
      means.total += of_count.total;
      means.size += of_count.size;
      chance *= odds * (n - static_cast<long double>(used + c)) / static_cast<long double>(c + 1);
    }
    return means;
  };
  const auto [total, size] = visit(visit, 0, 0, 0, 0, nobody);
  long double largest = 0;
  for (const Term& term : law.terms) {
    largest = larger(largest, term.value);
  }
  long double tail = nobody;  // after the loop: P(C = most + 1)
  for (int c = 0; c <= most; ++c) {
    tail *= law.mass / (1 - law.mass) * (n - static_cast<long double>(c)) / static_cast<long double>(c + 1);
  }
  const long double each = 4 * larger(0.0L, tail);
  const long double beyond =
      each * (largest * (static_cast<long double>(most) + 1) + larger(0.0L, -law.threshold));
  const long double error = kProbability * total + kPart * size;
  if (beyond + error > 1e-9L * total) {
    return std::nullopt;  // a far tail or a cancelling difference, for which the contour integral is better
  }
  return Enclosure{static_cast<double>((total - error) * (1 - kExtendedRoundings)),
                   static_cast<double>((total + error + beyond) * (1 + kExtendedRoundings))};
}

// Rounds x up or down, as `up` says, by at least one ulp of double and by more than the error of x. x is a
// sum or difference of two extended values whose moduli add up to `size`. The two values are wrong by a few
// roundings of a long double each, and the sum by one; kPart covers eighteen. The conversion to double is
// wrong by half an ulp at most, and `slack` moves the result by at least a whole one.
double outward(long double x, long double size, bool up) {
  const auto rounded = static_cast<double>(x);
  const double slack = std::abs(rounded) * kUlpAbove + static_cast<double>(size * kPart);
  return up ? rounded + slack : rounded - slack;
}

// Whether a double would hold the mass only with an absolute error, not with a relative one.
bool is_subnormal(const Term& term) {
  return term.mass > 0 && term.mass < static_cast<long double>(std::numeric_limits<double>::min());
}

struct Rounded {
  AtomicLaw law;
  double threshold;
};

Rounded rounded(const Centred& law, bool up) {
  Rounded result{{}, outward(law.threshold, law.cancelled, !up)};
  for (const Term& term : law.terms) {
    auto mass = static_cast<double>(term.mass);
    if (is_subnormal(term)) {
      constexpr double kLeast = std::numeric_limits<double>::denorm_min();
      mass = up ? mass + kLeast : larger(0.0, mass - kLeast);
    }
    result.law.add(outward(term.value, std::abs(term.value) + std::abs(law.centre), up), mass);
  }
  return result;
}

Enclosure by_contour(const Centred& law, double n) {
  const Rounded above = rounded(law, true);
  const double weights = weight_error(n * static_cast<double>(law.mass));
  const double chernoff = expected_excess_chernoff(above.law, n, above.threshold) * weights;
  if (chernoff < kDeep * n) {
    return {0, chernoff * (1 + kEightThousandRoundings)};
  }
  Enclosure ends = expected_excess(above.law, n, above.threshold);
  // Rounding the points and the threshold changes the expectation by less than `shift`. outward() moves a
  // number by kUlpAbove, which is 2.1 roundings (slack.h), and by kPart of its size, which is 0.01 roundings.
  // Its own arithmetic adds two roundings, and the error of the extended number adds as much as kPart. So
  // kEightRoundings covers the change of a point and that of the threshold, with room for the arithmetic of
  // `shift`; for the part of the threshold that cancels, only twice kPart is needed. In far tails `shift` is
  // too much; the lower end is then computed from a law that is rounded down.
  double shift = 0;
  for (const Term& term : law.terms) {
    shift +=
        n * static_cast<double>(term.mass * (std::abs(term.value) + std::abs(law.centre))) * kEightRoundings;
    if (is_subnormal(term)) shift = std::numeric_limits<double>::infinity();
  }
  shift += static_cast<double>(std::abs(law.threshold)) * kEightRoundings;
  shift += static_cast<double>(law.cancelled * (2 * kPart));
  if (shift < 1e-8 * ends.lower) {
    ends.lower -= shift;
  } else {
    const Rounded below = rounded(law, false);
    ends.lower = expected_excess(below.law, n, below.threshold).lower;
  }
  // Where one value is far from the other values, the logarithm of the moment generating function is near 0.
  // Its absolute error, about 2^-52, is multiplied by n.
  const double transform = 1 + kEightRoundings * (n + 1);
  return {ends.lower / weights / transform, ends.upper * weights * transform};
}

}  // namespace

Enclosure mean_of_terms(const std::vector<Term>& terms, double n, double count, long double constant) {
  Centred law = centred(terms);
  const auto known = static_cast<long double>(n - count);
  const long double at_centre = static_cast<long double>(count) * law.centre, at_constant = known * constant;
  law.threshold = -(at_centre + at_constant);
  law.cancelled = std::abs(at_centre) + std::abs(at_constant) - std::abs(law.threshold);
  const std::optional<Enclosure> few = enumerate_few(law, count);
  const Enclosure sum = few ? *few : by_contour(law, count);
  // By Jensen's inequality, the result lies between (mean)_+ and the mean of the positive parts.
  const long double share = static_cast<long double>(count) / static_cast<long double>(n);
  const auto outer = static_cast<double>((share * law.positive + (1 - share) * larger(0.0L, constant)) *
                                         (1 + kExtendedRoundings));
  // The mean adds up numbers of both signs. Each addition may err by 2^-64 of their total modulus. Sixteen
  // more roundings are allowed for the errors of the values themselves, their products with masses, and the
  // two shares.
  const long double lost = kExtendedRoundoff * static_cast<long double>(terms.size() + 16) *
                           (share * law.magnitude + (1 - share) * std::abs(constant));
  const auto inner = static_cast<double>(larger(0.0L, share * law.mean + (1 - share) * constant - lost) *
                                         (1 - kExtendedRoundings));
  const double upper = sum.upper / n * (1 + kEightRoundings);
  const double lower = sum.lower / n * (1 - kEightRoundings);
  const double top = upper < outer ? upper : outer;  // also replaces an `upper` that is NaN
  return {smaller(lower > inner ? lower : inner, top), top};
}

Enclosure mean_of_terms(const std::vector<Term>& terms, double n) { return mean_of_terms(terms, n, n, 0); }

}  // namespace muster::numerics

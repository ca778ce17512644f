// Compares two things with a sum over every outcome of up to six random terms: the bounds that rare_terms.h
// states, and the enclosures that the code returns. If the bounds are made with one term too few, the test
// must notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <random>
#include <vector>

#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/rare_terms.h"

namespace muster::numerics {
namespace {

constexpr long double kSmall = 1e-13L;  // relative round-off of sums of positive terms

struct SumAtom {
  long double sum;
  long double probability;
};
using SumAtoms = std::vector<SumAtom>;

SumAtoms atoms_of(const AtomicLaw& law) {
  SumAtoms all;
  long double rest = 1;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    all.push_back({law.points[i], law.weights[i]});
    rest -= law.weights[i];
  }
  all.push_back({0, std::max(rest, 0.0L)});
  return all;
}

// Every outcome of the sum of `count` independent terms.
SumAtoms power(const SumAtoms& term, int count) {
  SumAtoms all{{0, 1}};
  for (int i = 0; i < count; ++i) {
    SumAtoms next;
    next.reserve(all.size() * term.size());
    for (const SumAtom& x : all) {
      for (const SumAtom& y : term) {
        next.push_back({x.sum + y.sum, x.probability * y.probability});
      }
    }
    all = std::move(next);
  }
  return all;
}

SumAtoms added(const SumAtoms& a, const SumAtoms& b) {
  SumAtoms all;
  for (const SumAtom& x : a) {
    for (const SumAtom& y : b) {
      all.push_back({x.sum + y.sum, x.probability * y.probability});
    }
  }
  return all;
}

long double excess(const SumAtoms& all, long double k) {
  long double value = 0;
  for (const SumAtom& x : all) {
    value += std::max(0.0L, x.sum - k) * x.probability;
  }
  return value;
}

// A law of random atoms of both signs, on a lattice or not. Their sizes span seven powers of e, and larger
// atoms are rarer.
AtomicLaw random_law(int atoms, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const bool lattice = uniform(engine) < 0.3;
  const double zero = uniform(engine) < 0.5 ? 0 : uniform(engine) * 0.99;
  const double right = uniform(engine);
  AtomicLaw law;
  double total = 0;
  for (int i = 0; i < atoms; ++i) {
    const double size = std::exp(7 * uniform(engine) - 2);
    const double signed_size = uniform(engine) < right ? size : -size;
    const double point = lattice ? std::round(4 * signed_size) / 4 : signed_size;
    const double weight = std::pow(size, -1 - 3 * uniform(engine)) * (uniform(engine) + 0.01);
    law.add(point == 0 ? 0.25 : point, weight);
    total += weight;
  }
  for (double& w : law.weights) {
    w *= (1 - zero) / total;
  }
  return law;
}

// The bounds that rare_terms.h states for E(S - k)_+, computed with exact expected excesses. `missing` is the
// number of terms that statement() wrongly leaves out of the sums of the terms that are not large.
struct Statement {
  long double least, most;
};

Statement statement(const AtomicLaw& law, int n, long double k, double size, double low_size, int missing) {
  SumAtoms bulk, capped, large;
  long double chance = 0, mean_beyond = 0, low_chance = 0;
  for (const SumAtom& atom : atoms_of(law)) {
    if (atom.sum > size) {
      large.push_back(atom);
      chance += atom.probability;
      mean_beyond += atom.probability * (atom.sum - size);
      capped.push_back({size, atom.probability});
    } else {
      const bool low = atom.sum < -low_size;
      low_chance += low ? atom.probability : 0;
      bulk.push_back({low ? -low_size : atom.sum, atom.probability});
      capped.push_back(bulk.back());
    }
  }
  for (SumAtom& atom : bulk) {
    atom.probability /= 1 - chance;
  }
  const long double terms = n;
  const SumAtoms others = power(bulk, n - 1 - missing);
  const SumAtoms capped_others = power(capped, std::max(0, n - 2 - missing));
  long double value = std::pow(1 - chance, terms) * excess(power(bulk, n), k);
  long double two = terms * chance * terms * mean_beyond;
  for (const SumAtom& y : large) {
    value += terms * std::pow(1 - chance, terms - 1) * y.probability * excess(others, k - y.sum);
    two += terms * y.probability * excess(capped_others, k - 2 * y.sum);
  }
  two *= 0.5L * terms * chance;
  const long double raised =
      terms * low_chance * (excess(power(capped, n - 1 - missing), k + low_size) + terms * mean_beyond);
  return {value - raised, value + two};
}

// The same bounds where the part with two large terms is exact and no terms are raised. `least` has the parts
// with no, one and two large terms, and `most` adds the bound on three or more. `missing` is the number of
// terms that the sums of the others wrongly leave out, next to two or three large terms.
Statement statement_with_pairs(const AtomicLaw& law, int n, long double k, double size, int missing) {
  SumAtoms bulk, capped, large;
  long double chance = 0, mean_beyond = 0;
  for (const SumAtom& atom : atoms_of(law)) {
    const bool beyond = atom.sum > size;
    chance += beyond ? atom.probability : 0;
    mean_beyond += beyond ? atom.probability * (atom.sum - size) : 0;
    (beyond ? large : bulk).push_back(atom);
    capped.push_back({beyond ? size : atom.sum, atom.probability});
  }
  for (SumAtom& atom : bulk) atom.probability /= 1 - chance;
  const long double terms = n;
  const SumAtoms others = power(bulk, n - 1), two_less = power(bulk, std::max(0, n - 2 - missing));
  const SumAtoms capped_others = power(capped, std::max(0, n - 3 - missing));
  long double value = std::pow(1 - chance, terms) * excess(power(bulk, n), k);
  long double three = terms * chance * terms * mean_beyond;
  for (const SumAtom& y : large) {
    value += terms * std::pow(1 - chance, terms - 1) * y.probability * excess(others, k - y.sum);
    three += terms * y.probability * excess(capped_others, k - 3 * y.sum);
    for (const SumAtom& other : large) {
      value += 0.5L * terms * (terms - 1) * std::pow(1 - chance, terms - 2) * y.probability *
               other.probability * excess(two_less, k - y.sum - other.sum);
    }
  }
  three *= terms * chance * terms * chance / 6;
  return {value, value + three};
}

std::vector<long double> thresholds(const AtomicLaw& law, int n) {
  const double deviation = std::sqrt(n * law.variance());
  std::vector<long double> all{0};
  for (const double z : {-2.0, -0.5, 0.3, 1.0, 2.5, 6.0, 20.0}) {
    all.push_back(n * law.mean() + z * deviation);
  }
  return all;
}

// Checks for random laws, sizes and thresholds that a statement holds, and that it is often violated if its
// sums have one term too few. `state(law, n, k, size, low_size, missing)` is the statement with `missing`
// terms left out.
template <typename State>
void expect_to_hold_and_one_term_fewer_to_be_caught(unsigned seed, const State& state) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  int cases = 0, violations = 0, caught = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 2 + trial % 5;
    const AtomicLaw law = random_law(n <= 3 ? 9 : n <= 4 ? 6 : 4, engine);
    const SumAtoms sum = power(atoms_of(law), n);
    const double size = law.largest_point() * std::pow(uniform(engine), 3);
    const double low_size = -law.smallest_point() * std::pow(uniform(engine), 3);
    if (!(size > 0)) continue;
    for (const long double k : thresholds(law, n)) {
      const long double truth = excess(sum, k);
      const long double allowed = kSmall * (truth + std::fabs(k));
      const Statement right = state(law, n, k, size, low_size, 0);
      ++cases;
      violations += truth < right.least - allowed || truth > right.most + allowed;
      const Statement wrong = state(law, n, k, size, low_size, 1);
      caught += truth < wrong.least - allowed || truth > wrong.most + allowed;
    }
  }
  EXPECT_EQ(violations, 0) << "of " << cases;
  EXPECT_GT(cases, 2000);
  EXPECT_GT(caught, cases / 50);
  std::printf("%d cases; with one term fewer %d are violated\n", cases, caught);
}

TEST(RareTermsEnumeration, TheStatementHoldsAndOneTermFewerIsCaught) {
  expect_to_hold_and_one_term_fewer_to_be_caught(17, statement);
}

TEST(RareTermsEnumeration, TheStatementWithPairsHoldsAndOneTermFewerIsCaught) {
  expect_to_hold_and_one_term_fewer_to_be_caught(
      23, [](const AtomicLaw& law, int n, long double k, double size, double /*low_size*/, int fewer) {
        return statement_with_pairs(law, n, k, size, fewer);
      });
}

// Tests what a function returns for random laws that have enough atoms to be split at various sizes.
void expect_to_enclose_every_outcome(std::optional<Enclosure> (*function)(const AtomicLaw&, double, double)) {
  std::mt19937_64 engine(18);
  int cases = 0, taken_apart = 0, violations = 0, caught = 0;
  for (int trial = 0; trial < 260; ++trial) {
    // The enumeration allows n = 2 or 3, and for laws of few atoms n = 5 or 6.
    const int n = trial % 8 < 6 ? 2 + trial % 2 : trial % 8 - 1;
    const AtomicLaw law = random_law(n == 2 ? 300 : n == 3 ? 45 : n == 5 ? 8 : 6, engine);
    const SumAtoms term = atoms_of(law);
    const SumAtoms sum = power(term, n), fewer = power(term, n - 1);
    for (const long double k : thresholds(law, n)) {
      const auto got = function(law, n, static_cast<double>(k));
      ++cases;
      if (!got) continue;
      ++taken_apart;
      const long double truth = excess(sum, k), allowed = kSmall * (truth + 100 * std::fabs(k));
      violations += truth < got->lower - allowed || truth > got->upper + allowed;
      const long double without = excess(fewer, k);  // the exact value for one term fewer
      caught += without < got->lower - allowed || without > got->upper + allowed;
    }
  }
  EXPECT_EQ(violations, 0) << "of " << taken_apart;
  EXPECT_GT(taken_apart, cases / 3);
  EXPECT_GT(caught, taken_apart / 2);
  std::printf("%d cases, %d taken apart; one term fewer lies outside %d\n", cases, taken_apart, caught);
}

TEST(RareTermsEnumeration, EnclosesEveryOutcome) { expect_to_enclose_every_outcome(excess_with_rare_terms); }

TEST(RareTermsEnumeration, EnclosesEveryOutcomeWithPairs) {
  expect_to_enclose_every_outcome(excess_with_rare_pairs);
}

// Tests excess_of_laws() with copies of two laws, at the saddle point and on a random contour.
TEST(RareTermsEnumeration, CopiesOfTwoLawsAreEnclosed) {
  std::mt19937_64 engine(19);
  std::uniform_real_distribution<double> uniform(0, 1);
  int cases = 0, violations = 0, caught = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 5;
    const AtomicLaw many = random_law(n <= 2 ? 40 : n == 3 ? 16 : 6, engine);
    const AtomicLaw one = random_law(12, engine);
    const SumAtoms sum = added(power(atoms_of(many), n), atoms_of(one));
    const SumAtoms fewer = added(power(atoms_of(many), n - 1), atoms_of(one));
    const double deviation = std::sqrt(n * many.variance() + one.variance());
    const double mean = n * many.mean() + one.mean();
    for (const double z : {-1.0, 0.2, 1.0, 4.0}) {
      const double k = mean + z * deviation;
      const std::array parts{LawCopies{&many, 1.0 * n}, LawCopies{&one, 1}};
      const long double truth = excess(sum, k), without = excess(fewer, k);
      const long double allowed = kSmall * (truth + 100 * std::fabs(k));
      for (const Enclosure& got :
           {excess_of_laws(parts, k), excess_of_laws(parts, k, (0.5 + uniform(engine)) / deviation)}) {
        ++cases;
        violations += truth < got.lower - allowed || truth > got.upper + allowed;
        caught += without < got.lower - allowed || without > got.upper + allowed;
      }
    }
  }
  EXPECT_EQ(violations, 0) << "of " << cases;
  EXPECT_GT(caught, cases / 10);
  std::printf("%d cases; one term fewer lies outside %d\n", cases, caught);
}

}  // namespace
}  // namespace muster::numerics

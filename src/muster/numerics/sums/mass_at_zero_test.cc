// Tests laws with almost no mass at zero and sums that exceed the threshold only if a term is zero. The
// enclosure must contain the exact value, which ball arithmetic computes for the law as its doubles state it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/enumerated_mixture.h"
#include "muster/numerics/sums/excess_by_contour.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/term_pairs.h"
#include "tests/support/arb_ball.h"

namespace muster::numerics {
namespace {

using Ball = ArbBall<512>;

Ball mass_at_zero(const AtomicLaw& law) {
  Ball rest = 1.0;
  for (const double w : law.weights) rest = rest - Ball(w);
  return rest;
}

// E [ weight(N) (S - k)_+ ], summed over all sequences of h terms of the first law and `others` terms of the
// second. S is the sum of the terms, and N is the number of terms that are not zero.
template <typename Weight>
Ball enumerated(const AtomicLaw& first, int h, const AtomicLaw& second, int others, double k,
                Weight&& weight) {
  const Ball rest[2] = {mass_at_zero(first), mass_at_zero(second)};
  Ball total = 0.0;
  const auto visit = [&](auto&& self, int term, int nonzero, const Ball& sum, const Ball& p) -> void {
    if (term == h + others) {
      total = total + p * weight(nonzero) * positive_part(sum - Ball(k));
      return;
    }
    const AtomicLaw& law = term < h ? first : second;
    self(self, term + 1, nonzero, sum, p * rest[term < h ? 0 : 1]);
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      self(self, term + 1, nonzero + 1, sum + Ball(law.points[i]), p * Ball(law.weights[i]));
    }
  };
  visit(visit, 0, 0, Ball(0.0), Ball(1.0));
  return total;
}

Ball enumerated(const AtomicLaw& law, int n, double k) {
  return enumerated(law, n, law, 0, k, [](int) { return Ball(1.0); });
}

void expect_enclosed(const Enclosure& got, const Ball& exact) {
  EXPECT_GE(static_cast<long double>(got.upper), exact.above());
  EXPECT_LE(static_cast<long double>(got.lower), exact.below());
}

// The law with the points 1, -1, -1.5 and so on, of which 1 has the weight `tiny`. The others have the
// weights 1/2, 1/4 and so on, and the last of them brings their sum to 1 - gap. So the mass at zero is
// gap - tiny, up to rounding.
AtomicLaw nearly_full(std::size_t points, double tiny, double gap) {
  AtomicLaw law;
  law.add(1, tiny);
  const double each = 1 / std::ldexp(1.0, static_cast<int>(points) - 2);
  for (std::size_t i = 1; i < points; ++i) {
    const double weight = i + 1 == points ? each : std::ldexp(1.0, -static_cast<int>(i));
    law.add(-0.5 * static_cast<double>(i + 1), i + 1 == points ? weight - gap : weight);
  }
  return law;
}

std::vector<AtomicLaw> laws(std::size_t points) {
  std::vector<AtomicLaw> all;
  for (const double tiny : {1e-40, 1e-90, 1e-18}) {
    for (const double gap : {0x1p-56, 0x1p-55, 0x1p-54, 0x1p-52, 1e-12}) {
      AtomicLaw law = nearly_full(points, tiny, gap);
      if (!mass_at_zero(law).surely_positive()) continue;  // the gap was lost to rounding
      all.push_back(law);
      std::reverse(law.points.begin(), law.points.end());
      std::reverse(law.weights.begin(), law.weights.end());
      all.push_back(law);
    }
  }
  return all;
}

TEST(MassAtZero, IsEnclosed) {
  for (std::size_t points = 2; points < 40; ++points) {
    for (const AtomicLaw& law : laws(points)) expect_enclosed(law.mass_at_zero(), mass_at_zero(law));
  }
  EXPECT_EQ(AtomicLaw{}.mass_at_zero().upper, 1 + 0x1p-52);
}

TEST(MassAtZero, OneOrTwoTermsOfManyAtoms) {
  for (const std::size_t points : {4U, 5U, 9U}) {
    for (const AtomicLaw& law : laws(points)) {
      for (const double k : {0.5, 0.25, -0.5, -1.25}) {
        for (const int n : {1, 2}) {
          SCOPED_TRACE(testing::Message() << points << " points, n " << n << ", k " << k << ", weights "
                                          << law.weights.front() << ' ' << law.weights.back());
          const Ball exact = enumerated(law, n, k);
          expect_enclosed(excess_of_one_or_two(law, n, k), exact);
          expect_enclosed(expected_excess(law, n, k), exact);
        }
      }
    }
  }
}

TEST(MassAtZero, AFewTermsOfThreeAtoms) {
  for (const AtomicLaw& law : laws(3)) {
    for (const double k : {0.5, 0.25, -0.5, -1.25}) {
      for (const int n : {1, 2, 3, 6}) {
        SCOPED_TRACE(testing::Message() << "n " << n << ", k " << k << ", weights " << law.weights.front()
                                        << ' ' << law.weights.back());
        const Ball exact = enumerated(law, n, k);
        expect_enclosed(enumerated_excess(law, n, k), exact);
        expect_enclosed(expected_excess(law, n, k), exact);
        EXPECT_GE(static_cast<long double>(expected_excess_chernoff(law, n, k)), exact.above());
      }
    }
  }
}

TEST(MassAtZero, MixturesOfAFewTerms) {
  constexpr int kTerms = 4;
  std::vector<AtomicLaw> all = laws(2);
  for (int i = 1; i < 20; ++i) all.push_back({{-1, -1.25}, {0.017 * i, 1 - 0.017 * i}});
  for (const AtomicLaw& first : all) {
    for (const double k : {0.5, -0.5, -2.75}) {
      AtomicLaw second = first;
      for (double& y : second.points) y *= 1.25;
      SCOPED_TRACE(testing::Message()
                   << "k " << k << ", weights " << first.weights.front() << ' ' << first.weights.back());
      const double product = enumerated_mixture(first, second, kTerms, k, Mixing::product).upper;
      const double swap = enumerated_mixture(first, second, kTerms, k, Mixing::swap).upper;
      const Ball absent = mass_at_zero(first);
      for (int h = 0; h <= kTerms; ++h) {
        const Ball all_terms = enumerated(first, h, second, kTerms - h, k, [](int) { return Ball(1.0); });
        EXPECT_GE(static_cast<long double>(product), all_terms.above()) << h;
        if (h == kTerms) continue;
        const Ball others = enumerated(first, h, second, kTerms - 1 - h, k, [&](int nonzero) {
          return Ball(1.0 * kTerms) * absent / Ball(1.0 * (kTerms - nonzero));
        });
        EXPECT_GE(static_cast<long double>(swap), others.above()) << h;
      }
    }
  }
}

// Each of n terms is -1 with probability 1 - r, and 0 otherwise. Their sum exceeds k = -n + 1/2 if any of
// them is 0. At the saddle point E e^{cY} is about e^-c, a millionth or less, and it is computed as the
// difference of 1 and a sum that is almost 1.
TEST(MassAtZero, ManyTermsOfOneAtom) {
  for (const double r : {1e-2, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14, 1e-15}) {
    for (const int n : {101, 200, 1000, 30000}) {
      SCOPED_TRACE(testing::Message() << "r " << r << ", n " << n);
      AtomicLaw law;
      law.add(-1, 1 - r);
      const Ball zero = mass_at_zero(law), one = Ball(law.weights[0]);
      const double k = 0.5 - n;
      Ball exact = 0.0, p = exp(Ball(1.0 * n) * log(one));
      for (int z = 1; z <= std::min(n, 1500); ++z) {
        p = p * zero / one * Ball(1.0 * (n - z + 1)) / Ball(1.0 * z);
        exact = exact + p * Ball(z - 0.5);
      }
      expect_enclosed(expected_excess(law, n, k), exact);
      expect_enclosed(excess_by_contour(law, n, k), exact);
      EXPECT_GE(static_cast<long double>(expected_excess_chernoff(law, n, k)), exact.above());
    }
  }
}

}  // namespace
}  // namespace muster::numerics

// Tests numerics/sums/coarsened_law.h. The test is in this folder because it coarsens the laws of clients'
// terms. A coarsened law must be above the given one in convex order, have nearly the same variance, and have
// no more atoms. Products with a random weight are tested too.
#include "muster/numerics/sums/coarsened_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "muster/describe/laws/reporting_law.h"
#include "muster/describe/profile.h"

namespace muster::accounting {
namespace {

using numerics::AtomicLaw;
using numerics::coarsened_law;
using numerics::coarsened_product;

long double excess(const AtomicLaw& law, long double k) {
  long double sum = 0, mass = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    sum += law.weights[i] * std::max(0.0L, law.points[i] - k);
    mass += law.weights[i];
  }
  return sum + std::max(0.0L, 1 - mass) * std::max(0.0L, -k);
}

AtomicLaw product(const AtomicLaw& law, const std::vector<double>& weights, const std::vector<double>& mix) {
  AtomicLaw result;
  for (std::size_t w = 0; w < weights.size(); ++w) {
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      result.add(weights[w] * law.points[i], mix[w] * law.weights[i]);
    }
  }
  return result;
}

void expect_above(const AtomicLaw& coarse, const AtomicLaw& law, double max_added) {
  const double deviation = std::sqrt(law.variance());
  EXPECT_NEAR(coarse.mean(), law.mean(), 1e-13 * deviation);
  EXPECT_GE(coarse.variance(), law.variance() * (1 - 1e-13));
  EXPECT_LE(coarse.variance(), law.variance() * (1 + max_added));
  EXPECT_EQ(coarse.largest_point(), law.largest_point());
  EXPECT_EQ(coarse.smallest_point(), law.smallest_point());
  int below = 0;
  for (int j = -400; j <= 400; ++j) {
    const double k = deviation * std::sinh(j / 40.0);
    const long double slack = 1e-14L * (excess(law, k) + std::max(0.0, -k));
    below += excess(coarse, k) < excess(law, k) - slack ? 1 : 0;
  }
  EXPECT_EQ(below, 0);
}

TEST(CoarsenedLaw, IsAboveInConvexOrderAndSmall) {
  for (const double mu : {0.05, 0.4, 1.0, 3.0}) {
    for (const double epsilon : {0.0, 0.01, 0.5}) {
      const AtomicLaw law = reporting_law(Profile::gaussian(mu, 1e-30), 1, epsilon);
      SCOPED_TRACE(::testing::Message() << mu << ' ' << epsilon << ' ' << law.points.size());
      const AtomicLaw coarse = coarsened_law(law);
      EXPECT_LE(coarse.points.size(), law.points.size());
      expect_above(coarse, law, 1e-4);
      const std::vector<double> weights{1, 0.5, 1.0 / 3, 0.1, 0.03}, mix{0.3, 0.25, 0.2, 0.15, 0.1};
      const AtomicLaw both = coarsened_product(law, weights, mix);
      EXPECT_LT(both.points.size(), 2 * law.points.size());
      expect_above(both, product(law, weights, mix), 1e-4);
    }
  }
}

TEST(CoarsenedLaw, FewAtomsStayAsTheyAre) {
  AtomicLaw law;
  law.add(-1, 0.25);
  law.add(2, 0.125);
  const AtomicLaw same = coarsened_product(law, {1, 0.5}, {0.5, 0.5}, 4);
  EXPECT_EQ(same.points, (std::vector<double>{-1, 2, -0.5, 1}));
  EXPECT_EQ(same.weights, (std::vector<double>{0.125, 0.0625, 0.125, 0.0625}));
  expect_above(coarsened_product(law, {1, 0.5}, {0.5, 0.5}), same, 1e-4);
  AtomicLaw one_sided;
  one_sided.add(3, 0.5);
  expect_above(coarsened_law(one_sided), one_sided, 1e-4);
}

}  // namespace
}  // namespace muster::accounting

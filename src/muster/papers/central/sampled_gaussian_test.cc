// Compares the divergences of the sampled Gaussian with quadrature of the densities, and the worst pair for a
// replaced record with other records in the plane.
#include "muster/papers/central/sampled_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/gate/sampled_floor.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

constexpr long double kRootTwoPi = 2.50662827463100050242L;

long double normal(long double x, long double mean) {
  return std::exp(-(x - mean) * (x - mean) / 2) / kRootTwoPi;
}

// Integrates the positive part of `difference` over [-60, 60], by Gauss-Legendre quadrature with five nodes
// in cells of width 0.05, each cut where the sign changes. The error is that of rounding in long double, far
// below a relative 1e-14.
template <typename F>
long double positive_part(const F& difference) {
  constexpr int kCells = 2400;
  const long double nodes[] = {0, 0.538469310105683091L, 0.906179845938663993L};
  const long double weights[] = {128.0L / 225, 0.478628670499366468L, 0.236926885056189088L};
  long double sum = 0;
  for (int i = 0; i < kCells; ++i) {
    long double from = -60 + i * 0.05L, to = -60 + (i + 1) * 0.05L;
    const bool begins = difference(from) > 0, ends = difference(to) > 0;
    if (!begins && !ends) continue;
    if (begins != ends) {
      long double low = from, high = to;
      for (int step = 0; step < 80; ++step) {
        const long double middle = (low + high) / 2;
        ((difference(middle) > 0) == begins ? low : high) = middle;
      }
      (begins ? to : from) = low;
    }
    const long double half = (to - from) / 2, centre = (from + to) / 2;
    sum += half * weights[0] * difference(centre);
    for (int j = 1; j < 3; ++j) {
      sum +=
          half * weights[j] * (difference(centre - half * nodes[j]) + difference(centre + half * nodes[j]));
    }
  }
  return sum;
}

struct Case {
  double sigma, rate, epsilon;
};
const std::vector<Case> kCases = {{1, 0.1, 0.5},   {1, 0.1, 0},     {0.5, 0.01, 1}, {2, 0.5, 0.2},
                                  {5, 1, 0.1},     {10, 0.9, 0.05}, {0.3, 0.2, 6},  {1, 1e-3, 0.01},
                                  {0.7, 0.999, 2}, {3, 0.25, 0.6}};

void expect_encloses(const Enclosure& found, long double truth, const Case& at, const char* what) {
  const long double error = 1e-13L * truth + 1e-17L;
  EXPECT_LE(found.lower, truth + error) << what << " " << at.sigma << " " << at.rate << " " << at.epsilon;
  EXPECT_GE(found.upper, truth - error) << what << " " << at.sigma << " " << at.rate << " " << at.epsilon;
  EXPECT_LE(found.upper - found.lower, 1e-8 * found.upper + 1e-300)
      << what << " " << at.sigma << " " << at.rate;
}

TEST(SampledGaussian, TheCurvesAreThoseOfTheDensities) {
  for (const Case& at : kCases) {
    const SampledGaussian round(at.sigma, at.rate);
    const long double mu = 1.0L / at.sigma, q = at.rate, e = std::exp(static_cast<long double>(at.epsilon));
    const auto sampled = [&](long double x, long double mean) {
      return (1 - q) * normal(x, 0) + q * normal(x, mean);
    };
    expect_encloses(round.added(at.epsilon),
                    positive_part([&](long double x) { return sampled(x, mu) - e * normal(x, 0); }), at,
                    "added");
    expect_encloses(round.removed(at.epsilon),
                    positive_part([&](long double x) { return normal(x, 0) - e * sampled(x, mu); }), at,
                    "removed");
    expect_encloses(round.replaced(at.epsilon),
                    positive_part([&](long double x) { return sampled(x, mu) - e * sampled(x, -mu); }), at,
                    "replaced");
  }
}

// At the same noise, an added client and a removed client each have a smaller divergence than a replaced
// record. At half the noise, for these parameters, their divergences add up to more than that of a record
// replaced at the full noise.
TEST(SampledGaussian, AReplacedRecordCostsMoreThanAnAddedOne) {
  const SampledGaussian round(1, 0.1);
  EXPECT_GT(round.replaced(0.2).lower, round.added(0.2).upper);
  EXPECT_GT(round.replaced(0.2).lower, round.removed(0.2).upper);
  EXPECT_LT(round.replaced(0.2).upper,
            SampledGaussian(0.5, 0.1).added(0.2).lower + SampledGaussian(0.5, 0.1).removed(0.2).upper);
}

// No two records in the unit disc cost more than two opposite unit vectors. Lengths and angles run over a
// grid, and the divergence is computed by quadrature in the plane.
TEST(SampledGaussian, NoPairOfRecordsCostsMoreThanOppositeOnes) {
  const double sigma = 0.8, rate = 0.3, epsilon = 0.4, e = std::exp(epsilon), mu = 1 / sigma;
  const double worst = SampledGaussian(sigma, rate).replaced(epsilon).upper;
  constexpr int kCells = 160;
  constexpr double kFrom = -8, kWidth = 16.0 / kCells;
  double largest = 0;
  for (const double length : {0.0, 0.6, 1.0}) {
    for (const double other : {0.6, 1.0}) {
      for (const double angle : {0.0, 0.8, 1.6, 2.4, 3.14159265358979}) {
        double sum = 0;
        for (int i = 0; i < kCells; ++i) {
          for (int j = 0; j < kCells; ++j) {
            const double x = kFrom + (i + 0.5) * kWidth, y = kFrom + (j + 0.5) * kWidth;
            const auto density = [&](double a, double b) {
              return std::exp(-((x - a) * (x - a) + (y - b) * (y - b)) / 2) / (2 * 3.14159265358979);
            };
            const double none = (1 - rate) * density(0, 0);
            const double p = none + rate * density(mu * length, 0);
            const double r =
                none + rate * density(mu * other * std::cos(angle), mu * other * std::sin(angle));
            if (p > e * r) sum += (p - e * r) * kWidth * kWidth;
          }
        }
        EXPECT_LE(sum, worst * 1.002) << length << " " << other << " " << angle;
        largest = sum > largest ? sum : largest;
      }
    }
  }
  EXPECT_GT(largest, worst * 0.998);  // the opposite unit vectors of the grid nearly attain `worst`
}

TEST(SampledGaussian, CurvesFallAndStayInRangeFarOut) {
  for (const double sigma : {0.05, 1.0, 1e3, 1e6}) {
    for (const double rate : {1e-9, 0.01, 0.5, 1.0}) {
      const SampledGaussian round(sigma, rate);
      double before[3] = {1, 1, 1};
      for (const double epsilon : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e3, 1e6}) {
        const Enclosure values[3] = {round.added(epsilon), round.removed(epsilon), round.replaced(epsilon)};
        for (int i = 0; i < 3; ++i) {
          EXPECT_GE(values[i].lower, 0);
          EXPECT_LE(values[i].lower, values[i].upper) << sigma << " " << rate << " " << epsilon << " " << i;
          EXPECT_LE(values[i].lower, before[i]);
          before[i] = values[i].upper;
        }
      }
    }
  }
}

// The divergences of an added client and of a replaced record are positive at every epsilon. At tiny rates
// they are below the range of a double, and an upper end of 0 would claim that nothing leaks.
TEST(SampledGaussian, AnUpperEndThatUnderflowsIsNotZero) {
  for (const double rate : {1e-50, 1e-114, 1e-235, 1e-300}) {
    for (const double sigma : {0.07, 0.2, 0.35}) {
      for (const double epsilon : {1e-3, 0.02, 0.2}) {
        SCOPED_TRACE(::testing::Message() << rate << ' ' << sigma << ' ' << epsilon);
        const SampledGaussian round(sigma, rate);
        EXPECT_GT(round.added(epsilon).upper, 0);
        EXPECT_GT(round.replaced(epsilon).upper, 0);
      }
    }
  }
}

// The gate's floor lies between 0.3 times the divergence and the divergence. The gate's check passes a delta
// that holds at its epsilon, and throws for a fifth of that delta and for an epsilon that is no number >= 0.
TEST(SampledGaussian, ItsFloorIsBelowTheTruthAndNotFarBelow) {
  for (const Case& at : kCases) {
    const SampledGaussian round(at.sigma, at.rate);
    const double added = sampled_floor_delta(at.sigma, at.rate, Instead::nothing, at.epsilon),
                 replaced = sampled_floor_delta(at.sigma, at.rate, Instead::opposite, at.epsilon);
    SCOPED_TRACE(::testing::Message() << at.sigma << " " << at.rate << " " << at.epsilon);
    EXPECT_LE(added, round.added(at.epsilon).upper);
    EXPECT_LE(replaced, round.replaced(at.epsilon).upper);
    EXPECT_GE(added, 0.3 * round.added(at.epsilon).lower);
    EXPECT_GE(replaced, 0.3 * round.replaced(at.epsilon).lower);
    const double at_epsilon = round.added(at.epsilon).upper;
    EXPECT_NO_THROW(check_sampled_epsilon(at.sigma, at.rate, Instead::nothing, at_epsilon, at.epsilon));
    if (at_epsilon > 0) {
      EXPECT_ERROR(ErrorCode::internal,
                   check_sampled_epsilon(at.sigma, at.rate, Instead::nothing, 0.2 * at_epsilon, at.epsilon));
    }
  }
  EXPECT_ERROR(ErrorCode::internal, check_sampled_epsilon(1, 0.1, Instead::opposite, 1e-5, 0));
  EXPECT_ERROR(ErrorCode::internal, check_sampled_epsilon(1, 0.1, Instead::opposite, 1e-5, -1));
  EXPECT_ERROR(ErrorCode::internal, check_sampled_epsilon(1, 0.1, Instead::opposite, 1e-5, std::nan("")));
  EXPECT_NO_THROW(
      check_sampled_epsilon(1, 0.1, Instead::opposite, 1e-5, std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace muster::accounting

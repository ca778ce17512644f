// Compares bands and intervals with the binomial law, computed by its recurrence and without the incomplete
// beta function that they use. An interval that is too short must be noticed.
#include "muster/protocols/monitor/binomial_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace muster::protocols {
namespace {

// Computes the probabilities of a binomial law by their recurrence from the mode outward, which shares
// nothing with the incomplete beta function.
std::vector<double> masses(int trials, double p) {
  std::vector<double> mass(static_cast<std::size_t>(trials) + 1);
  const int mode = static_cast<int>((trials + 1) * p);
  mass[mode] = 1;
  for (int k = mode; k < trials; ++k) {
    mass[k + 1] = mass[k] * (trials - k) / (k + 1.0) * p / (1 - p);
  }
  for (int k = mode; k > 0; --k) {
    mass[k - 1] = mass[k] * k / (trials - k + 1.0) * (1 - p) / p;
  }
  double sum = 0;
  for (const double each : mass) {
    sum += each;
  }
  for (double& each : mass) {
    each /= sum;
  }
  return mass;
}

double sum_of(const std::vector<double>& mass, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t k = first; k <= last && k < mass.size(); ++k) {
    sum += mass[k];
  }
  return sum;
}

TEST(BinomialInterval, TheBandIsTheNarrowestThatKeepsBothTails) {
  for (const int trials : {1, 7, 60, 1000, 20'000}) {
    for (const double p : {0.001, 0.1, 0.5, 0.93}) {
      for (const double side : {0.2, 1e-3, 1e-8}) {
        const std::vector<double> mass = masses(trials, p);
        const CountBand band = binomial_band(trials, p, p, side);
        const double slack = 1e-10 * side;  // rounding of the probabilities above
        EXPECT_LE(sum_of(mass, band.high + 1, trials), side + slack) << trials << " " << p << " " << side;
        if (band.high > 0) {
          EXPECT_GT(sum_of(mass, band.high, trials), side - slack) << trials << " " << p << " " << side;
        }
        if (band.low > 0) {
          EXPECT_LE(sum_of(mass, 0, band.low - 1), side + slack) << trials << " " << p << " " << side;
        }
        EXPECT_GT(sum_of(mass, 0, band.low), side - slack) << trials << " " << p << " " << side;
      }
    }
  }
}

TEST(BinomialInterval, ARangeOfChancesTakesTheOuterEnds) {
  const CountBand range = binomial_band(1000, 0.1, 0.2, 1e-3);
  EXPECT_EQ(range.low, binomial_band(1000, 0.1, 0.1, 1e-3).low);
  EXPECT_EQ(range.high, binomial_band(1000, 0.2, 0.2, 1e-3).high);
}

TEST(BinomialInterval, CertainChances) {
  const CountBand all = binomial_band(50, 1, 1, 1e-3);
  EXPECT_EQ(all.low, 50u);
  EXPECT_EQ(all.high, 50u);
  const CountBand none = binomial_band(0, 0.3, 0.3, 1e-3);
  EXPECT_EQ(none.high, 0u);
}

// Returns the probability that the interval, shortened by `shift` at both ends, misses p. All counts are
// enumerated.
double misses(int trials, double p, double side, double shift = 0) {
  const std::vector<double> mass = masses(trials, p);
  double missed = 0;
  for (int k = 0; k <= trials; ++k) {
    const RateInterval interval = clopper_pearson(trials, static_cast<std::uint64_t>(k), side);
    missed += p < interval.low + shift || p > interval.high - shift ? mass[k] : 0;
  }
  return missed;
}

TEST(BinomialInterval, TheIntervalMissesNoMoreOftenThanStated) {
  for (const int trials : {1, 10, 60, 400}) {
    for (double p = 0.01; p < 1; p += 0.0173) {
      EXPECT_LE(misses(trials, p, 0.025), 0.05 + 1e-12) << trials << " " << p;
    }
  }
  // An interval shortened by a tenth of a standard deviation must be detected.
  double worst = 0;
  for (double p = 0.1; p < 0.9; p += 0.0173) {
    worst = std::max(worst, misses(400, p, 0.025, 0.0025));
  }
  EXPECT_GT(worst, 0.05);
}

TEST(BinomialInterval, ChernoffBeyondContainsTheExactAndIsClose) {
  // The ends are compared, in units of standard deviations, between a little less and a little more than
  // 10^10 expected successes. With more, Chernoff's bound must move them outward, but by less than 12 %.
  const double p = 0.1, side = 1e-6;
  const auto deviations = [p](double trials, std::uint64_t count) {
    return (static_cast<double>(count) - trials * p) / std::sqrt(trials * p * (1 - p));
  };
  const CountBand exact = binomial_band(0.99e11, p, p, side), outer = binomial_band(1.01e11, p, p, side);
  EXPECT_GT(deviations(1.01e11, outer.high), deviations(0.99e11, exact.high));
  EXPECT_LT(deviations(1.01e11, outer.high), 1.12 * deviations(0.99e11, exact.high));
  EXPECT_LT(deviations(1.01e11, outer.low), deviations(0.99e11, exact.low));
  EXPECT_GT(deviations(1.01e11, outer.low), 1.12 * deviations(0.99e11, exact.low));

  const RateInterval near = clopper_pearson(0.99e11, 9'900'000'000, side);
  const RateInterval far = clopper_pearson(1.01e11, 10'100'000'000, side);
  const double scale = std::sqrt(1.01 / 0.99);
  EXPECT_LT((far.low - p) * scale, near.low - p);
  EXPECT_GT((far.high - p) * scale, near.high - p);
  EXPECT_LT((far.high - p) * scale, 1.12 * (near.high - p));
}

TEST(BinomialInterval, AMillionRoundsOfABillionClients) {
  const CountBand band = binomial_band(1e15, 0.5, 0.5, 1e-9);
  EXPECT_LT(band.low, 500'000'000'000'000u);
  EXPECT_GT(band.low, 499'999'800'000'000u);
  EXPECT_GT(band.high, 500'000'000'000'000u);
  EXPECT_LT(band.high, 500'000'200'000'000u);
}

}  // namespace
}  // namespace muster::protocols

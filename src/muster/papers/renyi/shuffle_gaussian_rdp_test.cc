// Tests where the homogeneous pair's Renyi divergence for shuffled Gaussians is an upper bound and where it
// is not, and the Bounds made from it.
#include "muster/papers/renyi/shuffle_gaussian_rdp.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "muster/papers/conversions/local_rdp.h"
#include "muster/papers/renyi/homogeneous_rdp.h"

namespace muster::accounting {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
Question kAt(double delta) { return {Question::Kind::epsilon_at_delta, delta}; }

// Computes D_l(P||Q) of two shuffled clients on a line with unit noise, the victim at `x` or at `z` and the
// other client at `y`. Each reports with probability g. The density of the unordered pair is integrated by
// the trapezoidal rule, without any formula of the library.
long double two_clients(long double x, long double z, long double y, int order, long double g = 1) {
  const long double step = 0.25L, reach = 8 + 2 * order;
  std::vector<long double> at, fx, fz, fy;
  for (long double t = -reach; t <= reach; t += step) {
    const auto density = [&](long double mean) {
      return std::exp(-(t - mean) * (t - mean) / 2) / std::sqrt(2 * std::acos(-1.0L));
    };
    fx.push_back(density(x)), fz.push_back(density(z)), fy.push_back(density(y));
  }
  const auto power = [order](long double p, long double q) {
    long double term = q;
    for (int l = 0; l < order; ++l) term *= p / q;
    return term;
  };
  long double moment = (1 - g) * (1 - g);
  for (std::size_t i = 0; i < fx.size(); ++i) {
    moment += g * (1 - g) * step * power(fx[i] + fy[i], fz[i] + fy[i]);
    for (std::size_t j = 0; j < fx.size(); ++j) {
      const long double p = (fx[i] * fy[j] + fx[j] * fy[i]) / 2, q = (fz[i] * fy[j] + fz[j] * fy[i]) / 2;
      moment += g * g * step * step * power(p, q);
    }
  }
  return std::log(moment) / (order - 1);
}

// Theorem 1 of Liew and Takahashi (2022) takes "records of norm at most 1" and sensitivity 1. Its value is no
// bound for all neighbours: here the victim is at 0 or 1 and the other client at -1.
TEST(ShuffleGaussianRdp, SensitivityOneIsNoBound) {
  const long double truth = std::max(two_clients(0, 1, -1, 2), two_clients(1, 0, -1, 2));
  const double formula = HomogeneousRdp::plain(2, RatioMoments::gaussian(1)).divergence(2).upper;
  EXPECT_NEAR(static_cast<double>(truth), 0.9515, 1e-4);
  EXPECT_NEAR(formula, 0.6201, 1e-4);
  EXPECT_GT(truth, formula);
  // At the diameter 2, the formula is above the truth.
  EXPECT_LT(truth, HomogeneousRdp::plain(2, RatioMoments::gaussian(2)).divergence(2).upper);
}

// The conjecture at Delta = diameter has no counterexample on a grid of points on a line. This is evidence,
// not a proof. If the victim's two records are the two ends of the line and the other client holds the
// victim's second record, the divergence equals the formula.
TEST(ShuffleGaussianRdp, DiameterIsWorstOnALine) {
  for (const double diameter : {0.5, 2.0}) {
    for (const double rate : {0.4, 1.0}) {
      for (const int order : {2, 3, 5}) {
        auto formula = HomogeneousRdp::check_in(2, RatioMoments::gaussian(diameter, rate));
        const long double bound = formula.divergence(static_cast<std::uint64_t>(order)).upper;
        const long double d = diameter, g = rate;
        long double largest = 0;
        for (const long double x : {0.0L, 0.5L, 1.0L}) {
          for (const long double z : {0.0L, 0.5L, 1.0L}) {
            for (const long double y : {0.0L, 0.3L, 0.7L, 1.0L}) {
              if (x != z) largest = std::max(largest, two_clients(x * d, z * d, y * d, order, g));
            }
          }
        }
        EXPECT_LE(largest, bound * (1 + 1e-9L));
        EXPECT_GE(largest, bound * (1 - 1e-9L));
      }
    }
  }
}

TEST(ShuffleGaussianRdp, BoundsSayWhatTheyAre) {
  const RenyiCrowd crowd = RenyiCrowd::check_in(60000, 0.1);
  const Bound cond = shuffle_gaussian_rdp_bound(crowd, 0.4, 5540, kAt(1e-5), Conversion::exact);
  EXPECT_EQ(cond.id, "shuffle-gaussian-rdp-exact-conversion");
  EXPECT_EQ(cond.validity, Validity::conditional);
  EXPECT_THAT(cond.assumptions, Contains(HasSubstr("not proven")));
  // The bound is above 0.12581, a lower bound by exact composition, and below 0.1457, a proven upper bound.
  EXPECT_GT(*cond.upper, 0.12581);
  EXPECT_NEAR(*cond.upper, 0.13955, 1e-5);
  const Bound loose = shuffle_gaussian_rdp_subsampled_bound(crowd, 0.4, 5540, kAt(1e-5), Conversion::exact);
  EXPECT_EQ(loose.validity, Validity::conditional);
  EXPECT_GT(*loose.upper, *cond.upper);
  const Bound proven = subset_local_rdp_bound(
      crowd, [](std::uint64_t l) { return gaussian_rdp_upper(0.4, static_cast<double>(l)); }, kInfinity, 100,
      kAt(1e-5), Conversion::canonne);
  EXPECT_EQ(proven.id, "subset-local-rdp");
  EXPECT_EQ(proven.validity, Validity::proven);
  EXPECT_FALSE(proven.citation.empty());
}

// Compares the adaptive search over orders, which needs no cap, with docs/theory/reference-values.md.
TEST(ShuffleGaussianRdp, AdaptiveOrders) {
  struct Row {
    double distance;
    std::uint64_t rounds;
    double epsilon;
  };
  for (const Row& row : {Row{1, 1, 0.001406}, Row{1, 7, 0.002512}, Row{1, 1000, 0.041299},
                         Row{2, 1, 0.007916}, Row{2, 7, 0.009038}, Row{2, 1000, 0.089131}}) {
    const Bound found = shuffle_gaussian_rdp_bound(RenyiCrowd::all(60000), row.distance / 9.48, row.rounds,
                                                   kAt(1 / 6e4), Conversion::canonne);
    EXPECT_NEAR(*found.upper, row.epsilon, 1e-6);
    const Bound exact = shuffle_gaussian_rdp_bound(RenyiCrowd::all(60000), row.distance / 9.48, row.rounds,
                                                   kAt(1 / 6e4), Conversion::exact);
    EXPECT_LE(*exact.upper, *found.upper);
  }
  // The exact epsilon of the same pair is smaller: .00059456 for one round, .0020472 for seven, .036356 for a
  // thousand.
  const Bound seven =
      shuffle_gaussian_rdp_bound(RenyiCrowd::all(60000), 1 / 9.48, 7, kAt(1 / 6e4), Conversion::exact);
  EXPECT_GT(*seven.upper, 0.0020472);
}

TEST(ShuffleGaussianRdp, ExtremesAreTotal) {
  for (const double n : {1.0, 1e5, 1e12}) {
    for (const double mu : {0.01, 1.0, 50.0}) {
      for (const Question& question : {kAt(1e-30), Question{Question::Kind::delta_at_epsilon, 3}}) {
        for (const RenyiCrowd& crowd :
             {RenyiCrowd::all(n), RenyiCrowd::check_in(n, 1e-6), RenyiCrowd::fixed_subset(n, 1)}) {
          const Bound bound = shuffle_gaussian_rdp_bound(crowd, mu, 10'000'000, question, Conversion::exact);
          EXPECT_TRUE(!bound.upper || *bound.upper >= 0) << n << " " << mu;
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

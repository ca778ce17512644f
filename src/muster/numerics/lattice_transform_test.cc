// Compares the fast transform with the sum over the atoms in long double: they must agree within the error
// that the transform states.
#include "muster/numerics/lattice_transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <vector>

namespace muster::numerics {
namespace {

// The largest distance, over at most about 500 frequencies j, between the transform and the exact sum of
// w (e^{2 pi i j m / N} - 1), with m = index + moved.
double farthest(const LatticeTransform& fast, const std::vector<std::int64_t>& index,
                const std::vector<double>& weights, std::int64_t moved) {
  const auto n = static_cast<std::int64_t>(fast.cells());
  double worst = 0;
  for (std::int64_t j = 0; j < n; j += std::max<std::int64_t>(1, n / 500)) {
    long double re = 0;
    long double im = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::int64_t turn = (j * (((index[i] + moved) % n + n) % n)) % n;
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(turn) / n;
      const long double s = std::sin(angle / 2);
      re -= weights[i] * 2 * s * s;
      im += weights[i] * std::sin(angle);
    }
    const std::complex<double> got = fast.minus_total(static_cast<std::size_t>(j));
    worst = std::max(worst, static_cast<double>(std::hypot(got.real() - re, got.imag() - im)));
  }
  return worst;
}

TEST(LatticeTransform, IsWithinItsErrorOfTheSumOverTheAtoms) {
  std::mt19937_64 bits(5);
  for (const int log2_cells : {1, 4, 9, 14, 17}) {
    for (const int atoms : {1, 7, 900}) {
      std::set<std::int64_t> points;  // lattice points of both signs, some of them beyond a period
      while (static_cast<int>(points.size()) < atoms) {
        points.insert(static_cast<std::int64_t>(bits() % 4001) - 1500);
      }
      const std::vector<std::int64_t> index(points.begin(), points.end());
      std::vector<double> weights(index.size());
      double total = 0;
      for (double& w : weights) {
        w = std::exp(-20 * static_cast<double>(bits() >> 11) * 0x1p-53);
        total += w;
      }
      for (double& w : weights) {
        w *= 0.9 / total;
      }
      const LatticeTransform fast(index, weights, log2_cells);
      SCOPED_TRACE(::testing::Message() << log2_cells << ' ' << atoms);
      EXPECT_LE(farthest(fast, index, weights, 0), fast.error());
      // The stated error must not be too large either. It covers two outputs, for weights whose sum is 0.9.
      // Per output it is, in units of u = 2^-53, 5.9 for each level, 2 for each atom that may share a cell,
      // and 16 more. The test allows a tenth more.
      const double cells = std::exp2(log2_cells);
      EXPECT_LE(fast.error(), 1.1 * 0.9 * 0x1p-53 * 2 * (5.9 * log2_cells + 2 * (4000 / cells + 8)));
      if (log2_cells > 1) {
        EXPECT_GT(farthest(fast, index, weights, 1), fast.error());  // a shift by one cell must be detected
      }
    }
  }
}

}  // namespace
}  // namespace muster::numerics

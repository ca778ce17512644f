// Compares tables of dominating pairs with the Gaussian pair, whose profile is known in closed form, and with
// their composition by direct convolution.
#include "muster/composition/loss_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "muster/composition/round_curve.h"
#include "muster/describe/gaussian_divergence.h"

namespace muster::accounting {
namespace {

LossTable gaussian_table(double mu) {
  return table_of(LossDistribution::dominating(tabulate(
      [mu](double epsilon) {
        const double value = gaussian_divergence(mu, epsilon).upper;
        return numerics::Enclosure{value * (1 - 1e-12), value};
      },
      {}, {40, 1e-24})));
}

double total(const LossTable& table) {
  return std::accumulate(table.masses.begin(), table.masses.end(), table.infinity);
}

// The table's profile at `epsilon`, in plain arithmetic. At a negative epsilon it shows the other order of
// the pair, because the divergence there is 1 - alpha + alpha times that of the other order at -epsilon.
double plain(const LossTable& table, double epsilon) {
  double sum = table.infinity;
  for (std::size_t i = 0; i < table.losses.size(); ++i) {
    const double loss = table.spacing * static_cast<double>(table.losses[i]);
    if (loss > epsilon) sum += table.masses[i] * -std::expm1(epsilon - loss);
  }
  return sum;
}

constexpr double kMu = 0.05;

TEST(LossTable, HasThePairsMasses) {
  const LossTable table = gaussian_table(kMu);
  EXPECT_TRUE(std::is_sorted(table.losses.begin(), table.losses.end()));
  EXPECT_GE(total(table), 1);
  EXPECT_LT(total(table), 1 + 1e-12);
  for (const double epsilon : {0.0, 0.02, 0.1, 0.3}) {
    const double truth = gaussian_divergence(kMu, epsilon).upper;
    EXPECT_GE(divergence_upper(table, epsilon), truth * (1 - 1e-12));
    EXPECT_LE(divergence_upper(table, epsilon), truth * 1.01);
    EXPECT_NEAR(plain(table, epsilon), divergence_upper(table, epsilon), 1e-13);
  }
}

// A table on another lattice dominates, in both orders, and on a fine lattice it adds little.
TEST(LossTable, DominatesOnEveryLattice) {
  const LossTable table = gaussian_table(kMu);
  for (const double spacing : {table.spacing, table.spacing / 3, 1e-4, 0.0037, 0.05, 10.0}) {
    const LossTable other = on_lattice(table, spacing);
    EXPECT_EQ(other.spacing, spacing);
    EXPECT_GE(total(other), 1 - 1e-15);
    EXPECT_LT(total(other), 1 + 1e-9);
    for (double epsilon = -0.4; epsilon < 0.4; epsilon += 0.00137) {
      const double least = plain(table, epsilon);
      EXPECT_GE(plain(other, epsilon), least * (1 - 1e-9) - 1e-300) << spacing << ' ' << epsilon;
      if (spacing <= 1e-4) {
        EXPECT_LE(plain(other, epsilon), least * 1.001 + 1e-18) << spacing << ' ' << epsilon;
      }
    }
  }
}

// A lattice that holds all losses of a table changes no loss and no mass by more than rounding.
TEST(LossTable, IsUnchangedOnItsOwnLattice) {
  const LossTable table = gaussian_table(kMu), same = on_lattice(table, table.spacing);
  std::map<std::int64_t, double> masses;
  for (std::size_t i = 0; i < same.losses.size(); ++i) masses[same.losses[i]] = same.masses[i];
  for (std::size_t i = 0; i < table.losses.size(); ++i) {
    EXPECT_NEAR(masses[table.losses[i]], table.masses[i], 1e-11) << table.losses[i];
  }
}

TEST(LossTable, OfACurveDominatesIt) {
  const auto curve = [](double epsilon) { return gaussian_divergence(kMu, epsilon).upper; };
  const LossTable table = table_of_curve(curve, 1e-4, 5000, 400);
  EXPECT_GE(table.losses.back(), 5000);
  for (double epsilon = 0; epsilon < 0.5; epsilon += 0.00031) {
    EXPECT_GE(divergence_upper(table, epsilon), curve(epsilon)) << epsilon;
  }
  EXPECT_LE(divergence_upper(table, 0.1), curve(0.1) * 1.01);
  // Losses beyond the last node are infinite, not forgotten.
  const LossTable cut = table_of_curve(curve, 1e-4, 500, 400);
  EXPECT_GE(cut.infinity, curve(0.05));
}

}  // namespace
}  // namespace muster::accounting

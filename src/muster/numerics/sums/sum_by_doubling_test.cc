// Compares both brackets of a sum's law with a convolution of all pairs of atoms in extended precision, which
// neither moves atoms to knots nor leaves any pair out.
#include "muster/numerics/sums/sum_by_doubling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

namespace muster::numerics {
namespace {

// The law of the sum of n copies, by point.
using Exact = std::map<long double, long double>;

Exact exact_sum(const SumLaw& one, int n) {
  Exact sum{{0, 1}};
  for (int copy = 0; copy < n; ++copy) {
    Exact next;
    for (const auto& [point, mass] : sum) {
      for (std::size_t i = 0; i < one.points.size(); ++i) {
        next[point + static_cast<long double>(one.points[i])] +=
            mass * static_cast<long double>(one.masses[i]);
      }
    }
    sum = std::move(next);
  }
  return sum;
}

long double excess(const Exact& law, double k) {
  long double total = 0;
  for (const auto& [point, mass] : law) total += point > k ? mass * (point - k) : 0;
  return total;
}

long double deficit(const Exact& law, double k) {
  long double total = 0;
  for (const auto& [point, mass] : law) total += point < k ? mass * (k - point) : 0;
  return total;
}

Knots even_knots(double step, double last) {
  return [step, last](double) {
    std::vector<double> knots;
    for (double x = 0; x <= last; x += step) knots.push_back(x);
    return knots;
  };
}

// The ends must enclose the exact values, up to the rounding of the long doubles.
void encloses(const SumLaw& above, const SumLaw& below, const Exact& exact, double k) {
  SCOPED_TRACE(::testing::Message() << "threshold " << k);
  constexpr long double kRounding = 1e-15L;
  EXPECT_GE(above.expected_excess(k, Side::above), excess(exact, k) * (1 - kRounding));
  EXPECT_LE(below.expected_excess(k, Side::below), excess(exact, k) * (1 + kRounding));
  EXPECT_GE(above.expected_deficit(k, Side::above), deficit(exact, k) * (1 - kRounding));
  EXPECT_LE(below.expected_deficit(k, Side::below), deficit(exact, k) * (1 + kRounding));
}

TEST(SumByDoubling, EnclosesTheExactSum) {
  const SumLaw one{{0.1, 0.7, 1.3, 4}, {0.3, 0.4, 0.2, 0.1}};
  for (const int n : {1, 2, 3, 7, 16, 21}) {
    SCOPED_TRACE(::testing::Message() << n << " copies");
    const Exact exact = exact_sum(one, n);
    const Knots knots = even_knots(0.03, 100);
    const auto copies = static_cast<std::uint64_t>(n);
    const SumLaw above = sum_by_doubling(one, copies, Side::above, knots);
    const SumLaw below = sum_by_doubling(one, copies, Side::below, knots);
    for (const double share : {0.0, 0.3, 0.8, 1.0, 1.2, 2.0, 3.9}) {
      encloses(above, below, exact, n * share);
    }
    const double k = 1.2 * n;  // near the mean 0.97 n, where cells are narrow beside the standard deviation
    EXPECT_LE(above.expected_excess(k, Side::above), 1.01 * below.expected_excess(k, Side::below));
  }
}

// Sums beyond the last knot are moved down to it, and what this takes away is returned as an excess.
TEST(SumByDoubling, KeepsWhatLiesBeyondTheLastKnot) {
  const SumLaw one{{0.5, 3}, {0.6, 0.4}};
  const Exact exact = exact_sum(one, 6);
  const Knots knots = even_knots(0.25, 10);
  const SumLaw above = sum_by_doubling(one, 6, Side::above, knots);
  const SumLaw below = sum_by_doubling(one, 6, Side::below, knots);
  EXPECT_GT(above.excess, 0);
  for (const double k : {1.0, 5.0, 9.0, 12.0, 17.0}) encloses(above, below, exact, k);
}

// The law has one rare atom. The row of every other atom leaves out the pair with the rare atom, while the
// rare atom's row keeps most pairs. Each pair of different atoms occurs in two orders, and both must be
// charged.
TEST(SumByDoubling, ChargesBothOrdersOfAPairThatIsLeftOut) {
  for (const bool low : {false, true}) {
    SumLaw one;
    if (low) one = {{0}, {9e-45}};
    for (int i = 0; i < 100; ++i) {
      one.points.push_back(low ? 1000 + i : 1 + i);
      one.masses.push_back(0.01);
    }
    if (!low) {
      one.points.push_back(1000);
      one.masses.push_back(9e-45);
    }
    const Exact exact = exact_sum(one, 2);
    const Knots knots = even_knots(1, 2300);
    const SumLaw above = sum_by_doubling(one, 2, Side::above, knots);
    const SumLaw below = sum_by_doubling(one, 2, Side::below, knots);
    EXPECT_GT(above.dropped, 0);
    for (const double k : {250.0, 300.0, 600.0, 1500.0}) encloses(above, below, exact, k);
    if (low) {
      std::printf("deficit below 1500: exact %Lg, above %g\n", deficit(exact, 1500),
                  above.expected_deficit(1500, Side::above));
    } else {
      std::printf("excess over 300: exact %Lg, above %g\n", excess(exact, 300),
                  above.expected_excess(300, Side::above));
    }
  }
}

// Of two atoms of a cell, the lower one has next to no mass. If the upper one is just below the right knot,
// the mass that the right knot takes may be rounded to the mass of the whole cell. Still, the left knot must
// keep the lower atom's mass, of which the deficit between the knots consists.
TEST(SumByDoubling, KeepsALittleMassAtTheLeftKnot) {
  int taken = 0;  // laws of which nothing is left at the left knot unless the roundings are charged
  for (int i = 1; i <= 2000; ++i) {
    const double knot = 0.5 + i / 5000.0, mass = i / 2500.0, little = 1e-20;
    const SumLaw law{{0, std::nextafter(knot, 0)}, {little, mass}};
    const SumLaw above = gathered(law, Side::above, {0, knot});
    EXPECT_GE(above.expected_deficit(knot / 2, Side::above), little * knot / 2) << knot << ' ' << mass;
    taken += law.masses[1] * law.points[1] / knot >= mass ? 1 : 0;
  }
  std::printf("%d of 2000 laws whose whole mass is rounded to the right knot\n", taken);
  EXPECT_GT(taken, 50);
}

}  // namespace
}  // namespace muster::numerics

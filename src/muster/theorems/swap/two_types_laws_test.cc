// Compares mixtures of the two types' laws with the expected excesses of random and inscribed triangles of
// the ball, by an independent quadrature. The same triangles must show that four shortcuts are wrong.
#include "muster/theorems/swap/two_types_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "muster/numerics/work.h"
#include "muster/theorems/swap/gaussian_plane_quadrature_test.h"
#include "muster/theorems/swap/gaussian_triangle.h"
#include "muster/theorems/swap/random_triangles_test.h"
#include "muster/theorems/swap/two_types_net.h"

namespace muster::accounting {
namespace {

std::size_t cell_of(const TriangleCells& cells, double d) {
  std::size_t j = 0;
  while (j + 1 < cells.lambdas.size() && d > cells.edges[j + 1]) ++j;
  return j;
}

// Returns the mean of (Y - y)_+ for a law whose missing mass is at 0.
double excess_of(const numerics::AtomicLaw& law, double y) {
  double sum = 0, total = 0;
  for (std::size_t k = 0; k < law.points.size(); ++k) {
    sum += law.weights[k] * std::fmax(0.0, law.points[k] - y);
    total += law.weights[k];
  }
  return sum + (1 - total) * std::fmax(0.0, -y);
}

// Checks inequality (B) of docs/theory/gaussian-two-types.md and its consequences, for K at nodes and between
// nodes, and for E at tabulated values and between them.
TEST(TwoTypesLaws, EveryTriangleOfTheBallLiesBelowItsMixture) {
  std::mt19937_64 engine(2027);
  std::uniform_real_distribution<double> uniform(0, 1);
  int cases = 0, below_without_beta = 0;
  for (const double mu : {0.2, 0.4, 1.0}) {
    const TwoTypesLaws laws(mu);
    double nearest = 1;
    for (int settings = 0; settings < 8; ++settings) {
      const double excess = settings == 0   ? 0
                            : settings == 1 ? laws.level(1).excess
                                            : laws.level(1).excess * uniform(engine) * (settings % 3 ? 1 : 4);
      const auto types = laws.at(excess, 1);
      ASSERT_TRUE(types.has_value());
      EXPECT_GE(types->cut, 0);
      EXPECT_LT(types->cut, 1e-14);
      for (int i = 0; i < 50; ++i) {
        const std::size_t node =
            1 + static_cast<std::size_t>(uniform(engine) * static_cast<double>(laws.points().size() - 2));
        const double far = std::copysign(std::expm1(mu * 3 * uniform(engine)), uniform(engine) - 0.5);
        const double y = i % 3 == 0 ? laws.points()[node] : far, c = y - excess;
        const Distances at = i % 2 ? inscribed_triangle(engine, mu)
                                   : random_triangle(engine, 1 + static_cast<std::size_t>(i / 2) % 6);
        const quadrature::Value rule = quadrature::excess_of_distances(mu, at.D, at.d, at.S, 1 + excess, c);
        const double lambda = laws.cells().lambdas[cell_of(laws.cells(), at.d)];
        const double bound = lambda * excess_of(types->record, y) +
                             (1 - lambda) * excess_of(types->alternative, y) + types->cut;
        ASSERT_GE(bound, rule.value - rule.error - 1e-12 * (1 + std::fabs(y)))
            << mu << ' ' << excess << ' ' << y << ' ' << at.D << ' ' << at.d << ' ' << at.S;
        const TriangleExcesses excesses(mu, excess);
        const double bare = lambda * excesses.record(c).upper + (1 - lambda) * excesses.alternative(c).upper +
                            (c > 0 ? 0 : 1 - (1 + excess) - c);
        below_without_beta += rule.value - rule.error > bare + 1e-9 ? 1 : 0;
        if (bound > 0.02) nearest = std::fmin(nearest, 1 - rule.value / bound);
        ++cases;
      }
    }
    std::printf("mu = %g: the nearest is %.1e below\n", mu, nearest);
  }
  std::printf("%d triangles, none above; %d of them above the two types without beta\n", cases,
              below_without_beta);
  EXPECT_GT(below_without_beta, cases / 20);
}

// Describes a way to find beta at single thresholds, which is the right one or one of four wrong ones.
struct Shortcut {
  const char* name;
  CornerOf corner;  // the corner of a box in the search for beta; null stands for beta = 0
  bool must_fail;
};

// Counts the triangles whose expected excess is above the mixture of the two types plus beta.
int above_certificate(const Shortcut& shortcut, double mu, double excess,
                      const std::vector<double>& thresholds,
                      const std::function<Distances(std::mt19937_64&, int)>& triangle, int count) {
  std::mt19937_64 engine(5);
  const TriangleCells cells = TriangleCells::of(mu, 96);
  const TriangleExcesses excesses(mu, excess);
  int above = 0;
  for (const double c : thresholds) {
    const double beta =
        shortcut.corner != nullptr ? certified_correction(excesses, cells, mu, c, shortcut.corner).beta : 0;
    const double parity = c > 0 ? 0 : -excess - c;
    for (int i = 0; i < count; ++i) {
      const Distances at = triangle(engine, i);
      const quadrature::Value rule = quadrature::excess_of_distances(mu, at.D, at.d, at.S, 1 + excess, c);
      const double lambda = cells.lambdas[cell_of(cells, at.d)];
      const double bound =
          lambda * excesses.record(c).upper + (1 - lambda) * excesses.alternative(c).upper + beta + parity;
      above += rule.value - rule.error > bound + 1e-9 ? 1 : 0;
    }
  }
  return above;
}

BoxCorner right_triangles_alone(const TriangleCells& cells, const TriangleBox& box, bool positive) {
  return box.min_eta > 0
             ? BoxCorner{true, {}}
             : BoxCorner{false, {1, positive ? cells.edges[box.last + 1] : cells.edges[box.first], 1}};
}
BoxCorner wrong_end(const TriangleCells& cells, const TriangleBox& box, bool positive) {
  return corner_of(cells, box, !positive);
}
BoxCorner flat_sum(const TriangleCells& cells, const TriangleBox& box, bool positive) {
  BoxCorner corner = corner_of(cells, box, positive);
  corner.triangle.S = 1 + box.max_eta;
  return corner;
}

TEST(TwoTypesNet, FourShortcutsAreCaught) {
  const std::array shortcuts{
      Shortcut{"the certificate", corner_of, false}, Shortcut{"beta = 0", nullptr, true},
      Shortcut{"right triangles alone", right_triangles_alone, true},
      Shortcut{"d at the wrong end of its cell", wrong_end, true}, Shortcut{"S = 1 + eta", flat_sum, true}};
  // The first inscribed triangle is a known counterexample to using only right triangles: D = .9946, d = -.18
  // and S = 1.144, at E = 1.00695 and c = .642.
  const std::vector<double> thresholds{-1.2, -0.642, 0.35, 0.642, 0.9, 1.3};
  for (const Shortcut& shortcut : shortcuts) {
    const int random = above_certificate(
        shortcut, 1, 0.00695, thresholds,
        [](std::mt19937_64& engine, int i) {
          return random_triangle(engine, 1 + static_cast<std::size_t>(i) % 6);
        },
        80);
    const int inscribed = above_certificate(
        shortcut, 1, 0.00695, thresholds,
        [](std::mt19937_64& engine, int i) {
          return i == 0 ? Distances{.9946, -.18, 1.144} : inscribed_triangle(engine, 1);
        },
        160);
    std::printf("%s: %d of 480 random triangles above, %d of 960 inscribed\n", shortcut.name, random,
                inscribed);
    if (shortcut.must_fail) {
      EXPECT_GT(random + inscribed, 0) << shortcut.name;
    } else {
      EXPECT_EQ(random + inscribed, 0) << shortcut.name;
    }
  }
}

// A failed computation must not look like a correction of 0. With an infinite correction, masses_above()
// refuses the table.
TEST(TwoTypesNet, AValueThatIsNotANumberGivesAnInfiniteCorrection) {
  const CornerOf nowhere = [](const TriangleCells&, const TriangleBox&, bool) {
    return BoxCorner{false, {std::nan(""), 0, 1}};
  };
  for (const double c : {-0.5, 0.0, 0.35}) {
    const Correction found =
        certified_correction(TriangleExcesses(1, 0.01), TriangleCells::of(1, 8), 1, c, nowhere);
    EXPECT_TRUE(std::isinf(found.beta)) << c << ' ' << found.beta;
  }
}

// tools/golden/gaussian_two_types.py computes the values of beta at E = 1 with 192 cells, and with the mass
// of V at the ends of the accountant's cells, to about a thousandth. A search that stops within half a
// thousandth must agree with them. The accountant's search stops earlier, and so errs upward by up to 2 per
// cent and, where B(c) is far larger than beta, by 5e-4 of B(c).
TEST(TwoTypesNet, ReferenceCorrections) {
  struct Row {
    double mu, c, beta;
  };
  for (const Row& row : {Row{.4, .105, 4.863e-4}, Row{.4, .221, 1.609e-3}, Row{.4, .350, 2.298e-3},
                         Row{.4, .492, 1.186e-3}, Row{.4, .649, 4.038e-5}, Row{1, .284, 9.049e-3},
                         Row{1, .649, 3.130e-2}, Row{1, 1.117, 1.207e-2}, Row{1, 1.718, 2.122e-4}}) {
    const double mu = row.mu, c = std::expm1(mu * std::round(std::log1p(row.c) / mu * 16) / 16);
    const TriangleExcesses excesses(mu, 0);
    const TriangleCells cells = TriangleCells::of(mu, 192);
    const double of_alternative = excesses.alternative(c).upper, open = 5e-4 * of_alternative;
    const MixedValues values{excesses.record(c).lower, excesses.alternative(c).lower};
    const Correction exact =
        certified_excess(values, excesses, cells, mu, c, {1.0005, 1e-6 * of_alternative});
    EXPECT_GE(exact.beta, row.beta * (1 - 1e-3)) << mu << ' ' << c;
    EXPECT_LE(exact.beta, row.beta * (1 + 3e-3)) << mu << ' ' << c;
    const Correction found = certified_correction(excesses, cells, mu, c, corner_of, 0.1);
    EXPECT_GE(found.beta, exact.reached) << mu << ' ' << c;
    EXPECT_LE(found.beta, 1.02 * row.beta + open) << mu << ' ' << c;
    EXPECT_LE(found.reached, found.beta);
    // At E = 1 the correction is the same at -c.
    EXPECT_NEAR(certified_correction(excesses, cells, mu, -c, corner_of, 0.1).beta, found.beta, open);
  }
}

TEST(ConvexMajorant, IsConvexAboveAndTouches) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> points;
    for (double y = 2.5; y > 0.05; y *= 0.8) points.push_back(-y);
    points.push_back(0);
    for (double y = 0.06; y < 2.6; y *= 1.25) points.push_back(y);
    SidedValues values;
    const double bump = trial % 4 * 0.02;
    for (const double y : points) {
      const double tent = std::fmax(0.0, 0.3 - 0.25 * std::fabs(y)) + 0.1 * std::exp(-std::fabs(y));
      values.push_back(tent + bump * std::exp(-50 * (std::fabs(y) - 0.8) * (std::fabs(y) - 0.8)) +
                       1e-3 * (trial % 3) * uniform(engine));
    }
    const SidedValues above = convex_majorant(points, values);
    bool touches = false;
    for (std::size_t k = 0; k < points.size(); ++k) {
      EXPECT_GE(above[k], values[k]);
      touches = touches || above[k] == values[k];
    }
    EXPECT_TRUE(touches);
    const auto masses = masses_above(points, above, above.back());
    ASSERT_TRUE(masses.has_value()) << trial;
    double total = 0;
    for (const double mass : *masses) {
      EXPECT_GE(mass, 0);
      total += mass;
    }
    EXPECT_LE(total, 1);
    // If nothing was concave, nothing is added.
    EXPECT_TRUE(trial % 12 != 0 || above == values);
  }
}

TEST(MassesAbove, RefusesWhatIsNotALaw) {
  const std::vector<double> points{-1, -0.5, 0, 0.5, 1};
  EXPECT_TRUE(masses_above(points, {0, 0.05L, 0.2L, 0.05L, 0}, 0).has_value());
  EXPECT_FALSE(masses_above(points, {0, 0.05L, 0.9L, 0.05L, 0}, 0).has_value());  // masses sum to more than 1
  EXPECT_FALSE(masses_above(points, {0, NAN, 0.2L, 0.05L, 0}, 0).has_value());
  EXPECT_FALSE(masses_above({-1, 1, 2}, {0, 0.05L, 0}, 0).has_value());  // 0 is not among the points
}

// Tables choose their nodes by the work that is counted, so a level that is still to be made must not count.
TEST(TwoTypesLaws, TheFirstAnswerCountsNoMoreWorkThanLaterOnes) {
  const auto laws = TwoTypesLaws::of(0.6875);
  const auto work = [&] {
    const double before = numerics::work_done();
    EXPECT_TRUE(laws->at(0.1, 0.3));
    return numerics::work_done() - before;
  };
  const double first = work();
  EXPECT_EQ(first, work());
}

TEST(TwoTypesLaws, TablesAreKeptAndCoverTheirRange) {
  EXPECT_EQ(TwoTypesLaws::of(0.31).get(), TwoTypesLaws::of(0.31).get());
  const auto first = TwoTypesLaws::of(0.32);
  for (int i = 0; i < 20; ++i) TwoTypesLaws::of(0.4 + 1e-3 * i);
  EXPECT_NE(TwoTypesLaws::of(0.32).get(), first.get());  // `first` is no longer kept, but still valid
  EXPECT_TRUE(first->at(0, 1).has_value());
  EXPECT_FALSE(first->at(10, 1).has_value());
  for (const double mu : {TwoTypesLaws::kMinMu, 0.1, TwoTypesLaws::kMaxMu}) {
    const TwoTypesLaws laws(mu);
    for (std::size_t l = 0; l < 2; ++l) {
      const TwoTypesLaws::Level& level = laws.level(l);
      ASSERT_TRUE(level.valid) << mu << ' ' << l;
      double variance[2] = {0, 0};
      for (std::size_t k = 0; k < laws.points().size(); ++k) {
        variance[0] += level.record[k] * laws.points()[k] * laws.points()[k];
        variance[1] += level.alternative[k] * laws.points()[k] * laws.points()[k];
      }
      const double w = std::expm1(mu * mu), e = 1 + level.excess;
      EXPECT_GT(variance[0], e * e * w);
      EXPECT_GT(variance[1], w);
      EXPECT_LT(variance[0], e * e * w * (1.005 + 0.1 * mu));
      EXPECT_LT(variance[1], w * (1.005 + 0.1 * mu));
    }
  }
}

}  // namespace
}  // namespace muster::accounting

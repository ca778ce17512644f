// Compares the two-types bound for Gaussian check-ins with exact laws of three clients, with reference
// values, and with lower bounds and larger upper bounds.
#include "muster/theorems/swap/gaussian_two_types.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "muster/composition/composed_curve.h"
#include "muster/core/error.h"
#include "muster/theorems/check_in/swap_profile.h"
#include "muster/theorems/exact/homogeneous.h"
#include "muster/theorems/subset/subset.h"

namespace muster::accounting {
namespace {

std::shared_ptr<const ReportingSum> local_of(double mu) {
  return std::make_shared<const ReportingSum>(GaussianLocal{2 / mu});
}

// --- three clients, exactly ------------------------------------------------------------------------

constexpr double kCell = 0.25;

// Returns the law of N(place, 1) rounded to cells of width 1/4. Rounding is post-processing, so the bound
// must hold for the rounded messages too.
std::vector<double> cells_of(double place) {
  std::vector<double> law;
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (double left = -5; left < 5; left += kCell)
    law.push_back(below(left + kCell - place) - below(left - place));
  law.front() += below(-5 - place);
  law.back() += 1 - below(5 - place);
  return law;
}

// Entry k of the result is the sum of (P - E Q)_+ over the multisets of k messages. P and Q are the
// multiset's probabilities under the victim's two records, summed over all choices of the k clients that
// report. `laws` has the victim's two laws, then those of the two others.
std::array<double, 4> exact(const std::array<const std::vector<double>*, 4>& laws, double e) {
  const std::vector<double>&a = *laws[0], &b = *laws[1], &u = *laws[2], &v = *laws[3];
  std::array<double, 4> total{};
  const std::size_t cells = a.size();
  for (std::size_t i = 0; i < cells; ++i) {
    total[1] += std::fmax(0.0, a[i] + u[i] + v[i] - e * (b[i] + u[i] + v[i]));
    for (std::size_t j = i; j < cells; ++j) {
      const double both = u[i] * v[j] + u[j] * v[i];
      const auto two = [&](const std::vector<double>& x) {
        return x[i] * (u[j] + v[j]) + x[j] * (u[i] + v[i]) + both;
      };
      total[2] += std::fmax(0.0, two(a) - e * two(b)) / (i == j ? 2 : 1);
      for (std::size_t k = j; k < cells; ++k) {
        const double ij = u[i] * v[j] + u[j] * v[i], ik = u[i] * v[k] + u[k] * v[i],
                     jk = u[j] * v[k] + u[k] * v[j];
        const double p = a[i] * jk + a[j] * ik + a[k] * ij, q = b[i] * jk + b[j] * ik + b[k] * ij;
        const double orders = i == j && j == k ? 6 : i == j || j == k ? 2 : 1;
        total[3] += std::fmax(0.0, p - e * q) / orders;
      }
    }
  }
  return total;
}

// Returns the right-hand side of (T) in docs/theory/gaussian-two-types.md for n = 3, summed over pairs of
// atoms. `excess` is E - 1, g is the rate, and `local` is f(E).
double bound_of_three(const TwoTypesLaws::Types& types, double excess, double g, double local) {
  const auto atoms = [](const numerics::AtomicLaw& law) {
    std::vector<std::array<double, 2>> all;
    double rest = 1;
    for (std::size_t k = 0; k < law.points.size(); ++k) {
      all.push_back({law.points[k], law.weights[k]});
      rest -= law.weights[k];
    }
    all.push_back({0, rest});
    return all;
  };
  const auto first = atoms(types.record), second = atoms(types.alternative);
  // With Y = term + E - 1, the swap theorem averages ( (sum over S of Y) - n (E - 1) )_+ / (n - |S|) over the
  // sets S of reports.
  const auto one = [&](const auto& law) {
    double sum = 0;
    for (const auto& [y, w] : law) sum += w * std::fmax(0.0, y / 2 - 1.5 * excess);
    return sum;
  };
  const auto two = [&](const auto& x, const auto& y) {
    double sum = 0;
    for (const auto& [s, w] : x) {
      for (const auto& [t, v] : y) sum += w * v * std::fmax(0.0, s + t - 3 * excess);
    }
    return sum;
  };
  double worst = 0;
  for (const auto& [x, y] :
       {std::array{&first, &first}, std::array{&first, &second}, std::array{&second, &second}}) {
    worst = std::fmax(worst, g * (1 - g) * (1 - g) * (one(*x) + one(*y)) + g * g * (1 - g) * two(*x, *y));
  }
  return worst + g * types.cut + g * g * g * local;
}

TEST(GaussianTwoTypes, DominatesExactLawsOfThreeClients) {
  int cases = 0;
  double tightest = 0;
  for (const double mu : {0.4, 1.0}) {
    const auto local = local_of(mu);
    const auto laws = TwoTypesLaws::of(mu);
    std::vector<std::vector<double>> at;
    for (const double share : {-0.5, -0.25, 0.0, 0.25, 0.5}) at.push_back(cells_of(share * mu));
    for (const double share : {0.0, 0.05, 0.2, 0.5, 1.0}) {
      const double epsilon = share * mu, excess = std::expm1(epsilon);
      const auto types = laws->at(excess, 1);
      if (!types) continue;
      for (const auto& [x, y] : {std::array<std::size_t, 2>{0, 4}, {4, 0}, {0, 2}, {1, 4}}) {
        for (std::size_t u = 0; u < at.size(); ++u) {
          for (std::size_t v = u; v < at.size(); ++v) {
            const std::array<double, 4> truth = exact({&at[x], &at[y], &at[u], &at[v]}, 1 + excess);
            for (const double g : {0.1, 0.5, 0.9}) {
              const double delta =
                  g * (1 - g) * (1 - g) * truth[1] + g * g * (1 - g) * truth[2] + g * g * g * truth[3];
              const double bound = bound_of_three(*types, excess, g, local->local(epsilon));
              ASSERT_LE(delta, bound) << mu << ' ' << epsilon << ' ' << g << ' ' << x << y << u << v;
              if (delta > 1e-6) tightest = std::fmax(tightest, delta / bound);
              ++cases;
            }
          }
        }
      }
    }
  }
  std::printf("%d exact laws, truth at most %.4f of the bound\n", cases, tightest);
  EXPECT_GT(tightest, 0.9);
}

// --- reference values ------------------------------------------------------------------------------

// tools/golden/gaussian_two_types.py computes the theorem's own values for the same cells of triangles, and
// the exact ones of the homogeneous pair and of X*. The bound's nodes, searches and convex majorants make its
// epsilons larger than the theorem's by at most the share `above`.
TEST(GaussianTwoTypes, ReferenceValues) {
  // Each row has three epsilons of one round at n = 60,000, g = .1 and delta = 1e-6: those of the bound by
  // two types, of the worse homogeneous data set, and of the bound by X*.
  struct Row {
    double mu, two_types, above, ends, profile;
  };
  for (const Row& row :
       {Row{.2, .00059935, 2e-3, .00059768, .00064847}, Row{.4, .0013799, 4e-3, .0013676, .0015825},
        Row{.7, .0029047, 6e-3, .0028482, .0035395}, Row{1, .0052119, 1.3e-2, .0050781, .0065469}}) {
    const auto curve = GaussianTwoTypesCurve::check_in(local_of(row.mu), row.mu, 60000, 0.1);
    const double epsilon = ComposedCurve([&](double e) {
                             return numerics::UpperAndEstimate{.upper = curve.delta(e).upper, .estimate = 0};
                           }).upper(1, {Question::Kind::epsilon_at_delta, 1e-6});
    EXPECT_GE(epsilon, row.two_types) << row.mu;
    EXPECT_LE(epsilon, (1 + row.above) * row.two_types) << row.mu;
    EXPECT_GT(epsilon, row.ends) << row.mu;
    EXPECT_LT(epsilon, row.profile) << row.mu;
  }
}

// --- order -----------------------------------------------------------------------------------------

TEST(GaussianTwoTypes, NeverBelowADatasetNorAboveTheProfileOnlyLaw) {
  for (const double mu : {0.05, 0.2, 0.4, 0.7, 1.0}) {
    const auto local = local_of(mu);
    for (const auto& [n, g] :
         {std::array{50.0, 0.95}, {200.0, 0.5}, {1000.0, 0.9}, {60000.0, 0.1}, {1e9, 1e-3}}) {
      if (mu == 1 && n == 200) continue;
      const auto curve = GaussianTwoTypesCurve::check_in(local, mu, n, g);
      const ShuffledCheckIn protocol{ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(g)};
      const HomogeneousCurve pair(GaussianLocal{2 / mu}, {n, n, g});
      const double deviation = std::sqrt(g * std::expm1(mu * mu) / n);
      double before = 1;
      for (const double z : {0.0, 0.3, 1.0, 2.0, 3.5, 5.0, 6.5}) {
        const double epsilon = std::log1p(z * deviation);
        const numerics::UpperAndEstimate delta = curve.delta(epsilon);
        SCOPED_TRACE(::testing::Message() << mu << ' ' << n << ' ' << g << ' ' << z);
        EXPECT_GE(delta.upper, pair.forward(epsilon).lower);
        EXPECT_GE(delta.upper, pair.reverse(epsilon).lower);
        EXPECT_LE(delta.upper, swap_delta(*local, protocol, epsilon).upper * (1 + 1e-5));
        EXPECT_LE(delta.estimate, delta.upper);
        EXPECT_LE(delta.upper, before);
        before = delta.upper;
      }
    }
  }
}

TEST(GaussianTwoTypes, GrowsWithTheDiameterAndFallsWithTheClients) {
  const double epsilon = 0.001;
  double before = 0;
  for (const double mu : {0.1, 0.2, 0.3, 0.5, 0.8}) {
    const double delta = GaussianTwoTypesCurve::check_in(local_of(mu), mu, 60000, 0.1).delta(epsilon).upper;
    EXPECT_GT(delta, before);
    before = delta;
  }
  before = 1;
  for (const double n : {1e3, 1e4, 1e5, 1e6}) {
    const double delta = GaussianTwoTypesCurve::check_in(local_of(0.4), 0.4, n, 0.1).delta(epsilon).upper;
    EXPECT_LT(delta, before);
    before = delta;
  }
}

// A check-in is an average over the sizes of subsets, so a subset of the mean size costs about as much as the
// check-in.
TEST(GaussianTwoTypes, SubsetsAreLikeCheckIns) {
  const double mu = 0.4, n = 60000;
  const auto local = local_of(mu);
  const auto subset = GaussianTwoTypesCurve::subset(local, mu, n, 6000);
  const auto check_in = GaussianTwoTypesCurve::check_in(local, mu, n, 0.1);
  for (const double epsilon : {0.0, 5e-4, 1.5e-3}) {
    const double delta = subset.delta(epsilon).upper;
    EXPECT_NEAR(delta / check_in.delta(epsilon).upper, 1, 0.02) << epsilon;
    EXPECT_LE(delta, subset_curve(*local, n, 6000).delta(epsilon).upper);
    EXPECT_GE(delta, HomogeneousCurve(GaussianLocal{5}, {n, 6000, 1}).forward(epsilon).lower);
  }
}

}  // namespace
}  // namespace muster::accounting

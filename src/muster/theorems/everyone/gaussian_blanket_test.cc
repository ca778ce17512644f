// Tests the Gaussian's blanket: its stop-loss transform against quadrature, and the bound against
// enumerated rounded messages.
#include "muster/theorems/everyone/gaussian_blanket.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/profile.h"
#include "muster/theorems/exact/homogeneous.h"
#include "tests/oracle/enumeration.h"

namespace muster::accounting {
namespace {

using oracle::Law;

struct Point {
  double u, v;
};

// Returns the law of the box in which a message of record x in the plane falls. Rounding a message to its
// box is post-processing, so the bound must also hold for the boxes.
Law rounded(Point x, const std::vector<double>& cuts_u, const std::vector<double>& cuts_v) {
  const auto cdf = [](double t) { return 0.5L * std::erfc(-static_cast<long double>(t) / std::sqrt(2.0L)); };
  Law law;
  for (std::size_t i = 0; i <= cuts_u.size(); ++i) {
    const long double low_u = i == 0 ? 0 : cdf(cuts_u[i - 1] - x.u);
    const long double high_u = i == cuts_u.size() ? 1 : cdf(cuts_u[i] - x.u);
    for (std::size_t j = 0; j <= cuts_v.size(); ++j) {
      const long double low_v = j == 0 ? 0 : cdf(cuts_v[j - 1] - x.v);
      const long double high_v = j == cuts_v.size() ? 1 : cdf(cuts_v[j] - x.v);
      law.push_back((high_u - low_u) * (high_v - low_v));
    }
  }
  return law;
}

TEST(GaussianBlanket, DominatesRoundedMessages) {
  int cases = 0;
  int below_local = 0;
  int fewer_clients_are_caught = 0;
  long double tightest = 0;
  for (const double mu : {0.7, 1.5}) {
    const double r = mu / 2;
    const std::vector<Point> records = {{r, 0}, {-r, 0}, {0, 0}, {0, r}, {r * 0.6, -r * 0.8}};
    for (const bool plane : {false, true}) {
      const std::vector<double> cuts_u = plane ? std::vector<double>{0} : std::vector<double>{-0.8, 0.1, 0.9};
      const std::vector<double> cuts_v = plane ? std::vector<double>{0.2} : std::vector<double>{};
      std::vector<Law> laws;
      for (const Point& x : records) laws.push_back(rounded(x, cuts_u, cuts_v));
      for (const int n : {3, 14}) {
        const GaussianBlanket blanket(n, mu, r);
        const GaussianBlanket too_many(60 * n, mu, r);  // a false bound, which the test must notice
        for (const double epsilon : {0.0, 0.1, 0.5 * mu}) {
          const double bound = blanket.delta(epsilon).upper;
          long double truth = 0;
          for (std::size_t first = 0; first < laws.size(); ++first) {
            for (std::size_t second = first; second < laws.size(); ++second) {
              std::vector<Law> others(static_cast<std::size_t>(n - 1), laws[first]);
              for (std::size_t j = 0; j < others.size(); j += 2) others[j] = laws[second];
              for (const auto& [a, b] : {std::pair{0, 1}, std::pair{3, 0}, std::pair{4, 3}}) {
                truth = std::max(
                    truth, oracle::hockey_stick(oracle::check_in(others, laws[static_cast<std::size_t>(a)],
                                                                 laws[static_cast<std::size_t>(b)], 1.0L),
                                                epsilon));
              }
            }
          }
          EXPECT_GE(bound, truth) << mu << " " << n << " " << epsilon << " " << plane;
          if (truth > 1e-9L) tightest = std::max(tightest, truth / bound);
          if (bound < 0.95 * gaussian_divergence(mu, epsilon).upper) ++below_local;
          if (too_many.delta(epsilon).upper < truth) ++fewer_clients_are_caught;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 2 * 2 * 2 * 3);
  EXPECT_GT(below_local, 0);
  EXPECT_GT(fewer_clients_are_caught, 0);
  EXPECT_GT(tightest, 0.3L);
}

// Integrates the positive part of a - E b - c beta R(o) over the plane, or for c < 0 its negative part,
// which gives the expected deficit. Compares the integral with (2) of docs/theory/gaussian-blanket.md.
TEST(GaussianBlanket, TheStopLossTransformIsAMajorant) {
  const auto profile = [](double distance, double alpha) {
    return gaussian_divergence(distance, std::log(alpha)).upper;
  };
  int cases = 0;
  double tightest = 0;
  for (const double mu : {0.4, 1.5}) {
    const double r = mu / 2;
    for (const double epsilon : {0.0, 0.3}) {
      const double e = std::exp(epsilon);
      for (const Point& x : {Point{r, 0}, Point{0.5 * r, 0.5 * r}}) {
        for (const Point& y : {Point{-r, 0}, Point{0, r}, Point{r * 0.6, -r * 0.8}}) {
          for (const double c : {-3.0, -1.0, -0.2, 0.0, 0.1, 0.5, 2.0}) {  // in units of 1 / beta
            const double h = 0.08;
            double sum = 0;
            for (double u = -8; u < 8; u += h) {
              for (double v = -8; v < 8; v += h) {
                const auto density = [u, v](const Point& p) {
                  return std::exp(-0.5 * ((u - p.u) * (u - p.u) + (v - p.v) * (v - p.v))) /
                         (2 * 3.141592653589793);
                };
                const double gap = density(x) - e * density(y) - c * density({0, 0});
                sum += std::max(0.0, c >= 0 ? gap : -gap) * h * h;
              }
            }
            double bound = 0;
            if (c >= 0) {
              const double s = e + c;
              bound = e / s * profile(mu, s) + (1 - e / s) * profile(r, s);
            } else {
              const double t = 1 - c;
              bound = e * (profile(mu, t / e) / t + (1 - 1 / t) * profile(r, t / e));
            }
            EXPECT_LE(sum, bound + 2e-4) << mu << " " << epsilon << " " << x.u << " " << y.u << " " << c;
            if (bound > 0.01) tightest = std::max(tightest, sum / bound);
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 2 * 2 * 2 * 3 * 7);
  EXPECT_GT(tightest, 0.95);
}

TEST(GaussianBlanket, BetweenTheHomogeneousPairAndTheLocalGuarantee) {
  struct Row {
    double mu, epsilon, delta;  // the bound at n = 60,000; epsilon is given to three digits or more
  };
  const double n = 60000;
  for (const Row& row : {Row{0.7, 0.02552, 1e-5}, Row{1, 0.0649, 1e-5}, Row{2, 2.99, 1e-5}}) {
    const GaussianBlanket blanket(n, row.mu, row.mu / 2);
    EXPECT_LE(blanket.delta(row.epsilon).upper, row.delta * 1.02) << row.mu;
    const HomogeneousCurve lower(GaussianLocal{2 / row.mu}, {n, n, 1});
    for (const double epsilon : {0.0, 0.2 * row.epsilon, row.epsilon, 1.5 * row.epsilon}) {
      const numerics::UpperAndEstimate ends = blanket.delta(epsilon);
      EXPECT_GE(ends.upper, lower.forward(epsilon).lower);
      EXPECT_GE(ends.upper, lower.reverse(epsilon).lower);
      EXPECT_LE(ends.upper, gaussian_divergence(row.mu, epsilon).upper);
      EXPECT_LE(ends.upper - ends.estimate, 0.02 * ends.upper);
    }
  }
}

// With few clients, several large terms together make much of the sum, which neither a single large term nor
// the contour integral encloses narrowly. More noise must still cost less, up to the error that is stated.
TEST(GaussianBlanket, FallsWithTheNoiseForFewClients) {
  for (const double epsilon : {1.8, 2.0, 2.2}) {
    double before = 1;
    for (const double sigma : {2.4, 2.45, 2.5906, 2.6642, 2.735, 2.7398, 2.8}) {
      const double mu = 2 / sigma;
      const numerics::UpperAndEstimate ends = GaussianBlanket(20, mu, mu / 2).delta(epsilon);
      EXPECT_LT(ends.upper, before) << epsilon << ' ' << sigma;
      EXPECT_LE(ends.upper - ends.estimate, 0.03 * ends.upper) << epsilon << ' ' << sigma;
      before = ends.upper;
    }
  }
}

// The grid's steps are a fraction of mu. A grid that reaches up to epsilon would not fit into memory.
TEST(GaussianBlanket, TinyDistancesOfMeansTakeLittleMemory) {
  for (const double n : {1.0, 2.0, 1e6}) {
    for (const double mu : {1e-16, 1e-9, 1e-5}) {
      for (const double epsilon : {0.0, 1e-12, 1e-3, 1.0}) {
        const double local = gaussian_divergence(mu, epsilon).upper;
        EXPECT_LE(GaussianBlanket(n, mu, mu / 2).delta(epsilon).upper, local)
            << n << " " << mu << " " << epsilon;
      }
    }
  }
}

TEST(GaussianBlanket, ExtremesStayNumbers) {
  for (const double n : {1.0, 2.0, 1e3, 1e9, 1e12}) {
    for (const double mu : {0.01, 1.0, 20.0}) {
      for (const double epsilon : {0.0, 1e-6, 0.5, 5.0, 50.0}) {
        const numerics::UpperAndEstimate ends = GaussianBlanket(n, mu, mu / 2).at(3 * mu, epsilon);
        SCOPED_TRACE(::testing::Message() << n << " " << mu << " " << epsilon);
        EXPECT_GE(ends.estimate, 0);
        EXPECT_LE(ends.estimate, ends.upper);
        EXPECT_LE(ends.upper, 1);
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

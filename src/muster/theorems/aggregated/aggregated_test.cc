// Compares the Gaussian's privacy profile with quadrature. Compares the curves of an aggregated check-in
// with quadrature for data sets of two and three clients, and, for large populations, with a sum over the
// number of reports.
#include "muster/theorems/aggregated/aggregated.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/describe/gaussian_divergence.h"

namespace muster::accounting {
namespace {

constexpr long double kPi = 3.14159265358979323846L;

long double normal_density(long double x, long double mean, long double deviation) {
  const long double z = (x - mean) / deviation;
  return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * kPi));
}

// Integrates `f` over [a, b] by the Gauss-Legendre rule of five nodes on each of `pieces` equal pieces.
template <typename F>
long double integral(const F& f, long double a, long double b, int pieces) {
  const long double node[] = {0, 0.538469310105683091L, 0.906179845938663993L};
  const long double weight[] = {128.0L / 225, 0.478628670499366468L, 0.236926885056189088L};
  long double sum = 0;
  for (int i = 0; i < pieces; ++i) {
    const long double half = (b - a) / pieces / 2, centre = a + (2 * i + 1) * half;
    sum += half * weight[0] * f(centre);
    for (int j = 1; j < 3; ++j) {
      sum += half * weight[j] * (f(centre - half * node[j]) + f(centre + half * node[j]));
    }
  }
  return sum;
}

// Integrates the positive part of a smooth `f`. Each piece is cut at the sign change inside it, if any.
template <typename F>
long double positive_integral(const F& f, long double a, long double b, int pieces) {
  long double sum = 0, low = a, at_low = f(a);
  for (int i = 1; i <= pieces; ++i) {
    const long double high = a + (b - a) * i / pieces, at_high = f(high);
    long double from = low, to = high;
    if ((at_low > 0) != (at_high > 0)) {
      long double inside = low, outside = high;
      for (int step = 0; step < 50; ++step) {
        const long double middle = (inside + outside) / 2;
        ((f(middle) > 0) == (at_low > 0) ? inside : outside) = middle;
      }
      (at_low > 0 ? to : from) = inside;
    }
    if (at_low > 0 || at_high > 0) sum += integral(f, from, to, 1);
    low = high, at_low = at_high;
  }
  return sum;
}

// Integrates (N(mu, 1) - alpha N(0, 1))_+ with alpha = e^epsilon, from the point where the difference
// becomes positive.
long double profile_by_quadrature(long double mu, long double epsilon) {
  const long double start = epsilon / mu + mu / 2;
  const auto f = [&](long double x) {
    // With phi the standard normal density, alpha phi(x) = phi(x - mu) e^{-(x - start) mu}.
    return -normal_density(x, mu, 1) * std::expm1(-(x - start) * mu);
  };
  const long double far = std::max(start, mu) + 14;
  return integral(f, start, far, 600);
}

TEST(GaussianPair, EnclosesTheQuadrature) {
  for (const double mu : {1e-6, 1e-4, 3e-3, 0.02, 0.0499, 0.0501, 0.3, 1.0, 4.0}) {
    for (const double deviations : {0.0, 0.3, 1.0, 3.0, 6.0, 11.0, 12.5, 13.5, 20.0}) {
      const double epsilon = mu * deviations;
      const numerics::Enclosure pair = gaussian_divergence(mu, epsilon);
      const long double exact = profile_by_quadrature(mu, epsilon);
      SCOPED_TRACE(::testing::Message() << mu << " " << deviations);
      EXPECT_GE(pair.upper, exact * (1 - 1e-13L));
      EXPECT_LE(pair.lower, exact * (1 + 1e-13L));
      EXPECT_LE(pair.upper - pair.lower, 1e-8L * exact + 1e-300L);
    }
  }
}

long double binomial(int n, int k, long double g) {
  return std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L)) *
         std::pow(g, k) * std::pow(1 - g, n - k);
}

// Computes the exact divergence from its definition: the server sees the number k of reports and their sum,
// whose noise has variance k s^2. Records are numbers in [-1, 1]. The victim holds x or other_x, and
// `others` has the records of all other clients.
long double truth(const std::vector<double>& others, double x, double other_x, double s, double g, int kmin,
                  double epsilon) {
  const int m = static_cast<int>(others.size()), n = m + 1;
  const long double grown = std::exp(static_cast<long double>(epsilon));
  long double total = 0;
  for (int k = std::max(kmin, 1); k <= n; ++k) {
    // These are the means of the sum for all sets of k reporting clients, which are equally likely.
    std::vector<long double> with_x, with_other;
    for (int set = 0; set < (1 << n); ++set) {
      if (__builtin_popcount(static_cast<unsigned>(set)) != k) continue;
      long double sum = 0;
      for (int j = 0; j < m; ++j) {
        if (set >> (j + 1) & 1) sum += others[static_cast<std::size_t>(j)];
      }
      with_x.push_back(sum + (set & 1 ? x : 0));
      with_other.push_back(sum + (set & 1 ? other_x : 0));
    }
    const long double deviation = s * std::sqrt(static_cast<long double>(k));
    const auto excess = [&](long double y) {
      long double p = 0, q = 0;
      for (const long double mean : with_x) p += normal_density(y, mean, deviation);
      for (const long double mean : with_other) q += normal_density(y, mean, deviation);
      return (p - grown * q) / static_cast<long double>(with_x.size());
    };
    total += binomial(n, k, g) * positive_integral(excess, -k - 9 * deviation, k + 9 * deviation, 90);
  }
  return total;
}

TEST(AggregatedGaussian, DominatesEveryDatasetAndIsAttained) {
  const std::vector<double> grid = {-1, -0.4, 0.3, 1};
  int cases = 0, violations = 0, caught = 0;
  long double tightest = 0;
  for (const int n : {2, 3}) {
    for (const double s : {0.7, 2.5}) {
      for (const double g : {0.15, 0.6, 0.95}) {
        for (const int kmin : {1, 2}) {
          const AggregatedGaussianCurve curve(2 / s, n, g, kmin);
          for (const double share : {0.0, 0.1, 0.3, 0.9}) {
            const double epsilon = share * 2 / s;
            const numerics::Enclosure bound = curve.delta(epsilon);
            EXPECT_LE(bound.upper - bound.lower, 1e-7 * bound.upper);
            // A wrong variant, with the rate g instead of the share k / n, must be too small in some cases.
            long double naive = 0;
            for (int k = kmin; k <= n; ++k) {
              naive += binomial(n, k, g) * g *
                       profile_by_quadrature(2 / s / std::sqrt(static_cast<long double>(k)),
                                             std::log1p(std::expm1(epsilon) / g));
            }
            long double worst = 0;
            const auto one = [&](const std::vector<double>& others) {
              for (const auto& [x, y] : {std::pair{1.0, -1.0}, std::pair{-1.0, 1.0}, std::pair{0.3, -1.0}}) {
                const long double value = truth(others, x, y, s, g, kmin, epsilon);
                ++cases;
                violations += value > bound.upper * (1 + 1e-11L) + 1e-17L;
                worst = std::max(worst, value);
              }
            };
            if (n == 2) {
              for (const double u : grid) one({u});
            } else {
              for (std::size_t i = 0; i < grid.size(); ++i) {
                for (std::size_t j = i; j < grid.size(); ++j) one({grid[i], grid[j]});
              }
            }
            caught += worst > naive * 1.001L;
            tightest = std::max(tightest, worst / bound.upper);
            // At every epsilon, some data set attains the bound.
            EXPECT_GE(worst, bound.lower * (1 - 1e-9L) - 1e-17L);
            // For the pair's reverse curve, the others hold -1, and the victim's -1 is compared with 1.
            const std::vector<double> same(static_cast<std::size_t>(n - 1), -1.0);
            const long double reverse = truth(same, -1, 1, s, g, kmin, epsilon);
            const numerics::Enclosure pair = curve.reverse(epsilon);
            EXPECT_GE(pair.upper, reverse * (1 - 1e-11L) - 1e-17L);
            EXPECT_LE(pair.lower, reverse * (1 + 1e-11L) + 1e-17L);
            EXPECT_LE(pair.upper - pair.lower, 1e-6 * pair.upper + 1e-16);
          }
        }
      }
    }
  }
  EXPECT_EQ(violations, 0) << "of " << cases;
  EXPECT_GT(tightest, 0.99999L);
  EXPECT_GT(caught, 0);
}

// Sums the curve of a large population over every k of a wide window, with the textbook formula of the
// profile in extended precision.
long double term_by_term(double mu, double n, double g, double kmin, double epsilon) {
  const auto tail = [](long double x) { return std::erfc(x / std::sqrt(2.0L)) / 2; };
  const long double sd = std::sqrt(static_cast<long double>(n) * g * (1 - g)), gain = std::expm1(epsilon);
  long double sum = 0;
  for (long double k = std::max<long double>(kmin, std::floor(n * g - 12 * sd));
       k <= std::min<long double>(n, n * g + 12 * sd); k += 1) {
    const long double log_weight = std::lgamma(n + 1.0L) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                   k * std::log(static_cast<long double>(g)) +
                                   (n - k) * std::log1p(-static_cast<long double>(g));
    const long double share = k / n, m = mu / std::sqrt(k), e = std::log1p(gain / share);
    sum += std::exp(log_weight) * share * (tail(e / m - m / 2) - std::exp(e) * tail(e / m + m / 2));
  }
  return sum;
}

TEST(AggregatedGaussian, EqualsTheSumTermByTerm) {
  for (const auto& [n, g, kmin] : {std::tuple{100.0, 0.3, 5.0}, std::tuple{6e4, 0.1, 1.0},
                                   std::tuple{1e6, 0.4, 1.0}, std::tuple{1e7, 1e-3, 100.0}}) {
    for (const double mu : {0.4, 2.0}) {
      const AggregatedGaussianCurve curve(mu, n, g, kmin);
      for (const double deviations : {0.0, 1.0, 4.0, 7.0}) {
        const double epsilon = std::log1p(deviations * mu * std::sqrt(g / n));
        const numerics::Enclosure bound = curve.delta(epsilon);
        const long double slow = term_by_term(mu, n, g, kmin, epsilon);
        SCOPED_TRACE(::testing::Message() << n << " " << g << " " << mu << " " << deviations << " " << slow);
        EXPECT_GE(bound.upper, slow * (1 - 1e-9L));
        EXPECT_LE(bound.lower, slow * (1 + 1e-9L));
        EXPECT_LE(bound.upper - bound.lower, 2e-3L * slow);
      }
    }
  }
}

// As mu tends to 0, delta at epsilon = c mu becomes mu times a function of c. A reverse curve that took the
// logarithm of the rounded 1 - x, for an x far below 1e-16, would not fall until epsilon reaches 1e-16.
TEST(AggregatedGaussian, ScalesWithTheDistanceHoweverSmallItIs) {
  constexpr double kNear = 1e-6;
  const auto curve = [](double mu) { return AggregatedGaussianCurve(mu, 1000, 0.1, 1); };
  const AggregatedGaussianCurve known = curve(kNear);
  for (double mu = 1e-9; mu > 1e-28; mu /= 10) {
    const AggregatedGaussianCurve small = curve(mu);
    for (const double c : {0.0, 1e-4, 1e-3, 1e-2, 3e-2}) {
      const numerics::Enclosure expected[] = {known.delta(c * kNear), known.reverse(c * kNear)};
      const numerics::Enclosure got[] = {small.delta(c * mu), small.reverse(c * mu)};
      for (const int side : {0, 1}) {
        EXPECT_LE(got[side].lower / mu, expected[side].upper / kNear * (1 + 1e-4))
            << mu << ' ' << c << ' ' << side;
        EXPECT_GE(got[side].upper / mu, expected[side].lower / kNear * (1 - 1e-4))
            << mu << ' ' << c << ' ' << side;
      }
    }
  }
}

TEST(AggregatedGaussian, AnswersEverywhere) {
  for (const double n : {1.0, 2.0, 1e3, 1e9, 1e12}) {
    for (const double g : {1e-9, 0.3, 1.0}) {
      for (const double mu : {1e-3, 0.4, 100.0}) {
        const AggregatedGaussianCurve curve(mu, n, g, 1);
        double before = 1;
        for (const double epsilon : {0.0, 1e-9, 1e-4, 0.1, 3.0, 40.0, 800.0}) {
          for (const numerics::Enclosure value : {curve.delta(epsilon), curve.reverse(epsilon)}) {
            EXPECT_TRUE(value.lower >= 0 && value.lower <= value.upper && value.upper <= 1)
                << n << " " << g << " " << mu << " " << epsilon << " " << value.lower << " " << value.upper;
          }
          if (epsilon < 700) {
            EXPECT_LE(curve.delta(epsilon).upper, before * (1 + 1e-6));
          }
          before = curve.delta(epsilon).upper;
        }
      }
    }
  }
}

// For rates in [lo, hi], the bound is above the exact curve of two clients, each at rate lo or hi. The
// curves are computed by quadrature.
TEST(AggregatedUnequal, DominatesUnequalRates) {
  const double s = 1.2;
  int violations = 0;
  for (const auto& [lo, hi] : {std::pair{0.2, 0.6}, std::pair{0.5, 0.9}}) {
    for (const int kmin : {1, 2}) {
      const AggregatedUnequalCurve curve(2 / s, 2, lo, hi, kmin);
      for (const double epsilon : {0.0, 0.2, 0.6}) {
        const double bound = curve.delta(epsilon).upper;
        for (const double mine : {lo, hi}) {
          for (const double theirs : {lo, hi}) {
            for (const double u : {-1.0, 0.0, 1.0}) {
              const long double grown = std::exp(static_cast<long double>(epsilon));
              const auto one = [&](long double y) {
                const long double p = mine * (1 - theirs) * normal_density(y, 1, s);
                const long double q = mine * (1 - theirs) * normal_density(y, -1, s);
                const long double o = theirs * (1 - mine) * normal_density(y, u, s);
                return p + o - grown * (q + o);
              };
              const auto two = [&](long double y) {
                const long double both = mine * theirs, d = s * std::sqrt(2.0L);
                return both * (normal_density(y, 1 + u, d) - grown * normal_density(y, u - 1, d));
              };
              long double value = positive_integral(two, -2 - 9 * s, 2 + 9 * s, 90);
              if (kmin == 1) value += positive_integral(one, -1 - 9 * s, 1 + 9 * s, 90);
              violations += value > bound * (1 + 1e-11L);
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(violations, 0);
}

// Compares the curves of both orders with quadrature for two clients, the victim and another one, of
// different rates.
TEST(AggregatedUnequal, EnclosesTheCurveOfTwoRates) {
  const double s = 1.2;
  for (const double epsilon : {0.0, 0.2, 0.6}) {
    const double mine = 0.6, theirs = 0.25;
    const AggregatedGaussianCurve curve(2 / s, 2, mine, theirs, 1, FewReports::destroyed);
    const long double grown = std::exp(static_cast<long double>(epsilon)), d = s * std::sqrt(2.0L);
    const auto sum = [&](long double y, bool forward) {
      const long double p = mine * (1 - theirs) * normal_density(y, 1, s);
      const long double q = mine * (1 - theirs) * normal_density(y, -1, s);
      const long double o = theirs * (1 - mine) * normal_density(y, -1, s);
      return forward ? p + o - grown * (q + o) : q + o - grown * (p + o);
    };
    const auto both = [&](long double y, bool forward) {
      const long double p = normal_density(y, 0, d), q = normal_density(y, -2, d);
      return mine * theirs * (forward ? p - grown * q : q - grown * p);
    };
    for (const bool forward : {true, false}) {
      const long double value =
          positive_integral([&](long double y) { return sum(y, forward); }, -1 - 9 * s, 1 + 9 * s, 90) +
          positive_integral([&](long double y) { return both(y, forward); }, -2 - 9 * d, 9 * d, 90);
      const numerics::Enclosure found = forward ? curve.delta(epsilon) : curve.reverse(epsilon);
      EXPECT_GE(found.upper, value * (1 - 1e-11L));
      EXPECT_LE(found.lower, value * (1 + 1e-11L));
      EXPECT_LE(found.upper - found.lower, 1e-6 * found.upper);
    }
  }
}

TEST(AggregatedUnequal, AtEqualRatesIsTheBoundForOneRate) {
  const AggregatedUnequalCurve equal(0.4, 6e4, 0.1, 0.1, 1);
  const double plain = AggregatedGaussianCurve(0.4, 6e4, 0.1, 1).delta(0.001).upper;
  EXPECT_NEAR(equal.delta(0.001).upper, plain, 1e-11 * plain);
}

// Of two clients, the other one is charged as absent with probability 1 - lo/hi. In the far tail nearly all
// of delta comes from this case, so even an error of lo/hi that is small beside 1 - lo/hi would show.
TEST(AggregatedUnequal, NearlyEqualRatesAreNotRoundedToEachOther) {
  const double hi = 1 - 1e-6, mu = 0.4, epsilon = 12;
  const AggregatedGaussianCurve alone(mu, 1, hi, 1), both(mu, 2, hi, 1);
  for (int i = 1; i <= 40; ++i) {
    const double lo = hi - 1e-12 * i;
    const long double absent = (static_cast<long double>(hi) - lo) / hi;
    const long double truth = absent * alone.delta(epsilon).lower + (1 - absent) * both.delta(epsilon).lower;
    const double upper = AggregatedUnequalCurve(mu, 2, lo, hi, 1).delta(epsilon).upper;
    EXPECT_GE(upper, truth) << lo;
    EXPECT_LE(upper, truth * (1 + 1e-3L)) << lo;
  }
}

}  // namespace
}  // namespace muster::accounting

// Searches for the worst placement of the others' records around the victim's two records, with Gaussian
// messages (docs/theory/open-questions.md). A lemma on that page proves which placement has the largest
// variance of the likelihood-ratio terms. For the divergence itself, these tests only search.
//
// If this test ever fails, it has found a counterexample, which belongs on that page.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {
namespace {

using Point = std::array<long double, 3>;

long double dot(const Point& x, const Point& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
Point minus(const Point& x, const Point& y) { return {x[0] - y[0], x[1] - y[1], x[2] - y[2]}; }

// Returns the integral of (a - b)^2 / u for the densities
// a, b and u of unit normals around x, `other` and t.
long double spread(const Point& x, const Point& other, const Point& t) {
  const Point p = minus(x, t), q = minus(other, t);
  return std::exp(dot(p, p)) + std::exp(dot(q, q)) - 2 * std::exp(dot(p, q));
}

long double density(long double y, long double mean) {
  return std::exp(-(y - mean) * (y - mean) / 2) / std::sqrt(2 * std::acos(-1.0L));
}

TEST(GaussianPlacements, TheClosedFormOfTheSpreadIsTheIntegral) {
  for (const auto& [x, other, t] :
       {std::array{0.4L, -0.4L, -0.4L}, {0.9L, -0.2L, 0.5L}, {1.0L, -1.0L, 0.0L}}) {
    long double sum = 0;  // the trapezoidal rule is exact up to round-off for such an integrand
    for (long double y = -15; y <= 15; y += 0.0625L) {
      const long double difference = density(y, x) - density(y, other);
      sum += 0.0625L * difference * difference / density(y, t);
    }
    EXPECT_NEAR(static_cast<double>(sum / spread({x}, {other}, {t})), 1, 1e-13);
  }
}

TEST(GaussianPlacements, TheSpreadIsLargestAtTheEndsOfADiameter) {
  std::mt19937_64 engine(3);
  std::normal_distribution<long double> normal;
  std::uniform_real_distribution<long double> uniform(0, 1);
  long double largest = 0;
  for (int trial = 0; trial < 200'000; ++trial) {
    const long double radius = 0.05L + 1.5L * uniform(engine);
    const int dimension = 1 + trial % 3;
    std::array<Point, 3> points{};
    for (Point& point : points) {
      for (int i = 0; i < dimension; ++i) point[static_cast<std::size_t>(i)] = normal(engine);
      // Half of the points lie on the sphere, where the largest values are.
      const long double length = uniform(engine) < 0.5L ? 1 : std::sqrt(uniform(engine));
      const long double scale = radius * length / std::sqrt(dot(point, point));
      for (long double& coordinate : point) coordinate *= scale;
    }
    const long double ratio = spread(points[0], points[1], points[2]) / std::expm1(4 * radius * radius);
    ASSERT_LE(ratio, 1 + 1e-15L) << trial;
    largest = std::max(largest, ratio);
  }
  EXPECT_GT(largest, 0.999L);
  // Three points at distance 2R from each other, here with R = 1.4, have a larger value, but no ball of
  // radius R contains them.
  EXPECT_GT(spread({1.4L}, {-1.4L}, {0, std::sqrt(3.0L) * 1.4L}), std::expm1(4 * 1.4L * 1.4L));
}

// Returns the law of N(mean, 1), rounded to cells of width 1/2 on [-4, 4] and two unbounded cells outside it.
Law boxed(long double mean) {
  const auto tail = [](long double y) { return std::erfc(y / std::sqrt(2.0L)) / 2; };
  Law law = {tail(mean + 4)};
  for (long double left = -4; left < 4; left += 0.5L) {
    law.push_back(tail(left - mean) - tail(left + 0.5L - mean));
  }
  law.push_back(tail(4 - mean));
  return law;
}

struct Search {
  int points = 0;
  long double largest = 0;  // the largest ratio of a divergence to that of the worse homogeneous data set
};

// Compares all data sets with the worse of two homogeneous data sets. A data set has n - 1 others from
// `places` (every multiset) and an ordered pair of the victim's records from `places`. In the homogeneous
// data sets, the victim's records are the first and the last place, and the others all hold the last, or all
// the first.
void search(const std::vector<Law>& places, int n, long double rate, const std::vector<long double>& epsilons,
            Search& found) {
  const auto others = static_cast<std::size_t>(n - 1);
  const Law &x = places.front(), &alternative = places.back();
  const OutputPair forward = check_in(std::vector<Law>(others, alternative), x, alternative, rate);
  const OutputPair reverse = check_in(std::vector<Law>(others, x), x, alternative, rate);
  std::vector<std::size_t> chosen(others, 0);
  const auto next = [&] {  // the next non-decreasing sequence
    for (std::size_t i = others; i-- > 0;) {
      if (chosen[i] + 1 < places.size()) {
        std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(i), chosen.end(), chosen[i] + 1);
        return true;
      }
    }
    return false;
  };
  do {
    std::vector<Law> dataset;
    for (const std::size_t place : chosen) dataset.push_back(places[place]);
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = 0; b < places.size(); ++b) {
        if (a == b) continue;
        const OutputPair pair = check_in(dataset, places[a], places[b], rate);
        for (const long double epsilon : epsilons) {
          const long double worst = std::max(hockey_stick(forward, epsilon), hockey_stick(reverse, epsilon));
          if (worst < 1e-12L) continue;
          found.largest = std::max(found.largest, hockey_stick(pair, epsilon) / worst);
          ++found.points;
        }
      }
    }
  } while (next());
}

TEST(GaussianPlacements, NoPlacementOfAFewOthersIsWorseThanTheFarEnd) {
  Search found;
  for (const long double mu : {0.4L, 1.0L, 2.0L}) {
    for (const long double rate : {0.1L, 0.34L, 0.8L, 1.0L}) {
      const auto places = [&](int count) {
        std::vector<Law> laws;
        for (int i = 0; i < count; ++i) laws.push_back(boxed(mu * (0.5L - i / (count - 1.0L))));
        return laws;
      };
      const std::vector<long double> epsilons = {0, 0.05L * mu, 0.3L * mu, mu, 2 * mu};
      search(places(5), 2, rate, epsilons, found);
      search(places(4), 3, rate, epsilons, found);
    }
  }
  EXPECT_GT(found.points, 10'000);
  EXPECT_LE(found.largest, 1 + 1e-12L);
  EXPECT_GT(found.largest, 1 - 1e-12L);  // the far end itself is among the placements
}

// For binary randomized response, an even split of the others is known to be worse than a homogeneous data
// set. The same search finds this.
TEST(GaussianPlacements, TheSearchFindsTheEvenSplitOfBinaryResponse) {
  const long double p = std::exp(1.0L) / (std::exp(1.0L) + 1);
  Search found;
  search({{p, 1 - p}, {1 - p, p}}, 3, 1, {0}, found);
  EXPECT_NEAR(static_cast<double>(found.largest), 1.135, 0.001);
}

}  // namespace
}  // namespace muster::accounting::oracle

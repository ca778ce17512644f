// Compares tabulated profiles with profiles in closed form, and lists what is no profile.
#include "muster/describe/tabulated_profile.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::accounting {
namespace {

using Point = TabulatedProfile::Point;
using testing::HasSubstr;

// The profile of normal noise, by complementary error functions of a long double; shares no code with
// gaussian_divergence.h.
long double gaussian(long double mu, long double alpha) {
  const auto upper = [](long double x) { return 0.5L * std::erfc(x / std::numbers::sqrt2_v<long double>); };
  const long double l = std::log(alpha);
  return upper(l / mu - mu / 2) - alpha * upper(l / mu + mu / 2);
}

long double laplace(long double epsilon0, long double alpha) {
  return std::log(alpha) < epsilon0 ? -std::expm1((std::log(alpha) - epsilon0) / 2) : 0;
}

std::vector<Point> gaussian_table(double mu, int points, double last) {
  std::vector<Point> table;
  for (int i = 0; i < points; ++i) {
    const double alpha = std::exp(last * i / (points - 1));
    table.push_back({alpha, static_cast<double>(gaussian(mu, alpha))});
  }
  return table;
}

TEST(TabulatedProfile, LiesAboveTheProfileAndOnItAtThePoints) {
  for (const double mu : {0.1, 0.4, 2.0}) {
    const double last = 8 * mu;
    const TabulatedProfile table = TabulatedProfile::of_table(gaussian_table(mu, 400, last));
    for (double l = 0; l < last; l += last / 1733) {
      const auto exact = static_cast<double>(gaussian(mu, std::exp(static_cast<long double>(l))));
      EXPECT_GE(table.divergence(l), exact) << mu << " " << l;
      EXPECT_LE(table.divergence(l), exact * 1.01 + 1e-14) << mu << " " << l;
    }
    for (int i = 0; i < 399; ++i) {
      const double alpha = std::exp(last * i / 399);
      EXPECT_NEAR(table.divergence(std::log(alpha)), static_cast<double>(gaussian(mu, alpha)), 2e-15);
    }
  }
}

// Beyond the last alpha nothing is known but that f does not increase, so its last value is charged there.
TEST(TabulatedProfile, IsConstantBeyondTheLastAlpha) {
  const std::vector<Point> points = gaussian_table(0.4, 50, 1);
  const TabulatedProfile table = TabulatedProfile::of_table(points);
  const double last = points.back().divergence;
  ASSERT_GT(last, 1e-3);
  for (const double l : {1.0 + 1e-9, 2.0, 100.0, 5000.0}) {
    EXPECT_GE(table.divergence(l), last);
    EXPECT_LE(table.divergence(l), last * (1 + 1e-15));
    EXPECT_EQ(table.alternative_tail(l), 0);
  }
  EXPECT_EQ(table.epsilon0(), std::nullopt);
  EXPECT_GE(table.mass_at_infinity(), last);
  EXPECT_GE(table.profile().mass_at_infinity(), last);
  // A smaller mass at infinity is not used, because nobody knows at which alpha f comes down to it.
  EXPECT_EQ(TabulatedProfile::of_table(points, 0), table);
}

TEST(TabulatedProfile, EndsAtTheLargestLossIfItsLastValueIsZero) {
  const double epsilon0 = 1.5;
  std::vector<Point> points;
  for (int i = 0; i <= 300; ++i) {
    const double alpha = std::exp(epsilon0 * i / 300);
    points.push_back({alpha, static_cast<double>(laplace(epsilon0, alpha))});
  }
  points.back() = {std::exp(epsilon0), 0};
  points.push_back({std::exp(epsilon0 + 1), 0});  // says nothing new
  const TabulatedProfile table = TabulatedProfile::of_table(points);
  ASSERT_TRUE(table.epsilon0());
  EXPECT_GE(*table.epsilon0(), std::log(std::exp(epsilon0)));
  EXPECT_LE(*table.epsilon0(), epsilon0 * (1 + 1e-15));
  EXPECT_EQ(table.divergence(*table.epsilon0()), 0);
  EXPECT_GT(table.divergence(epsilon0 * (1 - 1e-9)), 0);
  EXPECT_EQ(table.mass_at_infinity(), 0);
}

// Random pairs of laws: the table at some of the alphas is nowhere below the divergence, neither as values
// nor as a Profile, and alternative_tail() is at least minus the slope of the table.
TEST(TabulatedProfile, LiesAboveTheDivergenceOfRandomLaws) {
  std::mt19937_64 engine(5);
  std::exponential_distribution<double> weight(1.0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<long double> p(6), q(6);
    long double p_sum = 0, q_sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p_sum += p[i] = weight(engine);
      q_sum += q[i] = weight(engine);
    }
    const auto one_way = [&](long double alpha, const auto& x, long double xs, const auto& y,
                             long double ys) {
      long double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += std::fmax(0.0L, x[i] / xs - alpha * y[i] / ys);
      return sum;
    };
    const auto exact = [&](long double alpha) {
      return std::fmax(one_way(alpha, p, p_sum, q, q_sum), one_way(alpha, q, q_sum, p, p_sum));
    };
    std::vector<Point> points;
    double l = 0;
    for (int i = 0; i < 12; ++i, l += 0.02 + 0.2 * weight(engine)) {
      points.push_back({std::exp(l), static_cast<double>(exact(std::exp(static_cast<long double>(l))))});
    }
    const TabulatedProfile table = TabulatedProfile::of_table(points);
    const Profile profile = table.profile();
    for (double at = 0; at < l + 1; at += 0.013) {
      const auto truth = static_cast<double>(exact(std::exp(static_cast<long double>(at))));
      EXPECT_GE(table.divergence(at), truth * (1 - 1e-15));
      EXPECT_GE(profile.at(at), truth * (1 - 1e-15));
      EXPECT_NEAR(profile.at(at), table.divergence(at), 1e-12);
      const double h = 1e-6;
      const double slope = (table.divergence(at) - table.divergence(at + h)) / (std::exp(at) * std::expm1(h));
      EXPECT_GE(table.alternative_tail(at), slope - 1e-8);
    }
  }
}

// Values that a formula of doubles makes are not exactly convex, and their tail is noise. That is accepted,
// and does not raise the profile.
TEST(TabulatedProfile, RoundingIsNoConcavity) {
  std::vector<Point> points;
  for (int i = 0; i < 4000; ++i) {
    const double l = 3.6 * i / 3999, mu = 0.4;
    const double value = 0.5 * std::erfc((l / mu - mu / 2) / std::numbers::sqrt2) -
                         std::exp(l) * 0.5 * std::erfc((l / mu + mu / 2) / std::numbers::sqrt2);
    points.push_back({std::exp(l), std::fmax(value, 0.0)});
  }
  const TabulatedProfile table = TabulatedProfile::of_table(points);
  for (double l = 0; l < 3; l += 0.01) {
    const auto exact = static_cast<double>(gaussian(0.4L, std::exp(static_cast<long double>(l))));
    EXPECT_LE(table.divergence(l), exact * (1 + 1e-4) + 1e-14) << l;
    EXPECT_GE(table.divergence(l), exact - 1e-15) << l;
  }
}

// Upper values that were rounded may fall faster after alpha = 1 than a convex profile can. The laws with the
// profile that is charged have masses of 1 in all, and its values are at least the given ones.
TEST(TabulatedProfile, RoundedValuesNearOneAddNoMass) {
  using Node = TabulatedProfile::Node;
  const std::vector<std::vector<Node>> all = {
      {{0, 1.777e-15L}, {1.777e-15, 1e-75L}},
      {{0, 2e-15L}, {1e-15, 0}},
      {{0, 1}, {1e-10, 1 - 1e-9L}},
      {{0, 0.1L}, {1e-8, 0.1L - 0.9e-8L}, {1, 0.01L}},
      {{0, 0.1L}, {1e-8, 0.1L - 0.9e-8L}, {1e-7, 0.1L - 1e-8L}, {1, 0.09L}, {2, 0.0899L}},
      {{0, 0.5L}, {1e-9, 0.3L}, {0.1, 0.2L}, {0.2, 0.1L}}};
  for (const auto& nodes : all) {
    const TabulatedProfile charged = TabulatedProfile::of_nodes(nodes);
    const Profile profile = charged.profile();
    double total = profile.mass_at_infinity();
    for (const double mass : profile.p_masses()) total += mass;
    EXPECT_NEAR(total, 1, 1e-8);
    for (const Node& node : nodes) {
      EXPECT_GE(charged.divergence(node.log_alpha), static_cast<double>(node.value)) << node.log_alpha;
      EXPECT_GE(profile.at(node.log_alpha), static_cast<double>(node.value)) << node.log_alpha;
    }
  }
}

// What obeys the rule is charged as it is, also at its limit.
TEST(TabulatedProfile, NearNodesThatAreConvexAreKept) {
  for (const double epsilon0 : {1e-12, 1e-9, 1e-6, 1e-3}) {
    const long double total = std::tanh(epsilon0 / 2.0L);
    const TabulatedProfile charged = TabulatedProfile::of_nodes({{0, total}, {epsilon0, 0}});
    EXPECT_EQ(charged.epsilon0(), epsilon0);
  }
}

struct Refused {
  std::vector<Point> points;
  double infinite;
  Reason reason;
  std::vector<std::string> words;
};

TEST(TabulatedProfile, RefusesWhatIsNoProfile) {
  constexpr double kNone = std::numeric_limits<double>::infinity(),
                   kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Point> good = {{1, 0.5}, {1.5, 0.4}, {2, 0.32}, {4, 0.1}, {8, 0}};
  EXPECT_NO_THROW(TabulatedProfile::of_table(good));
  const auto with = [&](std::size_t row, Point point) {
    std::vector<Point> points = good;
    points[row] = point;
    return points;
  };
  const std::vector<Point> many(4001, Point{1, 0.5});
  for (const Refused& r : std::initializer_list<Refused>{
           {{}, kNone, Reason::out_of_range, {"row 1", "0 rows", "2 to 4000 rows"}},
           {{{1, 0.5}}, kNone, Reason::out_of_range, {"row 1", "1 row "}},
           {many, kNone, Reason::out_of_range, {"row 4001", "4001 rows"}},
           {with(0, {1.1, 0.5}), kNone, Reason::out_of_range, {"row 1", "alpha = 1.1", "allowed: 1"}},
           {with(0, {0.5, 0.6}), kNone, Reason::out_of_range, {"row 1", "alpha = 0.5", "f(1/alpha)"}},
           {with(2, {1.5, 0.32}),
            kNone,
            Reason::out_of_range,
            {"row 3", "alpha = 1.5", "number in (1.5, 1e+300]"}},
           {with(2, {1.2, 0.32}), kNone, Reason::out_of_range, {"row 3", "alpha = 1.2"}},
           {with(2, {kNan, 0.32}), kNone, Reason::out_of_range, {"row 3", "alpha = nan"}},
           {with(4, {kNone, 0}), kNone, Reason::out_of_range, {"row 5", "alpha = inf"}},
           {with(4, {2e300, 0}), kNone, Reason::out_of_range, {"row 5", "1e+300"}},
           {with(2, {2, -0.01}),
            kNone,
            Reason::out_of_range,
            {"row 3", "divergence = -0.01", "(1 - alpha)+"}},
           {with(2, {2, 1.01}), kNone, Reason::out_of_range, {"row 3", "1.01", "number in [0, 1]"}},
           {with(2, {2, kNan}), kNone, Reason::out_of_range, {"row 3", "divergence = nan"}},
           {with(2, {2, kNone}), kNone, Reason::out_of_range, {"row 3", "divergence = inf"}},
           {with(2, {2, 0.41}),
            kNone,
            Reason::out_of_range,
            {"row 3", "0.41", "does not increase", "[0, 0.4]"}},
           {with(2, {2, 0.37}),
            kNone,
            Reason::contradiction,
            {"row 3", "0.37", "convex", "number in [0, 0.34"}},
           {with(1, {1.5, 0.35}),
            kNone,
            Reason::contradiction,
            {"row 2", "0.35", "falls faster", "[0.375, 0.5]"}},
           {with(0, {1, 0}), kNone, Reason::out_of_range, {"row 1", "do not depend"}},
           {good, 0.01, Reason::contradiction, {"row 6", "mass at infinity = 0.01", "number in [0, 0]"}},
           {good, -0.01, Reason::contradiction, {"row 6", "-0.01"}},
           {good, kNan, Reason::contradiction, {"row 6", "nan"}}}) {
    SCOPED_TRACE(r.words.back());
    const Error error = error_of([&] { TabulatedProfile::of_table(r.points, r.infinite); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.reason(), r.reason) << error.what();
    EXPECT_EQ(error.key(), "randomizer.profile");
    EXPECT_NE(error.value(), "");
    EXPECT_NE(error.allowed(), "");
    for (const std::string& word : r.words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

// The least concavity that is refused is far below anything that changes a bound.
TEST(TabulatedProfile, AConcaveCellIsRefusedWhereverItIs) {
  const std::vector<Point> good = gaussian_table(0.4, 60, 2.5);
  for (std::size_t row = 1; row + 1 < good.size(); ++row) {
    std::vector<Point> points = good;
    const auto chord = [&] {
      const double share =
          (points[row].alpha - points[row - 1].alpha) / (points[row + 1].alpha - points[row - 1].alpha);
      return points[row - 1].divergence + share * (points[row + 1].divergence - points[row - 1].divergence);
    };
    points[row].divergence = chord() * (1 + 1e-8) + 1e-14;
    EXPECT_ERROR(ErrorCode::plan, TabulatedProfile::of_table(points)) << row;
    points[row].divergence = chord() * (1 + 1e-10);
    EXPECT_NO_THROW(TabulatedProfile::of_table(points)) << row;
  }
}

}  // namespace
}  // namespace muster::accounting

// Compares the profiles, tests and pairs of channels with sums over all ordered pairs of rows, and lists what
// is no channel.
#include "muster/describe/channel.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::accounting {
namespace {

using Rows = std::vector<std::vector<double>>;
using testing::HasSubstr;

// The divergence of two rows that are divided by their sums, by its definition.
long double divergence(const std::vector<double>& p, const std::vector<double>& q, long double alpha) {
  long double p_sum = 0, q_sum = 0, sum = 0;
  for (const double x : p) p_sum += x;
  for (const double x : q) q_sum += x;
  for (std::size_t y = 0; y < p.size(); ++y) sum += std::fmax(0.0L, p[y] / p_sum - alpha * (q[y] / q_sum));
  return sum;
}

long double largest(const Rows& rows, long double alpha) {
  long double most = 0;
  for (const auto& p : rows) {
    for (const auto& q : rows) most = std::fmax(most, divergence(p, q, alpha));
  }
  return most;
}

Rows random_rows(std::size_t inputs, std::size_t outputs, double zeros, std::mt19937_64& engine) {
  std::exponential_distribution<double> weight(1.0);
  std::bernoulli_distribution zero(zeros);
  Rows rows(inputs, std::vector<double>(outputs));
  for (auto& row : rows) {
    double sum = 0;
    for (double& entry : row) sum += entry = zero(engine) ? 0 : weight(engine);
    row[0] += sum > 0 ? 0 : 1;
    for (double& entry : row) entry /= sum > 0 ? sum : 1;
  }
  const bool alike = std::ranges::all_of(rows, [&](const auto& row) { return row == rows.front(); });
  return alike ? random_rows(inputs, outputs, zeros, engine) : rows;
}

Rows k_rr(std::size_t k, double epsilon0) {
  const double other = 1 / (std::exp(epsilon0) + static_cast<double>(k) - 1);
  Rows rows(k, std::vector<double>(k, other));
  for (std::size_t x = 0; x < k; ++x) rows[x][x] = std::exp(epsilon0) * other;
  return rows;
}

void expect_profile(const Rows& rows, double close) {
  const TabulatedProfile profile = Channel(rows).profile();
  const double end = std::fmin(profile.last_log_alpha() + 0.5, 8.0);
  for (double l = 0; l < end; l += end / 301) {
    const auto exact = static_cast<double>(largest(rows, std::exp(static_cast<long double>(l))));
    EXPECT_GE(profile.divergence(l), exact * (1 - 1e-16)) << l;
    EXPECT_LE(profile.divergence(l), exact * (1 + close) + close * 1e-3) << l;
  }
}

TEST(Channel, ProfilesLieAboveTheLargestDivergence) {
  std::mt19937_64 engine(3);
  for (int trial = 0; trial < 60; ++trial) {
    const auto inputs = 2 + static_cast<std::size_t>(trial % 4),
               outputs = 2 + static_cast<std::size_t>(trial % 5);
    expect_profile(random_rows(inputs, outputs, trial % 3 == 0 ? 0.3 : 0, engine), 2e-3);
  }
}

// These channels have more likelihood ratios than kFewRatios (channel.cc), so their profiles are computed on
// a grid.
TEST(Channel, ProfilesOfManyRatiosLieAboveTheLargestDivergence) {
  std::mt19937_64 engine(4);
  expect_profile(random_rows(12, 40, 0, engine), 1e-2);
  expect_profile(random_rows(12, 40, 0.1, engine), 1e-2);
}

TEST(Channel, OfKRandomizedResponseIsExact) {
  for (const std::size_t k : {2, 3, 10, 100}) {
    for (const double epsilon0 : {1e-3, 1.0, 5.0}) {
      const TabulatedProfile profile = Channel(k_rr(k, epsilon0)).profile();
      ASSERT_TRUE(profile.epsilon0());
      EXPECT_NEAR(*profile.epsilon0(), epsilon0, 1e-14);
      EXPECT_LE(profile.size(), 2u) << "a kink that is none makes sums slower";
      for (const double share : {0.0, 0.2, 0.7, 0.99}) {
        const double l = share * epsilon0;
        const double exact =
            -std::expm1(l - epsilon0) / (1 + (static_cast<double>(k) - 1) * std::exp(-epsilon0));
        EXPECT_NEAR(profile.divergence(l), exact, 1e-12 * std::fmax(exact, 1e-2)) << k << " " << epsilon0;
        EXPECT_GE(profile.divergence(l), exact * (1 - 1e-15));
      }
    }
  }
}

TEST(Channel, AZeroIsMassAtInfinity) {
  const TabulatedProfile profile = Channel({{0.5, 0.4, 0.1}, {0.6, 0.4, 0}}).profile();
  EXPECT_EQ(profile.epsilon0(), std::nullopt);
  EXPECT_NEAR(profile.mass_at_infinity(), 0.1, 1e-14);
  EXPECT_GE(profile.divergence(300), 0.1);
  // Rows without a common output.
  const TabulatedProfile apart = Channel({{0.5, 0.5, 0, 0}, {0, 0, 0.5, 0.5}}).profile();
  for (const double l : {0.0, 1.0, 500.0}) EXPECT_EQ(apart.divergence(l), 1);
}

// A matrix whose entries were rounded to a few digits covers every channel that rounds to it.
TEST(Channel, RoundedEntriesAreChargedOutward) {
  std::mt19937_64 engine(6);
  for (int trial = 0; trial < 40; ++trial) {
    const Rows truth = random_rows(3, 4, 0, engine);
    Rows stated = truth;
    // Each entry is off by 4e-7 of itself, and all entries of a row are off in the same direction.
    double error = 0;
    for (std::size_t x = 0; x < 3; ++x) {
      for (double& entry : stated[x]) entry *= x % 2 == 0 ? 1 + 4e-7 : 1 - 4e-7;
    }
    const Channel channel(stated);
    for (const auto& row : stated) {
      double sum = 0;
      for (const double entry : row) sum += entry;
      error = std::fmax(error, std::fabs(sum - 1));
    }
    EXPECT_GE(channel.entry_error(), error);
    EXPECT_LE(channel.entry_error(), error + 1e-14);
    const TabulatedProfile profile = channel.profile();
    for (double l = 0; l < 4; l += 0.05) {
      const long double alpha = std::exp(static_cast<long double>(l));
      EXPECT_GE(profile.divergence(l), static_cast<double>(largest(truth, alpha))) << l;
      // The same holds for two rows within the entry error that do not sum to 1.
      long double worst = 0;
      for (std::size_t y = 0; y < 4; ++y) {
        worst += std::fmax(0.0L, stated[0][y] * (1 + 3.9e-7L) - alpha * stated[1][y] * (1 - 3.9e-7L));
      }
      EXPECT_GE(profile.divergence(l), static_cast<double>(worst)) << l;
    }
  }
}

// What bounds the loss from below must be attained by two of the rows.
// The rows differ by less than their entries may be wrong.
TEST(Channel, RowsThatAreNearlyEqualAreALawOfMassOne) {
  for (const Rows& rows :
       {Rows{{1, 0}, {1, 1e-75}}, Rows{{1, 0}, {1, 1e-12}}, Rows{{0.5, 0.5}, {0.5, 0.5 + 1e-16}}}) {
    const Profile profile = Channel(rows).profile().profile();
    double total = profile.mass_at_infinity();
    for (const double mass : profile.p_masses()) total += mass;
    EXPECT_NEAR(total, 1, 1e-8);
    for (const double alpha : {1.0, 1.0 + 1e-12, 2.0}) {
      EXPECT_GE(profile.at(std::log(alpha)), static_cast<double>(largest(rows, alpha)));
    }
  }
}

TEST(Channel, TestsAndPairsAreThoseOfRows) {
  std::mt19937_64 engine(7);
  int tests = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Rows rows = random_rows(2 + trial % 3, 5, trial % 3 == 0 ? 0.2 : 0, engine);
    const Channel channel(rows);
    for (const Channel::Test& test : channel.tests()) {
      // For the probabilities of an event A, P(A) - alpha Q(A) is at most the divergence at every alpha.
      for (const double l : {0.0, 0.3, 1.0, 3.0}) {
        const double alpha = std::exp(l);
        EXPECT_LE(test.victim - alpha * test.alternative, static_cast<double>(largest(rows, alpha)));
      }
      ++tests;
    }
    if (channel.pair().empty()) continue;
    long double victim = 0, alternative = 0;
    for (const Channel::Cell& cell : channel.pair()) victim += cell.victim, alternative += cell.alternative;
    EXPECT_NEAR(static_cast<double>(victim), 1, 1e-16);
    EXPECT_NEAR(static_cast<double>(alternative), 1, 1e-16);
    for (const double l : {0.0, 0.3, 1.0, 3.0}) {
      const long double alpha = std::exp(static_cast<long double>(l));
      long double forward = 0, reverse = 0;
      for (const Channel::Cell& cell : channel.pair()) {
        forward += std::fmax(0.0L, cell.victim - alpha * cell.alternative);
        reverse += std::fmax(0.0L, cell.alternative - alpha * cell.victim);
      }
      EXPECT_LE(forward, largest(rows, alpha) * (1 + 1e-17L) + 1e-19L);
      EXPECT_LE(reverse, largest(rows, alpha) * (1 + 1e-17L) + 1e-19L);
    }
  }
  EXPECT_GT(tests, 200);
}

TEST(Channel, RefusesWhatIsNoChannel) {
  const double none = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  struct Refused {
    Rows rows;
    std::vector<std::string> words;
  };
  const Rows wide(2, std::vector<double>(4097, 1.0 / 4097)), tall(257, std::vector<double>(2, 0.5)),
      large(256, std::vector<double>(257, 1.0 / 257));
  for (const Refused& r : std::initializer_list<Refused>{
           {{}, {"row 1", "0 rows", "2 to 256"}},
           {{{0.5, 0.5}}, {"row 1", "1 row,", "2 to 256"}},
           {tall, {"row 257", "257 rows", "2 to 256"}},
           {{{1}, {1}}, {"row 1", "1 column,", "2 to 4096"}},
           {wide, {"row 1", "4097 columns", "2 to 4096"}},
           {large, {"row 256", "65792", "at most 65536"}},
           {{{0.5, 0.5}, {0.5, 0.3, 0.2}}, {"row 2", "3 entries", "first one 2"}},
           {{{0.5, 0.5}, {-0.1, 1.1}}, {"row 2", "entry 1 = -0.1", "number in [0, 1]"}},
           {{{0.5, 0.5}, {none, 0.5}}, {"row 2", "entry 1 = nan"}},
           {{{0.5, infinite}, {0.5, 0.5}}, {"row 1", "entry 2 = inf"}},
           {{{0.5, 0.5}, {0.6, 0.41}}, {"row 2", "sum to 1.01", "1 within 1e-06"}},
           {{{0.5, 0.4}, {0.6, 0.4}}, {"row 1", "sum to 0.9"}},
           {{{0.5, 0.5}, {0.5, 0.5}}, {"row 2", "all rows are equal"}}}) {
    SCOPED_TRACE(r.words.back());
    const Error error = error_of([&] { Channel channel(r.rows); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), "randomizer.profile");
    EXPECT_NE(error.reason(), Reason::none);
    EXPECT_NE(error.allowed(), "");
    for (const std::string& word : r.words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

// The extremes of what is accepted.
TEST(Channel, TheLargestMatricesAndRatiosHaveAProfile) {
  std::mt19937_64 engine(8);
  const TabulatedProfile many = Channel(random_rows(256, 256, 0, engine)).profile();
  EXPECT_GT(many.divergence(0), 0.5);
  EXPECT_LE(many.size(), TabulatedProfile::kMaxPoints);
  const TabulatedProfile rare = Channel({{1 - 1e-300, 1e-300}, {1, 5e-324}}).profile();
  EXPECT_TRUE(rare.divergence(0) > 0 && rare.divergence(0) < 1e-14);
  const TabulatedProfile far = Channel({{0.5, 0.5}, {1 - 1e-300, 1e-300}}).profile();
  EXPECT_NEAR(*far.epsilon0(), std::log(0.5) + 300 * std::log(10.0), 1e-9);
  EXPECT_GE(far.profile().mass_at_infinity(), 0.5 - 1e-30);  // losses above 600 count as infinite
}

}  // namespace
}  // namespace muster::accounting

#include "tests/oracle/known_false.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {
namespace {

struct Expected {
  double truth, bound;
};

class KnownFalse : public ::testing::TestWithParam<std::size_t> {};

TEST_P(KnownFalse, IsCaught) {
  static const std::vector<Counterexample> all = [] {
    std::vector<Counterexample> list = counterexamples();
    for (const Counterexample& c : published_counterexamples()) list.push_back(c);
    return list;
  }();
  // The figures that docs/theory/false-claims.md and as-published.md state. tools/golden/small_truths.py
  // computes them independently, except that it evaluates the same printed formulas of the papers.
  const std::vector<Expected> figures = {{4.88e-5, 2.48e-5},     {2.8e-7, 7.6e-11},    {0.07620, 0.07079},
                                         {0.280402, 0.246977},   {0.9515, 0.6201},     {1.5008, 0.67991},
                                         {0.0096128, 0.0011991}, {0.112223, 0.090353}, {0.6517, 0.2617},
                                         {0.6517, 0.2617},       {207.2, 4e-10},       {3, 1.8825},
                                         {0.04206, -2.3145},     {1.7161, 0.22692}};
  ASSERT_EQ(all.size(), figures.size());
  const Counterexample& c = all[GetParam()];
  SCOPED_TRACE(c.claim);
  EXPECT_GT(c.truth, c.bound + 0.01L * std::fabs(c.bound));
  EXPECT_NEAR(static_cast<double>(c.truth), figures[GetParam()].truth, 0.01 * figures[GetParam()].truth);
  EXPECT_NEAR(static_cast<double>(c.bound), figures[GetParam()].bound,
              0.01 * std::fabs(figures[GetParam()].bound));
}

INSTANTIATE_TEST_SUITE_P(All, KnownFalse, ::testing::Range<std::size_t>(0, 14));

// Small exact values, computed by tools/golden/small_truths.py. An upper bound below any of them is false.
TEST(Enumeration, KnownSmallTruths) {
  struct Case {
    int n, k;
    long double epsilon0, epsilon, delta;
  };
  for (const Case& c :
       {Case{6, 4, 1, 0.6008763457L, 0.0123456538L}, Case{12, 5, 2, 1.3493735323L, 0.0138273131L}}) {
    const std::vector<Law> others(static_cast<std::size_t>(c.n - 1), k_rr(c.k, c.epsilon0, 2));
    const OutputPair pair = check_in(others, k_rr(c.k, c.epsilon0, 0), k_rr(c.k, c.epsilon0, 1), 1.0L);
    EXPECT_NEAR(static_cast<double>(hockey_stick(pair, c.epsilon)), static_cast<double>(c.delta), 2e-10);
  }
}

// Compares the enumerator with the definition itself: the sum over all coins and all messages of three
// clients.
TEST(Enumeration, EqualsTheSumOverCoinsAndMessages) {
  const std::vector<Law> clients = {{0.2L, 0.5L, 0.3L}, {0.6L, 0.1L, 0.3L}, {0.05L, 0.05L, 0.9L}};
  const Law b = {0.7L, 0.2L, 0.1L};
  const long double rate = 0.35L;
  const OutputPair pair = check_in({clients[1], clients[2]}, clients[0], b, rate);
  // An outcome is the multiset of reported messages, as counts in base 4. Message 3 means
  // "abstained" and is not seen.
  std::vector<long double> p(64, 0), q(64, 0);
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 4; ++y) {
      for (int z = 0; z < 4; ++z) {
        int outcome = 0;
        for (const int message : {x, y, z}) outcome += message < 3 ? 1 << (2 * message) : 0;
        const auto mass = [&](const Law& law, int message) {
          return message < 3 ? rate * law[static_cast<std::size_t>(message)] : 1 - rate;
        };
        const long double others = mass(clients[1], y) * mass(clients[2], z);
        p[static_cast<std::size_t>(outcome)] += mass(clients[0], x) * others;
        q[static_cast<std::size_t>(outcome)] += mass(b, x) * others;
      }
    }
  }
  for (const long double epsilon : {-0.5L, 0.0L, 0.1L, 0.4L}) {
    EXPECT_NEAR(static_cast<double>(hockey_stick({p, q}, epsilon)),
                static_cast<double>(hockey_stick(pair, epsilon)), 1e-17);
  }
}

// A shuffled check-in is a uniform subset whose size k has the law Bin(n, rate). The server sees k, so the
// divergence is the mean over k of the divergence of a subset of size k.
TEST(Enumeration, CheckInIsTheMixtureOfSubsets) {
  const std::vector<Law> others = {{0.6L, 0.4L}, {0.3L, 0.7L}, {0.5L, 0.5L}};
  const Law a = {0.8L, 0.2L}, b = {0.1L, 0.9L};
  const long double rate = 0.4L;
  const OutputPair pair = check_in(others, a, b, rate);
  for (const long double epsilon : {0.0L, 0.3L, 1.0L}) {
    long double mixed = 0, choose = 1;
    for (int k = 0; k <= 4; ++k) {
      mixed += choose * std::pow(rate, k) * std::pow(1 - rate, 4 - k) *
               hockey_stick(subset(others, a, b, k), epsilon);
      choose = choose * (4 - k) / (k + 1);
    }
    EXPECT_NEAR(static_cast<double>(mixed), static_cast<double>(hockey_stick(pair, epsilon)), 1e-17);
  }
}

}  // namespace
}  // namespace muster::accounting::oracle

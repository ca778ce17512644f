// Computes the exact loss of privacy of a running system that breaks one of the theorems' assumptions
// (docs/theory/what-the-system-owes.md).
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/oracle/enumeration.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

constexpr long double kSilent = 0;

// The law of reports that carry no information: there is only one message, so epsilon0 = 0.
const Law kEmpty = {1.0L};

long double count_alone(int n, long double rate, long double rate_of_record,
                        long double rate_of_other_record) {
  std::vector<long double> rates(static_cast<std::size_t>(n), rate);
  const std::vector<Law> others(static_cast<std::size_t>(n - 1), kEmpty);
  rates[0] = rate_of_record;
  const OutputPair one = check_in(others, kEmpty, kEmpty, rates);
  rates[0] = rate_of_other_record;
  const OutputPair two = check_in(others, kEmpty, kEmpty, rates);
  std::vector<long double> p = one.p, q = two.q;
  p.resize(std::max(p.size(), q.size())), q.resize(p.size());  // counts in increasing order, 0 .. n
  return hockey_stick({p, q}, 0);
}

// The victim's record decides whether she drops out. n is 50 because the enumerator has six bits per count.
TEST(SystemDuties, DropoutByRecordShowsInTheCountAlone) {
  EXPECT_NEAR(static_cast<double>(count_alone(50, 0.1L, 0.1L, 0.1L)), 0, 1e-18);
  EXPECT_NEAR(static_cast<double>(count_alone(50, 0.1L, 0.1L, kSilent)), 0.018492, 1e-6);
}

// For n = 200, too many clients for the enumerator, the leak is computed in closed form: g times the largest
// probability of Bin(199, g). If the victim drops out, the count has the law Bin(199, g). If she does not,
// her coin makes it a mixture of this law, with weight 1 - g, and its shift by one, with weight g.
TEST(SystemDuties, DropoutByRecordAtTwoHundredClients) {
  const auto leak = [](int n, long double rate) {
    long double mass = std::pow(1 - rate, n - 1), largest = mass;
    for (int k = 0; k + 1 < n; ++k) {
      mass *= rate / (1 - rate) * static_cast<long double>(n - 1 - k) / static_cast<long double>(k + 1);
      largest = std::max(largest, mass);
    }
    return rate * largest;
  };
  EXPECT_NEAR(static_cast<double>(leak(50, 0.1L)), static_cast<double>(count_alone(50, 0.1L, 0.1L, 0)),
              1e-15);
  EXPECT_NEAR(static_cast<double>(leak(200, 0.1L)), 0.0094, 5e-5);
  // More clients hardly help: the leak is about sqrt(g / (2 pi n (1 - g))), which falls more slowly than any
  // amplified delta.
  EXPECT_NEAR(static_cast<double>(leak(60000, 0.1L)), 0.000542, 1e-6);
}

// If c clients collude and reveal what they sent, the guarantee is only that of n - c clients.
TEST(SystemDuties, ColludersAreNoCrowd) {
  const long double epsilon0 = 1, epsilon = 0.5L;
  const Law x = k_rr(2, epsilon0, 0), y = k_rr(2, epsilon0, 1);
  const auto bound = [&](int n) {
    const long double at_all = (std::exp(epsilon0) - std::exp(epsilon)) / (std::exp(epsilon0) + 1);
    return swap_sum(pure_law(epsilon0, epsilon), n, 0.5L, epsilon, at_all);
  };
  const long double truth = hockey_stick(check_in(std::vector<Law>(3, x), x, y, 0.5L), epsilon);
  EXPECT_GT(truth, bound(12) * 2);  // eight of twelve collude
  EXPECT_LE(truth, bound(4));
}

// A slot protocol with four slots, certain check-in and one colluding client at every slot. If the selection
// is hidden, the server asks either client of the victim's slot with probability 1/2. If the selection is
// visible, then with probability 1/2 the victim is asked and her slot is known.
TEST(SystemDuties, WhoWasAskedMustStayHidden) {
  const long double epsilon0 = 1, epsilon = 0.5L, grown = std::exp(epsilon);
  const long double q = 1 / (std::exp(epsilon0) + 1), local = (1 - q) - grown * q;
  const long double seen = local / 2, theorem = swap_sum(pure_law(epsilon0, epsilon), 4, 1, epsilon, 0);
  EXPECT_NEAR(static_cast<double>(seen), 0.1438, 5e-5);
  EXPECT_NEAR(static_cast<double>(theorem), 0.1124, 5e-5);
  EXPECT_GT(seen, theorem);
  // If empty slots are skipped, without asking a dummy, and the victim is the only client, the one message is
  // hers.
  EXPECT_NEAR(static_cast<double>(local), 0.28765, 5e-6);
  EXPECT_GT(local, theorem);
}

// The discrete Gaussian on the integers is not the continuous one: its hockey-stick divergence can be more
// than twice as large.
TEST(SystemDuties, DiscreteGaussianNeedsItsOwnProfile) {
  const auto ratio = [](long double s, long double epsilon) {
    long double total = 0, sum = 0;
    const auto weight = [s](int k) { return std::exp(-static_cast<long double>(k * k) / (2 * s * s)); };
    for (int k = -100; k <= 100; ++k) total += weight(k);
    for (int k = -100; k <= 100; ++k)
      sum += std::max(0.0L, weight(k) - std::exp(epsilon) * weight(k - 1)) / total;
    const auto normal = [](long double x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; };
    const long double mu = 1 / s;
    return sum / (normal(-epsilon / mu + mu / 2) - std::exp(epsilon) * normal(-epsilon / mu - mu / 2));
  };
  EXPECT_NEAR(static_cast<double>(ratio(0.5L, 5.4L)), 2.33, 0.01);
  EXPECT_NEAR(static_cast<double>(ratio(0.75L, 5.9L)), 2.38, 0.01);
}

// Noise that is drawn once and sent again is not covered by the composition theorem. In this example, with
// two clients, two rounds, rate 1/2 and binary response, it leaks less than fresh noise, but not in general.
TEST(SystemDuties, MemoisedNoiseIsAnotherMechanism) {
  const long double q = 1 / (std::exp(1.0L) + 1), g = 0.5L;
  const auto round = [&](int victim, int other) {  // the law of (zeros, ones) given both messages
    std::vector<long double> law(9, 0);
    for (int c = 0; c < 4; ++c) {
      int zeros = 0, ones = 0;
      for (const auto& [here, message] : {std::pair{c & 1, victim}, std::pair{c >> 1, other}}) {
        if (here) ++(message ? ones : zeros);
      }
      law[3 * static_cast<std::size_t>(zeros) + static_cast<std::size_t>(ones)] += g * g;
    }
    return law;
  };
  const auto memoised = [&](int record, int other_record) {
    std::vector<long double> law(81, 0);
    for (int v = 0; v < 2; ++v) {
      for (int u = 0; u < 2; ++u) {
        const std::vector<long double> one = round(v, u);
        const long double weight = (v == record ? 1 - q : q) * (u == other_record ? 1 - q : q);
        for (std::size_t i = 0; i < 81; ++i) law[i] += weight * one[i / 9] * one[i % 9];
      }
    }
    return law;
  };
  long double again = 0, fresh = 0;
  for (int other = 0; other < 2; ++other) {
    const OutputPair once = check_in({k_rr(2, 1, other)}, k_rr(2, 1, 0), k_rr(2, 1, 1), g);
    fresh = std::max(fresh, hockey_stick(product(once, once), 0.5L));
    again = std::max({again, hockey_stick({memoised(0, other), memoised(1, other)}, 0.5L),
                      hockey_stick({memoised(1, other), memoised(0, other)}, 0.5L)});
  }
  EXPECT_NEAR(static_cast<double>(again), 0.10662, 1e-5);
  EXPECT_NEAR(static_cast<double>(fresh), 0.12956, 1e-5);
}

}  // namespace
}  // namespace muster::accounting::oracle

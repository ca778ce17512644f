// Tests that the shuffle is uniform over all n! orders for n <= 5: exactly, by enumerating every sequence of
// choices, and statistically, on keyed and on secret randomness. Shuffles with a known bias must fail both
// tests.
#include "muster/protocols/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

using Order = std::vector<int>;
using Shuffler = std::function<void(Order&, random::BitSource&)>;

Order identity(int n) {
  Order order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::uint64_t factorial(int n) { return n <= 1 ? 1 : static_cast<std::uint64_t>(n) * factorial(n - 1); }

void ours(Order& order, random::BitSource& bits) { shuffle(std::span(order), bits); }

// A shuffle with a known bias: each position but one is swapped with a uniform choice among all n positions.
// For n >= 3, the n^(n-1) sequences of choices cannot be distributed evenly over n! orders.
void full_range(Order& order, random::BitSource& bits) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random::uniform_below(bits, order.size())]);
  }
}

// Another shuffle with a known bias: a choice among i positions is four random bits modulo i.
void modulo(Order& order, random::BitSource& bits) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[(bits.next_u64() >> 60) % i]);
  }
}

// Supplies a given sequence of choices. The word for choice c among r lies in part c of r equal parts of
// [0, 2^64), counted from 0, where uniform_below returns c and rejects nothing.
class ChosenSource final : public random::BitSource {
 public:
  ChosenSource(const std::vector<std::uint64_t>& radices, const std::vector<std::uint64_t>& choices)
      : radices_(radices), choices_(choices) {}
  std::uint64_t next_u64() override {
    const std::size_t i = used_++;
    return choices_.at(i) * (~std::uint64_t{0} / radices_.at(i)) + choices_.at(i) + 1;
  }
  std::size_t used() const { return used_; }

 private:
  const std::vector<std::uint64_t>& radices_;
  const std::vector<std::uint64_t>& choices_;
  std::size_t used_ = 0;
};

// Runs every sequence of choices (all are equally likely) and counts the resulting orders.
std::map<Order, std::uint64_t> enumerate(int n, const std::vector<std::uint64_t>& radices,
                                         const Shuffler& shuffler) {
  std::map<Order, std::uint64_t> counts;
  std::vector<std::uint64_t> choices(radices.size(), 0);
  for (;;) {
    Order order = identity(n);
    ChosenSource source(radices, choices);
    shuffler(order, source);
    EXPECT_EQ(source.used(), radices.size());
    ++counts[order];
    std::size_t digit = 0;
    while (digit < choices.size() && ++choices[digit] == radices[digit]) {
      choices[digit++] = 0;
    }
    if (digit == choices.size()) {
      return counts;
    }
  }
}

bool exactly_uniform(int n, const std::map<Order, std::uint64_t>& counts) {
  return counts.size() == factorial(n) && std::all_of(counts.begin(), counts.end(), [&](const auto& entry) {
           return entry.second == counts.begin()->second;
         });
}

std::vector<std::uint64_t> descending_radices(int n) {
  std::vector<std::uint64_t> radices;
  for (int i = n; i > 1; --i) {
    radices.push_back(static_cast<std::uint64_t>(i));
  }
  return radices;
}

TEST(Shuffle, EveryOrderHasExactlyOneSequenceOfChoices) {
  for (int n = 2; n <= 5; ++n) {
    const auto counts = enumerate(n, descending_radices(n), ours);
    EXPECT_TRUE(exactly_uniform(n, counts)) << n;
    EXPECT_EQ(counts.begin()->second, 1) << n;
  }
}

TEST(Shuffle, BiasedShufflesFailTheEnumeration) {
  for (int n = 3; n <= 5; ++n) {
    const auto steps = static_cast<std::size_t>(n - 1);
    EXPECT_FALSE(exactly_uniform(n, enumerate(n, std::vector<std::uint64_t>(steps, n), full_range))) << n;
    EXPECT_FALSE(exactly_uniform(n, enumerate(n, std::vector<std::uint64_t>(steps, 16), modulo))) << n;
  }
}

// Pearson's test over all n! orders, with 4000 expected shuffles for each. For modulo() and n = 3, the
// statistic is about 192; the threshold is about 36.
testing::Verdict order_test(int n, double alpha, const std::function<void(Order&)>& shuffle_once) {
  constexpr std::uint64_t kEach = 4000;
  std::map<Order, std::uint64_t> counts;
  Order order = identity(n);
  do {
    counts[order] = 0;
  } while (std::next_permutation(order.begin(), order.end()));
  for (std::uint64_t trial = 0; trial < kEach * factorial(n); ++trial) {
    order = identity(n);
    shuffle_once(order);
    ++counts[order];
  }
  std::vector<std::uint64_t> observed;
  observed.reserve(counts.size());
  for (const auto& [unused, count] : counts) {
    observed.push_back(count);
  }
  return testing::chi_squared_test(observed, std::vector<double>(observed.size(), double{kEach}), alpha);
}

TEST(Shuffle, UniformOverAllOrdersAndBiasedShufflesAreNoticed) {
  constexpr double kAlpha = 1e-6;  // the seed is fixed, so a pass repeats
  random::KeyedStream bits(random::RunKey::from_seed(5), {random::Purpose::shuffle, 1, 0});
  for (int n = 2; n <= 5; ++n) {
    const auto good = order_test(n, kAlpha, [&](Order& order) { ours(order, bits); });
    EXPECT_TRUE(good.pass) << n << ": " << good.summary;
  }
  for (int n = 3; n <= 5; ++n) {
    EXPECT_FALSE(order_test(n, kAlpha, [&](Order& order) { full_range(order, bits); }).pass) << n;
    EXPECT_FALSE(order_test(n, kAlpha, [&](Order& order) { modulo(order, bits); }).pass) << n;
  }
}

TEST(Shuffle, SecretShufflesAreUniformToo) {
  constexpr double kAlpha = 1e-9;  // fresh randomness in each run
  const auto verdict = order_test(4, kAlpha, [](Order& order) { secret_shuffle(std::span(order), 1); });
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Shuffle, SecretShufflesOfTheSameRoundDiffer) {
  Order first = identity(1000);
  Order second = identity(1000);
  secret_shuffle(std::span(first), 1);
  secret_shuffle(std::span(second), 1);
  EXPECT_NE(first, second);
  EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), second.begin()));
}

TEST(Shuffle, NoneAndOneStayAsTheyAre) {
  Order none;
  secret_shuffle(std::span(none), 1);
  Order one = {7};
  secret_shuffle(std::span(one), 1);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one, Order{7});
}

}  // namespace
}  // namespace muster::protocols

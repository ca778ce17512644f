// The order of a batch must tell nothing about the order of arrival that statistical tests of many rounds
// could notice. The same tests must notice orders that have one fault each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "tests/support/statistics.h"

namespace muster::service {
namespace {

// A correct shuffler fails each of the three tests below with at most this probability. The test of
// neighbours is an exact binomial test; means of rank correlations are nearly normal, with lighter tails.
constexpr double kAlarm = 1e-9;
constexpr std::size_t kReports = 50, kRounds = 100;

// An order of a batch: at each place, the number of the report by its arrival.
using Order = std::vector<int>;

Order arrivals() {
  Order order(kReports);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Spearman's rank correlation of two orders. If one of them is uniform and independent of the other, its mean
// is 0 and its variance 1 / (n - 1).
double rank_correlation(const Order& a, const Order& b) {
  const auto n = static_cast<double>(a.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - (n - 1) / 2) * (b[i] - (n - 1) / 2);
  return 12 * sum / (n * (n * n - 1));
}

// Tests whether the mean of independent rank correlations of kReports reports each is 0.
testing::Verdict mean_of(const std::vector<double>& correlations) {
  const auto count = static_cast<double>(correlations.size());
  const double mean = std::accumulate(correlations.begin(), correlations.end(), 0.0) / count;
  return testing::mean_test(mean, 0, 1 / std::sqrt(kReports - 1.0), correlations.size(), kAlarm);
}

testing::Verdict with_arrivals(const std::vector<Order>& orders) {
  std::vector<double> correlations;
  for (const Order& order : orders) correlations.push_back(rank_correlation(order, arrivals()));
  return mean_of(correlations);
}

// Each round is compared with one other alone, so that the correlations are independent.
testing::Verdict with_the_round_before(const std::vector<Order>& orders) {
  std::vector<double> correlations;
  for (std::size_t i = 0; i + 1 < orders.size(); i += 2) {
    correlations.push_back(rank_correlation(orders[i], orders[i + 1]));
  }
  return mean_of(correlations);
}

// Counts the pairs of neighbours in which the report that arrived first stands first. The pairs have no
// report in common, so that under a uniform order these are independent fair coins.
testing::Verdict of_neighbours(const std::vector<Order>& orders) {
  std::uint64_t in_order = 0, pairs = 0;
  for (const Order& order : orders) {
    for (std::size_t i = 0; i + 1 < order.size(); i += 2, ++pairs)
      in_order += order[i] < order[i + 1] ? 1 : 0;
  }
  return testing::binomial_test(in_order, pairs, 0.5, kAlarm);
}

// The batch of a round of a new shuffler, in which every upload is a report.
Order shuffled() {
  ShufflerFixture rig;
  rig.issuer.issued = kReports;
  rig.open_round();
  for (std::size_t i = 0; i < kReports; ++i) {
    EXPECT_EQ(rig.shuffler->upload(rig.report(static_cast<std::uint8_t>(i))), Answer::stored);
  }
  Order order = rig.batch();
  Order sorted = order;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, arrivals());
  return order;
}

template <typename Make>
std::vector<Order> orders_of(const Make& make) {
  std::vector<Order> orders;
  for (std::size_t round = 0; round < kRounds; ++round) orders.push_back(make());
  return orders;
}

TEST(ShufflerOrder, SaysNothingOfTheOrderOfArrival) {
  const std::vector<Order> orders = orders_of(shuffled);
  for (const auto& verdict : {with_arrivals(orders), with_the_round_before(orders), of_neighbours(orders)}) {
    EXPECT_TRUE(verdict.pass) << verdict.summary;
    std::cout << verdict.summary << "\n";
  }
}

TEST(ShufflerOrder, ABatchAsItArrivedIsNoticed) {
  const std::vector<Order> orders = orders_of(arrivals);
  EXPECT_FALSE(with_arrivals(orders).pass);
  EXPECT_FALSE(of_neighbours(orders).pass);
}

// On average over all rotations, the correlation with the order of arrival is 0. But neighbours remain
// neighbours.
TEST(ShufflerOrder, ARotationIsNoticed) {
  std::mt19937_64 random(1);
  const auto verdict = of_neighbours(orders_of([&] {
    Order order = arrivals();
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(random() % kReports), order.end());
    return order;
  }));
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

// Reports are shuffled in groups of ten as they arrive. Two neighbours are then in a uniform order.
TEST(ShufflerOrder, AShuffleOfAFewAtATimeIsNoticed) {
  std::mt19937_64 random(1);
  const auto verdict = with_arrivals(orders_of([&] {
    Order order = arrivals();
    for (std::size_t i = 0; i < kReports; i += 10) {
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
      std::shuffle(begin, begin + 10, random);
    }
    return order;
  }));
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

TEST(ShufflerOrder, AnOrderThatIsUsedAgainIsNoticed) {
  std::mt19937_64 random(1);
  Order once = arrivals();
  std::ranges::shuffle(once, random);
  const auto verdict = with_the_round_before(orders_of([&] { return once; }));
  EXPECT_FALSE(verdict.pass) << verdict.summary;
}

}  // namespace
}  // namespace muster::service

// Compares the literal conversions with those of papers/published/, and checks what they count. No test
// depends on a time.
#include "muster/reproduce/shuffled_check_in/conversion_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "muster/papers/published/published_check_in.h"
#include "muster/reproduce/estimates.h"

namespace muster::reproduce {
namespace {

namespace published = accounting::published_check_in;

const std::vector<Approach> kApproaches = {Approach::shuffling, Approach::subsampled_shuffling};

// The deviation of the count is 1.6 here, so that cells of half a deviation are single counts.
const ConversionTask kTask{30, 0.1, {2, 1e-8}, 1e-5, 1000, 40};

TEST(ConversionTimes, GiveThePublishedEpsilon) {
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, kTask.delta};
  const double expected[] = {
      accounting::liew_approach1_bound(kTask.clients, kTask.rate, kTask.local, kTask.rounds, question)
          .upper.value(),
      accounting::liew_approach2_bound(kTask.clients, kTask.rate, kTask.local, kTask.rounds, question)
          .upper.value()};
  for (const Approach approach : kApproaches) {
    const double epsilon = convert(kTask, approach, OrderSearch::every_order, CountSum::every_count).epsilon;
    EXPECT_NEAR(epsilon / expected[approach == Approach::shuffling ? 0 : 1], 1, 1e-6);
    // At order 2 alone, epsilon is larger.
    ConversionTask one_order = kTask;
    one_order.last_order = 2;
    EXPECT_GT(convert(one_order, approach, OrderSearch::every_order, CountSum::every_count).epsilon,
              1.01 * epsilon);
  }
}

TEST(ConversionTimes, CountEveryEvaluation) {
  const double orders = static_cast<double>(kTask.last_order - 1);
  for (const double clients : {1.0, 7.0, 30.0}) {
    ConversionTask task = kTask;
    task.clients = clients;
    EXPECT_EQ(convert(task, Approach::shuffling, OrderSearch::every_order, CountSum::every_count).evaluations,
              clients * orders * (orders + 1) / 2);
    EXPECT_EQ(convert(task, Approach::subsampled_shuffling, OrderSearch::every_order, CountSum::every_count)
                  .evaluations,
              clients * orders);
  }
}

// In a single round the best orders are the highest, and the cost of the bisection up to order lambda grows
// like lambda log lambda. Over many rounds the best orders are low, and the cost grows like lambda.
TEST(ConversionTimes, CountsTellALogarithmFromNone) {
  const std::vector<double> orders = {8, 16, 32, 64, 128};
  std::vector<double> one_round, many_rounds, with_log;
  for (const double order : orders) {
    const auto cost = [&](double epsilon0, std::uint64_t rounds) {
      const ConversionTask task{4, 0.1, {epsilon0, 1e-8}, 1e-5, rounds, static_cast<std::uint64_t>(order)};
      return convert(task, Approach::shuffling, OrderSearch::bisection, CountSum::every_count).evaluations;
    };
    one_round.push_back(cost(0.5, 1));
    many_rounds.push_back(cost(2, 1000));
    with_log.push_back(order * std::log(order));
  }
  const double expected = exponent_of(orders, with_log).value;
  EXPECT_NEAR(exponent_of(orders, one_round).value, expected, 0.1);
  EXPECT_GT(exponent_of(orders, one_round).value, 1.2);
  EXPECT_LT(exponent_of(orders, many_rounds).value, 1.2);
}

TEST(ConversionTimes, BisectionFindsTheLeastOfAValley) {
  const auto valley = [](double bottom) {
    return [bottom](std::uint64_t order) { return std::fabs(static_cast<double>(order) - bottom); };
  };
  for (std::uint64_t bottom = 2; bottom <= 64; ++bottom) {
    EXPECT_EQ(order_by_bisection(valley(static_cast<double>(bottom)), 64), bottom);
  }
  // The bisection misses a dip outside the valley.
  const auto dip = [&](std::uint64_t order) { return order == 4 ? -1.0 : valley(60)(order); };
  EXPECT_EQ(order_by_bisection(dip, 64), 60);
}

TEST(ConversionTimes, Equation7IsTheorem2AsPrinted) {
  for (const std::uint64_t order : {2, 3, 4, 17, 256}) {
    double terms = 0;
    const double divergence = equation_7(2, 6e4, 0.1, 0.5, order, terms);
    EXPECT_NEAR(divergence / published::theorem2_printed(2, 6e4, 0.1, 0.5, order), 1, 1e-9);
    EXPECT_EQ(terms, static_cast<double>(order - 2));
  }
}

TEST(ConversionTimes, AreFromTheLeastToTheLargest) {
  const Spread spread = timed_in_evaluations(
      [] { convert(kTask, Approach::subsampled_shuffling, OrderSearch::bisection, CountSum::cells); });
  EXPECT_GT(spread.low, 0);
  EXPECT_LE(spread.low, spread.high);
}

}  // namespace
}  // namespace muster::reproduce

// Compares sums of reservations with extended precision, and spends a budget to its last digit. What was
// reserved must survive a kill and be refused if damaged.
#include "muster/service/aggregator/population_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/store/memory_store_test.h"

namespace muster::service {
namespace {

using Amount = PopulationBudget::Amount;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
double above(double x) { return std::nextafter(x, kInfinity); }
double below(double x) { return std::nextafter(x, 0.0); }

// A budget in which the given tasks have reserved their amounts, named 1, 2, ...
struct Reserved {
  MemoryStore store;
  Reserved(std::initializer_list<Amount> amounts) {
    PopulationBudget budget(store, "population", {1e300, 0.5});
    std::uint8_t task = 0;
    for (const Amount& amount : amounts) budget.reserve({++task}, amount);
  }
};

TEST(PopulationBudget, TheSumIsExactOrRoundedUp) {
  EXPECT_EQ(sum_rounded_up(0.5, 0.25), 0.75);
  EXPECT_EQ(sum_rounded_up(0, 0.1), 0.1);
  // 1 + 2^-60 is nearer to 1, but above it. Rounding to nearest would forget the second task.
  EXPECT_EQ(1 + 0x1p-60, 1.0);
  EXPECT_EQ(sum_rounded_up(1, 0x1p-60), above(1));
  EXPECT_EQ(sum_rounded_up(0x1p-60, 1), above(1));
  // 0.1 + 0.2 is rounded up by itself: the double nearest to the sum is above it, and stays.
  EXPECT_EQ(sum_rounded_up(0.1, 0.2), 0.1 + 0.2);
  // In long double (64 bits), sums of doubles of similar size are exact.
  double sum = 0.1;
  for (int i = 0; i < 1000; ++i) {
    const double next = sum_rounded_up(sum, 0.3);
    EXPECT_GE(static_cast<long double>(next), static_cast<long double>(sum) + static_cast<long double>(0.3));
    EXPECT_LT(static_cast<long double>(below(next)),
              static_cast<long double>(sum) + static_cast<long double>(0.3));
    sum = next;
  }
}

TEST(PopulationBudget, IsSpentToTheLastUlpAndNotOneFurther) {
  Reserved before{{0.5, 1e-6}, {0.25, 1e-6}};
  const double delta = sum_rounded_up(sum_rounded_up(1e-6, 1e-6), 1e-6);
  for (const auto& [limit, accepted] :
       {std::pair{Amount{1, delta}, true}, std::pair{Amount{below(1), delta}, false},
        std::pair{Amount{1, below(delta)}, false}}) {
    MemoryStore store = before.store;
    PopulationBudget budget(store, "population", limit);
    if (accepted) {
      budget.reserve({9}, {0.25, 1e-6});
      EXPECT_EQ(budget.reserved(), limit);
    } else {
      EXPECT_ERROR(ErrorCode::budget, budget.reserve({9}, {0.25, 1e-6}));
      EXPECT_EQ(store.rows().size(), 2u);
      EXPECT_EQ(budget.reservations().size(), 2u);
    }
  }
  // A task of 2^-60 is too much for a budget of 1 that is spent, although the double nearest to 1 + 2^-60 is
  // 1.
  Reserved one{{1, 1e-6}};
  PopulationBudget budget(one.store, "population", {1, 0.5});
  EXPECT_ERROR(ErrorCode::budget, budget.reserve({9}, {0x1p-60, 1e-6}));
}

TEST(PopulationBudget, ATaskReservesOnceAndKeepsWhatItReserved) {
  MemoryStore store;
  {
    PopulationBudget budget(store, "population", {1, 1e-5});
    budget.reserve({1}, {0.75, 1e-6});
    budget.reserve({1}, {0.75, 1e-6});
  }
  PopulationBudget again(store, "population", {1, 1e-5});
  EXPECT_EQ(again.reservations(),
            (std::vector<PopulationBudget::Reservation>{{wire::Hash{1}, {0.75, 1e-6}}}));
  EXPECT_EQ(again.reserve({1}, {0.75, 1e-6}), (Amount{0.75, 1e-6}));
  // Another machine may compute a cost with other last digits.
  EXPECT_EQ(again.reserve({1}, {0.75 + 1e-13, 1e-6}), (Amount{0.75, 1e-6}));
  EXPECT_ERROR(ErrorCode::file, again.reserve({1}, {0.75 + 1e-6, 1e-6}));
  EXPECT_ERROR(ErrorCode::file, again.reserve({1}, {0.75, 2e-6}));
  EXPECT_ERROR(ErrorCode::file, again.reserve({1}, {0.5, 1e-6}));
  EXPECT_ERROR(ErrorCode::budget, again.reserve({2}, {0.5, 1e-6}));
  again.reserve({2}, {0.25, 1e-6});
  EXPECT_EQ(store.rows().size(), 2u);
  // A smaller limit does not touch what was reserved under a larger one.
  PopulationBudget smaller(store, "population", {0.5, 1e-5});
  smaller.reserve({2}, {0.25, 1e-6});
  EXPECT_ERROR(ErrorCode::budget, smaller.reserve({3}, {1e-9, 1e-9}));
}

TEST(PopulationBudget, AmountsThatAreNoneAreRefused) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  MemoryStore store;
  PopulationBudget budget(store, "population", {1, 0.5});
  for (const double amount : {0.0, -0.0, -1.0, kNaN, kInfinity, -kInfinity, 1e-310}) {
    EXPECT_ERROR(ErrorCode::internal, budget.reserve({1}, {amount, 1e-6})) << amount;
    EXPECT_ERROR(ErrorCode::internal, budget.reserve({1}, {0.5, amount})) << amount;
    EXPECT_ERROR(ErrorCode::plan, PopulationBudget(store, "population", {amount, 0.5}));
    EXPECT_ERROR(ErrorCode::plan, PopulationBudget(store, "population", {1, amount}));
  }
  EXPECT_ERROR(ErrorCode::internal, budget.reserve({1}, {0.5, 1}));
  EXPECT_TRUE(store.rows().empty());
}

TEST(PopulationBudget, ADamagedStoreIsRefused) {
  const Reserved whole{{0.5, 1e-6}, {0.25, 1e-6}};
  const auto refused = [](MemoryStore store) {
    return error_of([&] { PopulationBudget(store, "population", {1, 1e-5}); }).code() == ErrorCode::file;
  };
  MemoryStore shorter = whole.store, longer = whole.store, twice = whole.store, no_number = whole.store;
  shorter.stored_rows()[1].pop_back();
  longer.stored_rows()[0].push_back(0);
  twice.stored_rows().push_back(twice.stored_rows()[0]);
  std::fill_n(no_number.stored_rows()[1].begin() + 32, 8, std::uint8_t{0xff});
  EXPECT_TRUE(refused(shorter));
  EXPECT_TRUE(refused(longer));
  EXPECT_TRUE(refused(twice));
  EXPECT_TRUE(refused(no_number));
}

// The reservation is durable before the caller goes on, and is there once, however often the caller dies.
TEST(PopulationBudget, SurvivesAKillBeforeAndAfterItIsStored) {
  for (const Disk::When when : {Disk::When::before, Disk::When::after}) {
    Disk disk;
    disk.kill_after(0, when);
    EXPECT_THROW(PopulationBudget(disk.store(), "population", {1, 1e-5}).reserve({1}, {0.75, 1e-6}), Killed);
    disk.crash([](std::size_t) { return 0; });
    PopulationBudget again(disk.store(), "population", {1, 1e-5});
    again.reserve({1}, {0.75, 1e-6});
    EXPECT_EQ(disk.memory().rows().size(), 1u);
  }
}

}  // namespace
}  // namespace muster::service

// Runs the harness at full length: at least 10^5 points under proven bounds, n up to 12,
// epsilon up to epsilon0.
#include <gmock/gmock.h>

#include <iostream>

#include "tests/oracle/harness.h"

namespace muster::accounting::oracle {
namespace {

TEST(LongSweep, NoViolationInAHundredThousandPoints) {
  const Report report = run(proven_bounds(), 18000, 101);
  std::cout << report.table();
  EXPECT_GE(report.points, 100000);
  long at_epsilon0 = 0;
  for (const auto& [name, tally] : report.tallies) {
    EXPECT_EQ(tally.violations, 0) << name << ": " << tally.where;
    at_epsilon0 += tally.at_top;
  }
  EXPECT_GE(at_epsilon0, 10000);
}

// Random cases of the same kind catch every false statement several times, so the sweep above would also
// catch a proven bound that is false in a similar way.
TEST(LongSweep, FalseStatementsAreCaught) {
  const Report report = run(false_bounds(), 12000, 102);
  std::cout << report.table();
  for (const std::string& name : false_bound_names()) {
    ASSERT_TRUE(report.tallies.contains(name)) << name;
    EXPECT_GT(report.tallies.at(name).violations, 2) << name;
  }
}

}  // namespace
}  // namespace muster::accounting::oracle

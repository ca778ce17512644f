// Runs the harness for a few seconds. Proven claims must hold, and the same loop must catch every false
// claim.
#include "tests/oracle/harness.h"

#include <gmock/gmock.h>

#include <cmath>
#include <iostream>

#include "tests/oracle/harness_truth.h"

namespace muster::accounting::oracle {
namespace {

TEST(Harness, TwoThousandCases) {
  std::vector<BoundUnderTest> bounds = proven_bounds();
  for (BoundUnderTest& bound : false_bounds()) bounds.push_back(std::move(bound));
  const Report report = run(bounds, 2000, 7);
  std::cout << report.table();
  for (const auto& [name, tally] : report.tallies) {
    SCOPED_TRACE(name + ": " + tally.where);
    EXPECT_GT(tally.at_top, 0);
    EXPECT_TRUE(!tally.proven || tally.violations == 0);
  }
  for (const std::string& name : false_bound_names()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(report.tallies.contains(name));
    EXPECT_GT(report.tallies.at(name).violations, 0);
  }
}

// Compares the dynamic program of harness_truth.h with the enumerator of enumeration.h, which keeps a map of
// histograms. The two share no code.
TEST(HarnessTruth, EqualsTheMapOfHistograms) {
  std::mt19937_64 engine(3);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Case c = random_case(engine);
    if (c.kind == Kind::average || c.n > 5 || c.quantity == Quantity::renyi) continue;
    if (c.participation.kind == Participation::Kind::slots ||
        c.participation.kind == Participation::Kind::averaged)
      continue;
    const long double error = relative_error(c);
    for_each_dataset(c, c.participation, c.datasets, [&](const std::vector<int>& dataset, const auto& laws) {
      std::vector<Law> others;
      for (const int r : dataset) others.push_back(c.laws[static_cast<std::size_t>(r)]);
      const auto& [x, y] = c.pairs.front();
      const Law &a = c.laws[static_cast<std::size_t>(x)], &b = c.laws[static_cast<std::size_t>(y)];
      const Participation& p = c.participation;
      std::vector<long double> rates(p.rates.begin(), p.rates.end());
      const OutputPair pair = p.kind == Participation::Kind::subset  ? subset(others, a, b, p.k)
                              : p.kind == Participation::Kind::rates ? check_in(others, a, b, rates)
                              : p.kind == Participation::Kind::shuffle
                                  ? check_in(others, a, b, 1.0L)
                                  : check_in(others, a, b, static_cast<long double>(p.rate));
      for (const double epsilon : c.grid) {
        const Interval fast = hockey_stick_interval(laws[static_cast<std::size_t>(x)],
                                                    laws[static_cast<std::size_t>(y)], epsilon, error);
        const long double slow = hockey_stick(pair, epsilon);
        EXPECT_LE(fast.lower, slow + 1e-18L);
        EXPECT_GE(fast.upper, slow - 1e-18L);
        ++compared;
      }
    });
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace muster::accounting::oracle

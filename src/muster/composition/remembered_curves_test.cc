// A table is the same whether or not another table of the same curve was made before. If one was made, only
// the nodes that it did not have are computed.
#include "muster/composition/remembered_curves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "muster/composition/round_curve.h"
#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

using numerics::UpperAndEstimate;

// The curve of two normals at this distance. Each computation counts as `work` and adds 1 to `times`.
BoundCurve counted(double distance, double work, std::size_t& times) {
  return [=, &times](double epsilon) {
    ++times;
    numerics::count_work(0, 0, work);
    const double upper = gaussian_divergence(distance, epsilon).upper;
    return UpperAndEstimate{.upper = upper, .estimate = upper};
  };
}

TEST(RememberedCurves, GiveTheValuesOfTheCurve) {
  std::size_t times = 0;
  const RememberedCurves<UpperAndEstimate> curves(counted(0.3, 7, times), {});
  for (const double epsilon : {0.0, 0.25, 5.0}) {
    const auto first = curves.at(epsilon), again = curves.at(epsilon);
    EXPECT_EQ(first.forward.upper, gaussian_divergence(0.3, epsilon).upper);
    EXPECT_EQ(again.forward.upper, first.forward.upper);
    EXPECT_EQ(again.reverse.upper, first.forward.upper);
    EXPECT_EQ(first.work_before, 0);
    EXPECT_EQ(again.work_before, 7);
  }
  EXPECT_EQ(times, 3);
}

// With the larger `work` of a node, a table takes so much work that its cells are widened. So this also shows
// that remembered values count with the work that they took.
TEST(RememberedCurves, ATableDoesNotDependOnTablesBefore) {
  const Nodes first{.per_deviation = 100, .negligible = 1e-12},
      second{.per_deviation = 100, .negligible = 1e-40};
  for (const double work : {1e3, 2e7}) {
    for (const double distance : {0.01, 6.0}) {
      std::size_t alone_times = 0, times = 0;
      const Tabulator<UpperAndEstimate> alone(counted(distance, work, alone_times), {});
      const BoundTable expected = alone.table(second);
      const Tabulator<UpperAndEstimate> both(counted(distance, work, times), {});
      const BoundTable before = both.table(first);
      const std::size_t after_first = times;
      const BoundTable found = both.table(second);
      ASSERT_EQ(found.index, expected.index);
      EXPECT_EQ(found.spacing, expected.spacing);
      for (std::size_t i = 0; i < found.index.size(); ++i) {
        EXPECT_EQ(found.forward[i].upper, expected.forward[i].upper);
      }
      // Besides its nodes, a table only asks whether the tail is heavy.
      EXPECT_LE(times - after_first, found.index.size() - before.index.size() / 2 + 1)
          << "work " << work << ", distance " << distance;
    }
  }
}

}  // namespace
}  // namespace muster::accounting

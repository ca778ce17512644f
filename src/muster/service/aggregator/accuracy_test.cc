// Checks that accuracies are kept round by round across a restart, and that damaged ones are refused.
#include "muster/service/aggregator/accuracy.h"

#include <gtest/gtest.h>

#include <limits>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/aggregator/aggregator_fixture_test.h"

namespace muster::service {
namespace {

TEST(Accuracy, IsKeptByRoundAndOutlivesTheProcess) {
  AggregatorFixture d;
  for (int round = 0; round < 3; ++round) d.run();
  Store& store = d.disk().store();
  EXPECT_TRUE(read_accuracies(store, d.role().history()).empty());
  keep_accuracy(store, 1, 0.25);
  keep_accuracy(store, 3, 1);
  keep_accuracy(store, 3, 0.75);
  const Accuracies expected{{1, 0.25}, {3, 0.75}};
  EXPECT_EQ(read_accuracies(store, d.role().history()), expected);
  d.start();
  EXPECT_EQ(read_accuracies(d.disk().store(), d.role().history()), expected);
  EXPECT_EQ(d.findings(), "");
}

TEST(Accuracy, OneThatIsNoFractionIsDamage) {
  AggregatorFixture d;
  d.run();
  for (const double wrong : {-0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    keep_accuracy(d.disk().store(), 1, wrong);
    EXPECT_ERROR(ErrorCode::file, read_accuracies(d.disk().store(), d.role().history())) << wrong;
  }
  d.disk().store().commit({.append = {}, .put = {{"accuracy-1", {1, 2}}}, .remove = {}});
  EXPECT_ERROR(ErrorCode::file, read_accuracies(d.disk().store(), d.role().history()));
}

}  // namespace
}  // namespace muster::service

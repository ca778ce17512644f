// Compares the places of labels with places worked out by hand, and checks that they never overlap where
// there is room.
#include "muster/reporting/line_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::reporting {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(LineLabels, LabelsWithRoomStayWhereTheyAreWanted) {
  EXPECT_THAT(spread({80, 20, 50}, 10, 0, 100), ElementsAre(80, 20, 50));
  EXPECT_THAT(spread({}, 10, 0, 100), ElementsAre());
}

// Worked out by hand: two labels at the same place move half a gap each; three that touch keep their mean.
TEST(LineLabels, LabelsThatOverlapMoveApartAsLittleAsPossible) {
  EXPECT_THAT(spread({50, 50}, 10, 0, 100), ElementsAre(45, 55));
  EXPECT_THAT(spread({50, 44, 53}, 10, 0, 100),
              ElementsAre(DoubleNear(49, 1e-12), DoubleNear(39, 1e-12), DoubleNear(59, 1e-12)));
  EXPECT_THAT(spread({1, 2, 90}, 10, 0, 100), ElementsAre(0, 10, 90));
  EXPECT_THAT(spread({99, 100}, 10, 0, 100), ElementsAre(90, 100));
}

TEST(LineLabels, LabelsNeverOverlapOrLeaveTheRange) {
  std::vector<double> wanted;
  for (int i = 0; i < 16; ++i) wanted.push_back(static_cast<double>(37 * i % 101));
  for (const double gap : {1.0, 5.0, 6.0, 16.0}) {  // with the last one, there is not enough room
    const std::vector<double> places = spread(wanted, gap, 0, 100);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_GE(places[i], -1e-9);
      EXPECT_LE(places[i], 100 + 1e-9);
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        if (wanted[i] < wanted[j]) {
          EXPECT_GE(places[j] - places[i], std::min(gap, 100.0 / 15) - 1e-9) << i << " " << j;
        }
      }
    }
  }
}

TEST(LineLabels, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(shortened("people", 6), "people");
  EXPECT_EQ(shortened("people-digits-0a1b2c3d", 11), "peopl\u2026b2c3d");
  EXPECT_EQ(shortened("\u00fc\u00fc\u00fc\u00fc\u00fc", 3), "\u00fc\u2026\u00fc");
  EXPECT_EQ(shortened("a\xff\xff\xff\xff z", 3), "a\u2026z");
}

TEST(LineLabels, EachLabelIsJoinedToTheEndOfItsLine) {
  const ChartPanel panel(Scale::linear(0, 10, 0, 100), Scale::linear(0, 1, 100, 0), "", "");
  const std::string svg = line_labels(
      panel, {{{10, 0.5}, "<a>", kFirst, MarkShape::disc}, {{5, 0.5}, "b", kSecond, MarkShape::square}});
  EXPECT_THAT(svg, testing::HasSubstr("M100.0,50.0 L100.0,50.0 L119.0,42.0"));
  EXPECT_THAT(svg, testing::HasSubstr("M50.0,50.0 L100.0,50.0 L119.0,58.0"));
  EXPECT_THAT(svg, testing::HasSubstr("&lt;a&gt;"));
}

}  // namespace
}  // namespace muster::reporting

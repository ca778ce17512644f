// Follows the counts through two rounds: while a round is open, only the count of a full queue may change.
#include "muster/http/upload_counts.h"

#include <gtest/gtest.h>

namespace muster::service {
namespace {

using Counts = UploadCounts::Counts;

TEST(UploadCounts, StandStillWhileARoundIsOpen) {
  UploadCounts counts;
  counts.add(Answer::over);
  EXPECT_EQ(counts.told(), (Counts{.over = 1}));
  counts.round_opens();
  for (const Answer answer : {Answer::stored, Answer::stored, Answer::refused, Answer::over}) {
    counts.add(answer);
    EXPECT_EQ(counts.told(), (Counts{.over = 1}));
  }
  // Refusals because the queue is full say nothing about a device, and operators need to see them at once.
  counts.add(Answer::busy);
  EXPECT_EQ(counts.told(), (Counts{.over = 1, .busy = 1}));
  counts.round_ends();
  EXPECT_EQ(counts.told(), (Counts{.stored = 2, .refused = 1, .over = 2, .busy = 1}));
  // The next round begins with all that came before it.
  counts.round_opens();
  counts.add(Answer::stored);
  EXPECT_EQ(counts.told(), (Counts{.stored = 2, .refused = 1, .over = 2, .busy = 1}));
}

}  // namespace
}  // namespace muster::service

// A batch that is too long for one piece: which pieces the aggregator asks for, and what becomes of the round
// if a piece is lost, or is not the one of the manifest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "muster/service/aggregator/aggregator_fixture_test.h"

namespace muster::service {
namespace {

using ::testing::HasSubstr;
using wire::Buffer;
using wire::Manifest;
using State = Progress::State;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t kWidth = 4 + wire::kSealing;                 // of a report of k-rr
constexpr std::uint64_t kPiece = (std::uint64_t{1} << 20) / kWidth;  // whole reports in 1 MiB

// Notes the first report of each piece that is handed out.
void note_pieces(AggregatorFixture& d, Numbers& firsts) {
  d.shuffler().change_piece = [&firsts](std::uint64_t first, Buffer&) { firsts.push_back(first); };
}

TEST(BatchOfTwoPieces, IsPulledOnceAndOfALostPieceNoOtherIsAskedForAgain) {
  ShufflerDouble::Payloads payloads;
  for (std::uint32_t i = 0; i < 20'500; ++i) payloads.push_back(answer(i % 10 == 9 ? 3 : i % 10));
  AggregatorFixture d;
  Numbers firsts;
  note_pieces(d, firsts);
  d.open();
  d.shuffler().close(20'500, payloads);
  // The step calls offer(), manifest(), batch() and then batch() for the second piece, whose answer is lost.
  d.shuffler().lose_after(3, ShufflerDouble::Lost::answer);
  EXPECT_EQ(d.step().state, State::closing);
  EXPECT_EQ(firsts, (Numbers{0, kPiece}));
  EXPECT_EQ(d.story(), "open");
  EXPECT_THAT(d.step().reason, HasSubstr("round 1 was released"));
  EXPECT_EQ(firsts, (Numbers{0, kPiece, kPiece}));
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(d.role().rejected().reports, ReportCounts{});
  // The model is the one that a learner makes of the same payloads.
  Learner other(d.task().plan(), d.parts(), 1);
  other.receive(payloads.size(), [&](std::uint64_t report, std::span<std::uint8_t> payload) {
    std::ranges::copy(payloads[report], payload.begin());
    return true;
  });
  EXPECT_EQ(d.model(), encode(other.next(1)));
  EXPECT_EQ(d.findings(), "");
}

// What a shuffler may do to the pieces of a batch, and which pieces the aggregator then asks for in each of
// its attempts.
struct Pieces {
  const char* name;
  std::function<void(const Buffer& batch, std::uint64_t first, Buffer& piece)> change;
  Numbers asked;
};

class WrongPieces : public ::testing::TestWithParam<Pieces> {};

// The batch is one of two full pieces of random bytes: reports that nobody sealed, which are opened, and are
// counted as `sealed`, only if the aggregator takes the batch for that of the manifest.
constexpr std::uint64_t kReports = 2 * kPiece;

void close_with_two_pieces(AggregatorFixture& d) {
  const auto fill = [](Buffer& batch) {
    batch.resize(kReports * kWidth);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : batch)
      byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  };
  d.shuffler().close(kReports, answers({1}), fill, [](Manifest& m) { m.reports = kReports; });
}

TEST_P(WrongPieces, AreAskedForThreeTimesAndTheRoundIsThenSpent) {
  AggregatorFixture d;
  const Buffer before = (d.start(), d.model());
  d.open();
  close_with_two_pieces(d);
  const Buffer batch = *d.shuffler().rounds().at(1).batch;
  Numbers firsts;
  d.shuffler().change_piece = [&](std::uint64_t first, Buffer& piece) {
    firsts.push_back(first);
    GetParam().change(batch, first, piece);
  };
  Numbers expected;
  Progress progress = d.step();
  for (std::uint64_t pull = 1; pull < AggregatorRole::kPulls; ++pull) {
    expected.insert(expected.end(), GetParam().asked.begin(), GetParam().asked.end());
    EXPECT_EQ(firsts, expected);
    EXPECT_EQ(d.story(), "open");
    EXPECT_THAT(progress.reason, HasSubstr("not the one of its manifest"));
    progress = d.step();
  }
  expected.insert(expected.end(), GetParam().asked.begin(), GetParam().asked.end());
  EXPECT_EQ(firsts, expected);
  EXPECT_EQ(d.story(), "open spent:hash");
  EXPECT_EQ(d.ledger().epsilon(), test_epsilon(1));
  EXPECT_EQ(d.model(), before);
  EXPECT_EQ(d.role().rejected().reports, ReportCounts{});
  ASSERT_EQ(d.shuffler().rounds().at(1).receipts.size(), 1u);
  EXPECT_EQ(d.shuffler().rounds().at(1).receipts[0].outcome, wire::Receipt::Outcome::spent);
  EXPECT_EQ(d.findings(), "");
}

Buffer half(const Buffer& batch, std::uint64_t number) {
  const auto begin = batch.begin() + static_cast<std::ptrdiff_t>(number * kPiece * kWidth);
  return {begin, begin + static_cast<std::ptrdiff_t>(kPiece * kWidth)};
}

INSTANTIATE_TEST_SUITE_P(
    , WrongPieces,
    ::testing::Values(Pieces{"Exchanged",
                             [](const Buffer& batch, std::uint64_t first, Buffer& piece) {
                               piece = half(batch, first == 0 ? 1 : 0);
                             },
                             {0, kPiece}},
                      Pieces{
                          "TheFirstTwice",
                          [](const Buffer& batch, std::uint64_t, Buffer& piece) { piece = half(batch, 0); },
                          {0, kPiece}},
                      Pieces{"TheFirstShort",
                             [](const Buffer&, std::uint64_t first, Buffer& piece) {
                               if (first == 0) piece.resize(piece.size() - kWidth);
                             },
                             {0}},
                      Pieces{"TheSecondShort",
                             [](const Buffer&, std::uint64_t first, Buffer& piece) {
                               if (first > 0) piece.pop_back();
                             },
                             {0, kPiece}},
                      // All of the batch comes at once, where its first piece was asked for.
                      Pieces{"TheFirstLong",
                             [](const Buffer& batch, std::uint64_t first, Buffer& piece) {
                               if (first == 0) piece = batch;
                             },
                             {0}},
                      Pieces{"TheSecondLong",
                             [](const Buffer&, std::uint64_t first, Buffer& piece) {
                               if (first > 0) piece.resize(piece.size() + kWidth);
                             },
                             {0, kPiece}},
                      Pieces{"TheSecondChanged",
                             [](const Buffer&, std::uint64_t first, Buffer& piece) {
                               if (first > 0) piece.back() ^= 1;
                             },
                             {0, kPiece}}),
    [](const auto& tested) { return std::string(tested.param.name); });

// The same batch is taken as it is if nothing changes its pieces, also if they were exchanged before.
TEST(BatchOfTwoPieces, ThatWereExchangedOnceIsTakenWhenItComesInOrder) {
  AggregatorFixture d;
  d.open();
  close_with_two_pieces(d);
  const Buffer batch = *d.shuffler().rounds().at(1).batch;
  d.shuffler().change_piece = [&](std::uint64_t first, Buffer& piece) {
    piece = half(batch, first == 0 ? 1 : 0);
  };
  EXPECT_THAT(d.step().reason, HasSubstr("not the one of its manifest (asked for 1 of 3 times)"));
  d.shuffler().change_piece = {};
  d.step();
  EXPECT_EQ(d.story(), "open release");
  EXPECT_EQ(d.role().rejected().reports, (ReportCounts{.sealed = kReports}));
}

}  // namespace
}  // namespace muster::service

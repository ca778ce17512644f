// What the shuffler asks of the aggregator's ledger before it opens a round, of an aggregator that deviates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "muster/service/shuffler/shuffler_fixture_test.h"

namespace muster::service {
namespace {

// The rows of a ledger that is kept by nobody's rules.
class Rows {
 public:
  explicit Rows(const std::vector<wire::Buffer>& begun) {
    for (const wire::Buffer& row : begun) take(row);
  }
  void append(const Entry& entry) { take(row_of(entry, head_, rows_.size())); }
  const wire::Hash& head() const { return head_; }
  std::vector<wire::Buffer> from(std::size_t first) const {
    return {rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end()};
  }

 private:
  void take(const wire::Buffer& row) {
    head_ = read_row(row, head_, rows_.size()).value().hash;
    rows_.push_back(row);
  }
  std::vector<wire::Buffer> rows_;
  wire::Hash head_{};
};

struct DeviatingAggregator : ShufflerFixture {
  // A round in which `devices` devices report, up to its outcome in the ledger.
  void run_round(std::uint8_t devices) {
    ASSERT_NO_FATAL_FAILURE(open_round());
    for (std::uint8_t i = 0; i < devices; ++i) shuffler->upload(report(i));
    clock.advance(kRound);
    shuffler->tick();
    const wire::Buffer receipt = conclude();
    ASSERT_TRUE(receipt.empty() || shuffler->receipt(receipt));
  }
  SignedManifest manifest_of(std::uint64_t round) {
    SignedManifest kept;
    std::ranges::copy(shuffler->manifest(round).value(), kept.begin());
    return kept;
  }
  // Whether the shuffler opens a round after these rows, told from the beginning or from the place it saw.
  bool opens_after(Rows rows, std::uint64_t round, bool from_the_beginning) {
    shuffler->tick();
    shuffler->put_blob(model);
    const OpenEntry open{.round = round,
                         .update = 1,
                         .model = wire::hash_of({model}),
                         .token_key = IssuerDouble::key_of(round).public_key().id(),
                         .shuffler = offer().key,
                         .aggregator = round_key.public_key()};
    rows.append(open);
    const wire::Descriptor next = descriptor_of(open, task.name(), rows.head());
    const std::size_t first = from_the_beginning ? 0 : offer().entries;
    return shuffler->open(wire::sign_descriptor(next, aggregator), first, rows.from(first));
  }
};

TEST(ShufflerLedger, NoRoundIsOpenedBeyondThePlannedOnes) {
  DeviatingAggregator rig;
  const std::uint64_t planned = rig.task.plan().rounds();
  ASSERT_LT(planned + 2, rig.task.settings().most_rounds);
  for (std::uint64_t released = 0; released < planned; ++released) {
    SCOPED_TRACE(released);
    if (released == 3) {
      ASSERT_NO_FATAL_FAILURE(rig.run_round(9)) << "a void round is not one of them";
    }
    ASSERT_NO_FATAL_FAILURE(rig.run_round(10));
    if (released == 5) rig.restart();
  }
  const Rows honest(rig.ledger_store.rows());
  EXPECT_FALSE(rig.opens_after(honest, planned + 2, false));
  EXPECT_FALSE(rig.opens_after(honest, planned + 2, true));
  rig.restart();
  EXPECT_FALSE(rig.opens_after(honest, planned + 2, false));
}

// The shuffler has another task with the same key, and the aggregator has the manifest of a void round of it.
TEST(ShufflerLedger, AVoidRoundOfAnotherTaskIsNotOneOfThis) {
  DeviatingAggregator rig;
  ASSERT_NO_FATAL_FAILURE(rig.run_round(10));
  wire::Manifest foreign{.task = rig.task.name(),
                         .round = 1,
                         .descriptor = rig.shuffler->last_manifest()->descriptor,
                         .outcome = wire::Manifest::Outcome::destroyed};
  foreign.task[0] ^= 1;
  SignedManifest kept;
  std::ranges::copy(wire::sign_manifest(foreign, rig.shuffler_key), kept.begin());
  Rows rows({rig.ledger_store.rows()[0], rig.ledger_store.rows()[1]});
  rows.append(VoidEntry{1, kept});
  EXPECT_FALSE(rig.opens_after(rows, 2, true));
  EXPECT_TRUE(rig.opens_after(Rows(rig.ledger_store.rows()), 2, true)) << "otherwise every ledger is refused";
}

// A manifest that says of one round that it is void says so of no other, and once.
TEST(ShufflerLedger, AVoidRoundStandsForItselfAlone) {
  DeviatingAggregator rig;
  ASSERT_NO_FATAL_FAILURE(rig.run_round(9));
  const SignedManifest nothing_left = rig.manifest_of(1);
  ASSERT_NO_FATAL_FAILURE(rig.run_round(10));
  const auto rows = rig.ledger_store.rows();
  Rows twice({rows.begin(), rows.begin() + 3});
  twice.append(VoidEntry{1, nothing_left});
  EXPECT_FALSE(rig.opens_after(twice, 3, true));
  Rows renamed({rows.begin(), rows.begin() + 4});
  renamed.append(VoidEntry{2, nothing_left});
  EXPECT_FALSE(rig.opens_after(renamed, 3, true));
  EXPECT_TRUE(rig.opens_after(Rows(rows), 3, true)) << "otherwise every ledger is refused";
}

// The place that the shuffler saw is the opening of a round whose outcome the aggregator keeps for itself.
TEST(ShufflerLedger, NoRoundIsLeftWithoutAnOutcome) {
  DeviatingAggregator rig;
  ASSERT_NO_FATAL_FAILURE(rig.open_round());
  for (std::uint8_t i = 0; i < 10; ++i) rig.shuffler->upload(rig.report(i));
  rig.clock.advance(ShufflerFixture::kRound);
  rig.let_announce();
  const Rows opened(rig.ledger_store.rows());
  EXPECT_FALSE(rig.opens_after(opened, 2, false));
  EXPECT_FALSE(rig.opens_after(opened, 2, true));
  rig.conclude();
  EXPECT_TRUE(rig.opens_after(Rows(rig.ledger_store.rows()), 2, false));
}

}  // namespace
}  // namespace muster::service

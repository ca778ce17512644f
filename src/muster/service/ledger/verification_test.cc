// Writes ledgers that break one rule each: verify() must find exactly that, and nothing in a ledger that
// keeps all rules.
#include "muster/service/ledger/verification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/store/memory_store_test.h"
#include "muster/service/task/plans_test.h"
#include "muster/wire/manifest.h"

namespace muster::service {
namespace {

using wire::Manifest;

// The epsilon of a test: any increasing function will do, for `verify` does not know the accountant.
double epsilon(std::uint64_t rounds) { return 0.125 * static_cast<double>(rounds); }

// A task and a ledger that a test writes, with an aggregator and a shuffler that follow the rules.
class VerificationTest : public ::testing::Test {
 protected:
  VerificationTest() { ledger_.append(TaskEntry{task_.name(), epsilon(20), 1e-5}); }

  TaskDocument task() const {
    TaskSettings settings;
    settings.malicious = 16;
    settings.seconds = 5;
    settings.most_rounds = 22;
    settings.aggregator = aggregator_.identity();
    settings.issuer.fill(0x15);
    settings.shuffler = shuffler_.identity();
    return TaskDocument::make(deployed_plan(), settings);
  }

  std::uint64_t round() const { return ledger_.counts().opened; }
  void open() { ledger_.append(OpenEntry{round() + 1, ledger_.counts().released, {2}, {}, {3}, {4}, {5}}); }

  // The shuffler's word about the open round, after a test changed it.
  SignedManifest manifest(Manifest::Outcome outcome,
                          const std::function<void(Manifest&)>& change = {}) const {
    Manifest m{task_.name(),
               round(),
               wire::descriptor_hash(descriptor_of(*ledger_.open_round(), task_.name(), ledger_.head())),
               outcome,
               2064,
               1031,
               65,
               {1},
               {}};
    if (outcome == Manifest::Outcome::destroyed) {
      m.heard = 2063;
      m.reports = 0;
      m.width = 0;
      m.batch = {};
    }
    if (change) change(m);
    SignedManifest bytes;
    std::ranges::copy(wire::sign_manifest(m, shuffler_), bytes.begin());
    return bytes;
  }
  void release(const std::function<void(Manifest&)>& change = {}) {
    ledger_.append(ReleaseEntry{round(),
                                epsilon(ledger_.counts().charged() + 1),
                                {6},
                                manifest(Manifest::Outcome::released, change)});
  }

  // Expects one finding, with this word in it, or none if the word is empty.
  void expect_finding(const std::string& word) const {
    const auto findings = verify(ledger_, task_, epsilon).findings;
    ASSERT_EQ(findings.size(), word.empty() ? 0u : 1u) << (findings.empty() ? "" : findings.back());
    if (word.empty()) return;
    EXPECT_NE(findings[0].find(word), std::string::npos) << findings[0];
  }

  const wire::SigningKey aggregator_ = wire::SigningKey::fresh(), shuffler_ = wire::SigningKey::fresh();
  const TaskDocument task_ = task();
  MemoryStore store_;
  Ledger ledger_{store_, "ledger"};
};

TEST_F(VerificationTest, NamesEveryRoundWithItsOutcomeAndEpsilon) {
  open();
  release();
  open();
  ledger_.append(VoidEntry{2, manifest(Manifest::Outcome::destroyed)});
  open();
  ledger_.append(SpentEntry{3, epsilon(2), SpentEntry::Why::key, manifest(Manifest::Outcome::released)});
  open();
  ledger_.append(SpentEntry{4, epsilon(3), SpentEntry::Why::lost, {}});
  open();
  const Verification v = verify(ledger_, task_, epsilon);
  EXPECT_TRUE(v.findings.empty()) << v.findings.front();
  ASSERT_EQ(v.rounds.size(), 5u);
  const char* outcomes[] = {"released", "void", "spent", "spent", "open"};
  const char* reasons[] = {"", "heard 2063 devices, fewer than 2064", "key", "lost", ""};
  const double epsilons[] = {epsilon(1), epsilon(1), epsilon(2), epsilon(3), epsilon(3)};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(v.rounds[i].round, i + 1);
    EXPECT_EQ(v.rounds[i].outcome, outcomes[i]) << i;
    EXPECT_EQ(v.rounds[i].reason, reasons[i]) << i;
    EXPECT_EQ(v.rounds[i].epsilon, epsilons[i]) << i;
    EXPECT_EQ(v.rounds[i].signer, i < 3 ? "shuffler" : "") << i;  // the lost and the open round have none
  }
  EXPECT_EQ(v.rounds[0].heard, 2064u);
  EXPECT_EQ(v.rounds[0].reports, 1031u);
  EXPECT_EQ(v.epsilon, epsilon(3));
  EXPECT_EQ(v.ended, "");
}

// A ledger is verified on other machines than the one that wrote it.
TEST_F(VerificationTest, TheLastDigitsOfAnEpsilonAreThoseOfTheMachineThatComputedIt) {
  open();
  release();
  const auto findings = [&](double factor) {
    return verify(ledger_, task_, [&](std::uint64_t rounds) { return factor * epsilon(rounds); })
        .findings.size();
  };
  EXPECT_EQ(findings(1 + 1e-13), 0u);
  EXPECT_EQ(findings(1 - 1e-13), 0u);
  EXPECT_EQ(findings(1 + 1e-8), 2u);  // the reservation and the round
  EXPECT_EQ(findings(1 - 1e-8), 2u);
}

TEST_F(VerificationTest, AWholeTaskEndsDone) {
  for (int i = 0; i < 20; ++i) {
    open();
    release();
  }
  ledger_.append(EndEntry{EndEntry::Why::done, epsilon(20)});
  expect_finding("");
  EXPECT_EQ(verify(ledger_, task_, epsilon).ended, "done");
}

TEST_F(VerificationTest, AnEpsilonThatIsNotTheAccountantsIsFound) {
  open();
  ledger_.append(ReleaseEntry{1, 0.0624, {6}, manifest(Manifest::Outcome::released)});
  expect_finding("states epsilon 0.0624 after 1 charged rounds, which cost 0.125");
}

TEST_F(VerificationTest, AReleaseOfTooFewDevicesIsFound) {
  open();
  release([](Manifest& m) { m.heard = 2063; });
  expect_finding("2063 devices were heard, fewer than 2064");
}

TEST_F(VerificationTest, AManifestOfAnotherRoundTaskOrDescriptorIsFound) {
  open();
  release([](Manifest& m) { m.round = 2; });
  expect_finding("another round");
}
TEST_F(VerificationTest, AManifestOfAnotherTaskIsFound) {
  open();
  release([](Manifest& m) { m.task[0] ^= 1; });
  expect_finding("another round");
}
TEST_F(VerificationTest, AManifestForAnotherDescriptorIsFound) {
  open();
  release([](Manifest& m) { m.descriptor[0] ^= 1; });
  expect_finding("another descriptor");
}

TEST_F(VerificationTest, AManifestThatTheShufflerDidNotSignIsFound) {
  open();
  SignedManifest forged = manifest(Manifest::Outcome::released);
  forged[100] ^= 1;
  ledger_.append(ReleaseEntry{1, epsilon(1), {6}, forged});
  expect_finding("no manifest that the shuffler signed");
}

TEST_F(VerificationTest, AReleaseOfADestroyedRoundIsFound) {
  open();
  ledger_.append(ReleaseEntry{1, epsilon(1), {6}, manifest(Manifest::Outcome::destroyed)});
  const auto findings = verify(ledger_, task_, epsilon).findings;
  ASSERT_EQ(findings.size(), 2u);  // and too few devices were heard
  EXPECT_NE(findings[0].find("destroyed"), std::string::npos) << findings[0];
}

TEST_F(VerificationTest, AVoidRoundWhoseBatchLeftTheShufflerIsFound) {
  open();
  ledger_.append(VoidEntry{1, manifest(Manifest::Outcome::released)});
  expect_finding("although its batch left the shuffler");
}

TEST_F(VerificationTest, ASpentRoundThatWasDestroyedIsFound) {
  open();
  ledger_.append(SpentEntry{1, epsilon(1), SpentEntry::Why::hash, manifest(Manifest::Outcome::destroyed)});
  expect_finding("spends a round that the shuffler destroyed");
}

TEST_F(VerificationTest, RoundsBeyondTheTaskAreFound) {
  for (int i = 0; i < 23; ++i) {
    open();
    if (i < 22) ledger_.append(VoidEntry{round(), manifest(Manifest::Outcome::destroyed)});
  }
  expect_finding("more rounds than task.most_rounds");
}

TEST_F(VerificationTest, AWrongReasonForTheEndIsFound) {
  open();
  release();
  ledger_.append(EndEntry{EndEntry::Why::done, epsilon(1)});
  expect_finding("because of \"done\"");
}
TEST_F(VerificationTest, AnEndAtABudgetThatIsNotReachedIsFound) {
  ledger_.append(EndEntry{EndEntry::Why::budget, 0});
  expect_finding("because of \"budget\"");
}
TEST_F(VerificationTest, AnEndAfterAllRoundsThatWereNotOpenedIsFound) {
  open();
  release();
  ledger_.append(EndEntry{EndEntry::Why::rounds, epsilon(1)});
  expect_finding("because of \"rounds\"");
}
TEST_F(VerificationTest, ATaskMayEndWhenAllItsRoundsWereOpenedOrAnOperatorStopsIt) {
  for (int i = 0; i < 22; ++i) {
    open();
    ledger_.append(VoidEntry{round(), manifest(Manifest::Outcome::destroyed)});
  }
  ledger_.append(EndEntry{EndEntry::Why::rounds, 0});
  expect_finding("");
}
TEST_F(VerificationTest, AnEndAtTheBudgetNeedsABudgetThatTheNextRoundPasses) {
  const auto task_with = [&](const char* budget) {
    return TaskDocument::make(deployed_plan().with("privacy.budget", budget), task_.settings());
  };
  struct Case {
    const char* budget;
    std::uint64_t planned;
    bool accepted;
  };
  for (const auto& [budget, planned, accepted] : {Case{"0.374", 2, true}, Case{"0.375", 3, false}}) {
    const TaskDocument limited = task_with(budget);
    MemoryStore store;
    Ledger ledger(store, "ledger");
    ledger.append(TaskEntry{limited.name(), epsilon(planned), 1e-5});
    for (const std::uint64_t number : {1u, 2u}) {
      ledger.append(OpenEntry{number, 0, {2}, {}, {3}, {4}, {5}});
      ledger.append(SpentEntry{number, epsilon(number), SpentEntry::Why::lost, {}});
    }
    ledger.append(EndEntry{EndEntry::Why::budget, epsilon(2)});
    EXPECT_EQ(verify(ledger, limited, epsilon).findings.empty(), accepted) << budget;
  }
}
TEST_F(VerificationTest, ABudgetIsReservedAndKeptToTheRoundsThatItPaysFor) {
  const TaskDocument limited =
      TaskDocument::make(deployed_plan().with("privacy.budget", "0.25"), task_.settings());
  for (const std::uint64_t reserved : {2u, 20u}) {
    MemoryStore store;
    Ledger ledger(store, "ledger");
    ledger.append(TaskEntry{limited.name(), epsilon(reserved), 1e-5});
    EXPECT_EQ(verify(ledger, limited, epsilon).findings.size(), reserved == 2 ? 0u : 1u) << reserved;
  }
  MemoryStore store;
  Ledger ledger(store, "ledger");
  ledger.append(TaskEntry{limited.name(), epsilon(2), 1e-5});
  for (const std::uint64_t number : {1u, 2u, 3u}) {
    ledger.append(OpenEntry{number, 0, {2}, {}, {3}, {4}, {5}});
    ledger.append(SpentEntry{number, epsilon(number), SpentEntry::Why::lost, {}});
  }
  const auto findings = verify(ledger, limited, epsilon).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("after all planned rounds"), std::string::npos) << findings[0];
}

TEST_F(VerificationTest, ABudgetThatPaysForNoRoundIsFound) {
  const TaskDocument limited =
      TaskDocument::make(deployed_plan().with("privacy.budget", "0.124"), task_.settings());
  MemoryStore store;
  Ledger ledger(store, "ledger");
  ledger.append(TaskEntry{limited.name(), epsilon(20), 1e-5});
  const auto findings = verify(ledger, limited, epsilon).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].find("privacy.budget"), std::string::npos) << findings[0];
}

// A round that was charged because the ledger lost its entry was opened again without keys.
TEST_F(VerificationTest, ARoundWithoutKeysMayBeLostAndNothingElse) {
  ledger_.append(OpenEntry{1, 0, {}, {}, {}, {}, {}});
  ledger_.append(SpentEntry{1, epsilon(1), SpentEntry::Why::lost, {}});
  expect_finding("");
  ledger_.append(OpenEntry{2, 0, {}, {}, {}, {}, {}});
  ledger_.append(VoidEntry{2, manifest(Manifest::Outcome::destroyed)});
  expect_finding("opened without keys");
}

TEST_F(VerificationTest, AModelDivergesWithARelease) {
  open();
  release();
  ledger_.append(EndEntry{EndEntry::Why::diverged, epsilon(1)});
  expect_finding("");
}
TEST_F(VerificationTest, AModelDoesNotDivergeWithoutARelease) {
  open();
  release();
  open();
  ledger_.append(VoidEntry{2, manifest(Manifest::Outcome::destroyed)});
  ledger_.append(EndEntry{EndEntry::Why::diverged, epsilon(1)});
  expect_finding("because of \"diverged\"");
}

TEST_F(VerificationTest, ALedgerWithoutAnEntryIsFound) {
  MemoryStore store;
  const Ledger empty(store, "ledger");
  EXPECT_EQ(verify(empty, task_, epsilon).findings.size(), 1u);
}

TEST_F(VerificationTest, AnotherTaskReservationOrDeltaIsFound) {
  const TaskEntry right{task_.name(), epsilon(20), 1e-5};
  struct Case {
    TaskEntry entry;
    const char* word;
  };
  for (const Case& each : {Case{{{9}, right.epsilon, right.delta}, "another task"},
                           Case{{right.task, epsilon(19), right.delta}, "for the planned rounds"},
                           Case{{right.task, right.epsilon, 1e-6}, "another delta"}}) {
    MemoryStore store;
    Ledger ledger(store, "ledger");
    ledger.append(each.entry);
    const auto findings = verify(ledger, task_, epsilon).findings;
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].find(each.word), std::string::npos) << findings[0];
  }
}

}  // namespace
}  // namespace muster::service

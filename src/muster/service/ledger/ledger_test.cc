// Writes a ledger with every kind of entry. Each changed, missing or swapped row must be noticed with its
// number, and each entry out of order refused.
#include "muster/service/ledger/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/store/memory_store_test.h"

namespace muster::service {
namespace {

TaskEntry task() { return {{1}, 2.5, 1e-5}; }
OpenEntry open(std::uint64_t round, std::uint64_t update) { return {round, update, {2}, {}, {3}, {4}, {5}}; }
ReleaseEntry release(std::uint64_t round, double epsilon) { return {round, epsilon, {6}, {7}}; }
SpentEntry spent(std::uint64_t round, double epsilon) { return {round, epsilon, SpentEntry::Why::key, {8}}; }

// Three rounds, one of each outcome, and the end.
std::vector<Entry> whole_task() {
  return {task(),
          open(1, 0),
          release(1, 0.5),
          open(2, 1),
          VoidEntry{2, {9}},
          open(3, 1),
          spent(3, 0.75),
          EndEntry{EndEntry::Why::stopped, 0.75}};
}

MemoryStore store_of(const std::vector<Entry>& entries) {
  MemoryStore store;
  Ledger ledger(store, "ledger");
  for (const Entry& entry : entries) ledger.append(entry);
  return store;
}

TEST(Ledger, CountsWhatItAppendsAndReadsItBack) {
  MemoryStore store = store_of(whole_task());
  const Ledger ledger(store, "ledger");
  EXPECT_EQ(ledger.entries(), whole_task());
  EXPECT_EQ(ledger.counts(), (Ledger::Counts{3, 1, 1, 1}));
  EXPECT_EQ(ledger.counts().charged(), 2u);
  EXPECT_EQ(ledger.epsilon(), 0.75);
  EXPECT_TRUE(ledger.ended());
  EXPECT_FALSE(ledger.open_round().has_value());
}

TEST(Ledger, KnowsTheRoundThatIsOpen) {
  MemoryStore store = store_of({task(), open(1, 0)});
  const Ledger ledger(store, "ledger");
  EXPECT_EQ(ledger.open_round(), open(1, 0));
  EXPECT_EQ(ledger.epsilon(), 0);
}

TEST(Ledger, ChangesBesideAnEntryAreMadeWithIt) {
  MemoryStore store = store_of({task(), open(1, 0)});
  Ledger ledger(store, "ledger");
  ledger.append(release(1, 0.5), {{}, {{"model", {1, 2, 3}}}, {}});
  EXPECT_EQ(store.blob("model"), (wire::Buffer{1, 2, 3}));
  store.fail_from_now_on();
  const wire::Hash head = ledger.head();
  EXPECT_ERROR(ErrorCode::file, ledger.append(open(2, 1), {{}, {{"model", {4}}}, {}}));
  EXPECT_EQ(ledger.head(), head);
  EXPECT_EQ(store.blob("model"), (wire::Buffer{1, 2, 3}));
  EXPECT_EQ(ledger.counts().opened, 1u);
}

TEST(Ledger, EntriesOutOfOrderAreADefect) {
  struct Case {
    std::vector<Entry> before;
    Entry entry;
  };
  const std::vector<Case> cases{
      {{}, open(1, 0)},
      {{}, EndEntry{}},
      {{task()}, task()},
      {{task()}, release(1, 0.5)},
      {{task()}, VoidEntry{1, {}}},
      {{task()}, open(2, 0)},
      {{task()}, open(0, 0)},
      {{task()}, open(1, 1)},
      {{task()}, EndEntry{EndEntry::Why::done, 0.5}},
      {{task(), open(1, 0)}, open(1, 0)},
      {{task(), open(1, 0)}, open(2, 0)},
      {{task(), open(1, 0)}, release(2, 0.5)},
      {{task(), open(1, 0)}, spent(2, 0.5)},
      {{task(), open(1, 0)}, EndEntry{}},
      {{task(), open(1, 0), release(1, 0.5)}, release(1, 0.5)},
      {{task(), open(1, 0), release(1, 0.5)}, open(1, 1)},
      {{task(), open(1, 0), release(1, 0.5)}, open(2, 0)},
      {{task(), open(1, 0), release(1, 0.5), open(2, 1)}, release(2, 0.4)},
      {{task(), open(1, 0), release(1, 0.5), open(2, 1)}, spent(2, 0.4)},
      {whole_task(), open(4, 1)},
      {whole_task(), EndEntry{EndEntry::Why::done, 0.75}},
  };
  for (const Case& each : cases) {
    MemoryStore store = store_of(each.before);
    Ledger ledger(store, "ledger");
    EXPECT_ERROR(ErrorCode::internal, ledger.append(each.entry))
        << each.before.size() << ' ' << name_of(each.entry);
    EXPECT_EQ(store.rows().size(), each.before.size());
  }
}

TEST(Ledger, AmountsThatAreNoneAreRefused) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  for (const double amount : {0.0, -0.0, -1.0, kNaN, kInfinity, -kInfinity, 1e-310}) {
    MemoryStore empty, opened = store_of({task(), open(1, 0)});
    Ledger first(empty, "ledger"), second(opened, "ledger");
    EXPECT_ERROR(ErrorCode::internal, first.append(TaskEntry{{1}, amount, 1e-5})) << amount;
    EXPECT_ERROR(ErrorCode::internal, first.append(TaskEntry{{1}, 1, amount})) << amount;
    EXPECT_ERROR(ErrorCode::internal, second.append(release(1, amount))) << amount;
    EXPECT_ERROR(ErrorCode::internal, second.append(spent(1, amount))) << amount;
  }
  MemoryStore empty;
  Ledger ledger(empty, "ledger");
  EXPECT_ERROR(ErrorCode::internal, ledger.append(TaskEntry{{1}, 1, 1}));
  EXPECT_NO_THROW(ledger.append(TaskEntry{{1}, 1, std::nextafter(1.0, 0.0)}));
}

void expect_refused(MemoryStore store, std::uint64_t number) {
  SCOPED_TRACE(number);
  const Error error = error_of([&] { const Ledger ledger(store, "ledger"); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.key(), "ledger");
  EXPECT_NE(std::string(error.what()).find("entry " + std::to_string(number) + ":"), std::string::npos)
      << error.what();
}

TEST(Ledger, EveryChangedByteIsNoticedAndItsEntryNamed) {
  MemoryStore whole = store_of(whole_task());
  for (std::size_t number = 0; number < whole.rows().size(); ++number) {
    for (std::size_t i = 0; i < whole.rows()[number].size(); ++i) {
      MemoryStore changed = whole;
      changed.stored_rows()[number][i] ^= static_cast<std::uint8_t>(1 << i % 8);
      expect_refused(changed, number);
    }
    MemoryStore shorter = whole, longer = whole, empty = whole;
    shorter.stored_rows()[number].pop_back();
    longer.stored_rows()[number].push_back(0);
    empty.stored_rows()[number].clear();
    expect_refused(shorter, number);
    expect_refused(longer, number);
    expect_refused(empty, number);
  }
}

TEST(Ledger, AMissingOrSwappedEntryIsNoticed) {
  MemoryStore whole = store_of(whole_task());
  const std::size_t count = whole.rows().size();
  for (std::size_t number = 0; number + 1 < count; ++number) {
    MemoryStore missing = whole, doubled = whole;
    missing.stored_rows().erase(missing.stored_rows().begin() + static_cast<std::ptrdiff_t>(number));
    expect_refused(missing, number);
    doubled.stored_rows().insert(doubled.stored_rows().begin() + static_cast<std::ptrdiff_t>(number),
                                 doubled.rows()[number]);
    expect_refused(doubled, number + 1);
    for (std::size_t other = number + 1; other < count; ++other) {
      MemoryStore swapped = whole;
      std::swap(swapped.stored_rows()[number], swapped.stored_rows()[other]);
      expect_refused(swapped, number);
    }
  }
}

TEST(Ledger, RemembersEveryHeadThatItHad) {
  MemoryStore store;
  Ledger ledger(store, "ledger");
  std::vector<wire::Hash> heads{ledger.head()};
  for (const Entry& entry : whole_task()) {
    ledger.append(entry);
    heads.push_back(ledger.head());
  }
  for (const wire::Hash& head : heads) EXPECT_TRUE(ledger.has_had(head));
  EXPECT_FALSE(ledger.has_had(wire::Hash{1}));
  // Yesterday's copy has not had today's heads.
  store.stored_rows().resize(3);
  const Ledger older(store, "ledger");
  EXPECT_TRUE(older.has_had(heads[3]));
  EXPECT_FALSE(older.has_had(heads[4]));
}

// A row with a valid hash can still hold values that no entry may hold. It is refused, because whoever writes
// the chain can compute the hash.
TEST(Ledger, HashesDoNotMakeNonsenseReadable) {
  const wire::Buffer row = row_of(release(1, 0.5), {}, 0);
  EXPECT_TRUE(read_row(row, {}, 0).has_value());
  EXPECT_FALSE(read_row(row, {}, 1).has_value());
  EXPECT_FALSE(read_row(row, wire::Hash{1}, 0).has_value());
  const std::function<Entry()> invalid[] = {
      [] { return Entry(release(1, 0)); },
      [] {
        return Entry(TaskEntry{{1}, 1, 2});
      },
      [] {
        return Entry(SpentEntry{1, 0.5, static_cast<SpentEntry::Why>(9), {}});
      },
      [] {
        return Entry(EndEntry{static_cast<EndEntry::Why>(9), 0});
      },
  };
  for (const auto& make : invalid) EXPECT_ERROR(ErrorCode::internal, row_of(make(), {}, 0));
}

}  // namespace
}  // namespace muster::service

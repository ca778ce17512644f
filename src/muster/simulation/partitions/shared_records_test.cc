// Tests shared records: a client always draws the same ones, and each record is held equally often by a chi-
// squared test.
#include "muster/simulation/partitions/shared_records.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/statistics.h"

namespace muster::simulation {
namespace {

using Kind = protocols::Partition::Kind;

constexpr double kAlpha = 1e-6;  // false-alarm rate of each statistical test; the seeds are fixed
constexpr std::size_t kLabels = 5;

const random::RunKey kKey = random::RunKey::from_seed(7);

std::vector<std::uint8_t> labels() {
  std::vector<std::uint8_t> labels;
  for (std::size_t i = 0; i < 40; ++i) labels.push_back(static_cast<std::uint8_t>(i % kLabels));
  return labels;
}

std::vector<protocols::Partition> partitions() {
  return {{}, {.kind = Kind::by_label, .pieces = 2}, {.kind = Kind::dirichlet, .alpha = 0.3}};
}

TEST(SharedRecords, AreAFunctionOfTheClient) {
  const auto all = labels();
  for (const protocols::Partition& partition : partitions()) {
    const SharedRecords shared(partition, 12, all, kLabels, kKey);
    std::vector<Record> first, again, other;
    shared.draw(3, first);
    shared.draw(4, other);
    shared.draw(3, again);
    EXPECT_EQ(first.size(), 12U);
    EXPECT_EQ(first, again) << partition.text();
    EXPECT_NE(first, other) << partition.text();
  }
}

// Every record is held equally often on average. The records of one client are not independent of each other,
// so the test counts only one record of each client.
TEST(SharedRecords, AreUniformOverClients) {
  constexpr std::uint64_t kClients = 20'000;
  const auto all = labels();
  for (const protocols::Partition& partition : partitions()) {
    const SharedRecords shared(partition, 12, all, kLabels, kKey);
    std::vector<std::uint64_t> held(all.size(), 0);
    std::vector<Record> records;
    for (std::uint64_t client = 0; client < kClients; ++client) {
      shared.draw(client, records);
      ++held[records[client % 12]];
    }
    const auto verdict = testing::chi_squared_test(
        held,
        std::vector<double>(all.size(), static_cast<double>(kClients) / static_cast<double>(all.size())),
        kAlpha);
    EXPECT_TRUE(verdict.pass) << partition.text() << ": " << verdict.summary;
  }
}

// A client has two pieces of five records. Each label has eight records, so a piece has at most two labels.
TEST(SharedRecords, ByLabelHaveFewLabels) {
  const auto all = labels();
  const SharedRecords shared({.kind = Kind::by_label, .pieces = 2}, 10, all, kLabels, kKey);
  std::vector<Record> records;
  std::size_t few = 0;
  for (std::uint64_t client = 0; client < 1000; ++client) {
    shared.draw(client, records);
    std::set<std::uint8_t> seen;
    for (const Record record : records) seen.insert(all[record]);
    EXPECT_LE(seen.size(), 4U);
    few += seen.size() <= 2 ? 1 : 0;
  }
  EXPECT_GT(few, 200U);
}

}  // namespace
}  // namespace muster::simulation

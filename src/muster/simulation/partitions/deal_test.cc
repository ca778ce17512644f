// Tests how records are dealt: each record goes to at most one client, by-label gives each client few labels,
// and dirichlet gives shares of labels with the spread of their law. The test for few labels must fail for
// records that are dealt without regard to labels.
#include "muster/simulation/partitions/deal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/statistics.h"

namespace muster::simulation {
namespace {

using Kind = protocols::Partition::Kind;

constexpr double kAlpha = 1e-6;  // false-alarm rate of each statistical test; the seeds are fixed
constexpr std::size_t kLabels = 10;

const random::RunKey kKey = random::RunKey::from_seed(7);

std::vector<protocols::Partition> partitions() {
  return {{},
          {.kind = Kind::by_label, .pieces = 2},
          {.kind = Kind::by_label, .pieces = 5},
          {.kind = Kind::dirichlet, .alpha = 0.3},
          {.kind = Kind::dirichlet, .alpha = 1e-6},
          {.kind = Kind::dirichlet, .alpha = 1e6}};
}

// Returns labels that are neither sorted nor equally frequent.
std::vector<std::uint8_t> labels(std::size_t count) {
  std::vector<std::uint8_t> labels;
  for (std::size_t i = 0; i < count; ++i)
    labels.push_back(static_cast<std::uint8_t>(i * i * 7 % 23 % kLabels));
  return labels;
}

std::size_t different_labels(std::span<const Record> records, const std::vector<std::uint8_t>& labels) {
  std::set<std::uint8_t> seen;
  for (const Record record : records) seen.insert(labels[record]);
  return seen.size();
}

TEST(Deal, GivesEachRecordToOneClientAtMost) {
  const auto all = labels(1200);
  for (const protocols::Partition& partition : partitions()) {
    for (const auto& [clients, each] :
         {std::pair<std::uint64_t, std::uint64_t>{100, 12}, {99, 12}, {17, 7}, {1, 1200}, {1200, 1}}) {
      const std::vector<Record> dealt = deal(partition, {clients, each, all, kLabels}, kKey);
      ASSERT_EQ(dealt.size(), clients * each) << partition.text();
      EXPECT_EQ(std::set<Record>(dealt.begin(), dealt.end()).size(), dealt.size()) << partition.text();
      EXPECT_LT(*std::ranges::max_element(dealt), all.size());
    }
  }
}

TEST(Deal, DependsOnTheKeyAndOnNothingElse) {
  const auto all = labels(600);
  for (const protocols::Partition& partition : partitions()) {
    const Deal question{50, 12, all, kLabels};
    EXPECT_EQ(deal(partition, question, kKey), deal(partition, question, kKey)) << partition.text();
    EXPECT_NE(deal(partition, question, kKey), deal(partition, question, random::RunKey::from_seed(8)))
        << partition.text();
  }
}

// Each of ten equal parts of the data set is expected to contribute 200 of the 2,000 dealt records.
TEST(Deal, ShuffledRecordsAreUniform) {
  const std::vector<std::uint8_t> all(10'000, 0);
  std::vector<std::uint64_t> parts(10, 0);
  const std::vector<Record> dealt = deal({}, {500, 4, all, 1}, kKey);
  for (const Record record : dealt) ++parts[record / 1000];
  const auto verdict = testing::chi_squared_test(parts, std::vector<double>(10, 200), kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

// Each client has at most K labels, unless a piece of its records contains one of the nine borders between
// labels.
TEST(Deal, ByLabelGivesEachClientFewLabels) {
  const auto all = labels(6000);
  for (const std::uint64_t pieces : {1, 2, 3}) {
    const std::vector<Record> dealt = deal_by_label(pieces, {500, 12, all, kLabels}, kKey);
    std::size_t more = 0, labels_of_clients = 0;
    for (std::size_t client = 0; client < 500; ++client) {
      const std::size_t held = different_labels(std::span(dealt).subspan(client * 12, 12), all);
      more += held > pieces ? 1 : 0;
      labels_of_clients += held;
    }
    EXPECT_LE(more, kLabels - 1) << pieces;
    EXPECT_GT(labels_of_clients, 500 * pieces * 3 / 4);  // two pieces sometimes have the same label
  }
  // If records are dealt without regard to labels, nearly every client has more than three labels.
  const std::vector<Record> shuffled = deal_shuffled({500, 12, all, kLabels}, kKey);
  std::size_t more = 0;
  for (std::size_t client = 0; client < 500; ++client) {
    more += different_labels(std::span(shuffled).subspan(client * 12, 12), all) > 3 ? 1 : 0;
  }
  EXPECT_GT(more, 450U);
}

// The mean square of the fraction of a client's records that have one label, here 4, agrees with the
// Dirichlet law. If the client has m records and its share of the label is q, then the number of records
// with the label satisfies E (count / m)^2 = E q / m + (1 - 1/m) E q^2, where E q = 1/10 and, with ten
// labels, the variance of q is 9 / (100 (10 alpha + 1)). Only a tenth of the records is dealt, so that no
// label runs out.
TEST(Deal, DirichletSharesHaveTheirSpread) {
  constexpr std::size_t kRecords = 200'000, kClients = 2000, kEach = 10;
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < kRecords; ++i) all.push_back(static_cast<std::uint8_t>(i % kLabels));
  for (const double alpha : {0.1, 1.0, 100.0}) {
    const std::vector<Record> dealt = deal_dirichlet(alpha, {kClients, kEach, all, kLabels}, kKey);
    double square = 0;
    for (std::size_t client = 0; client < kClients; ++client) {
      const auto held = std::span(dealt).subspan(client * kEach, kEach);
      const auto fours = std::ranges::count_if(held, [&](Record record) { return all[record] == 4; });
      square += static_cast<double>(fours * fours) / (kEach * kEach) / kClients;
    }
    const double second = 0.01 + 9.0 / (100 * (10 * alpha + 1));
    const double expected = 0.1 / kEach + (1 - 1.0 / kEach) * second;
    // A squared fraction lies in [0, 1], so its variance is at most its mean.
    const auto verdict = testing::mean_test(square, expected, std::sqrt(expected), kClients, kAlpha);
    EXPECT_TRUE(verdict.pass) << alpha << ": " << verdict.summary;
  }
}

// If there are as many records as the clients take, every record is dealt although every label runs out.
TEST(Deal, DirichletDealsLabelsThatRunOutInFull) {
  const auto all = labels(1200);
  const std::vector<Record> dealt = deal_dirichlet(0.1, {100, 12, all, kLabels}, kKey);
  std::vector<Record> sorted(dealt);
  std::ranges::sort(sorted);
  for (Record record = 0; record < 1200; ++record) ASSERT_EQ(sorted[record], record);
}

}  // namespace
}  // namespace muster::simulation

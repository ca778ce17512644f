#include "muster/simulation/population.h"

#include <fmt/format.h>
#include <hwy/cache_control.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "muster/core/error.h"
#include "muster/simulation/partitions/deal.h"

namespace muster::simulation {

Holdings holdings_of(const protocols::Plan& plan) {
  return {plan.clients(), plan.records(), plan.partition(), plan.share(), !plan.owner().empty()};
}

std::uint64_t held_records(const Holdings& holdings) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return holdings.each > kMax / holdings.clients ? kMax : holdings.clients * holdings.each;
}

void expect_enough_records(const Holdings& holdings, std::uint64_t records) {
  if (holdings.by_owner || held_records(holdings) <= records || holdings.share) return;
  const std::string either = "or population.share = true, which lets several clients hold the same record";
  if (holdings.each > records) {
    throw Error(ErrorCode::plan, Reason::contradiction, "population.records",
                fmt::format("{}", holdings.each), fmt::format("integer 1..{}, {}", records, either),
                fmt::format("is more than the {} training records of population.data, for each of "
                            "population.clients = {}",
                            records, holdings.clients));
  }
  throw Error(ErrorCode::plan, Reason::contradiction, "population.clients",
              fmt::format("{}", holdings.clients),
              fmt::format("integer 1..{}, {}", records / holdings.each, either),
              fmt::format("with population.records = {} each needs more than the {} training records of "
                          "population.data",
                          holdings.each, records));
}

void expect_enough_clients(const Holdings& holdings, const learning::Dataset& data) {
  if (!holdings.by_owner || data.owners.empty()) return;
  const std::uint64_t owners = std::uint64_t{*std::ranges::max_element(data.owners)} + 1;
  if (holdings.clients >= owners) return;
  throw Error(
      ErrorCode::plan, Reason::contradiction, "population.clients", fmt::format("{}", holdings.clients),
      fmt::format("integer >= {}", owners),
      fmt::format("is less than the {} owners that population.data names in its training records", owners));
}

double clients_per_record(const Holdings& holdings, std::uint64_t records) {
  return holdings.by_owner || held_records(holdings) <= records
             ? 1
             : static_cast<double>(holdings.clients) * static_cast<double>(holdings.each) /
                   static_cast<double>(records);
}

Population::Population(const Holdings& holdings, const learning::Dataset& data, const random::RunKey& key)
    : holdings_(holdings), data_(&data) {
  if (data.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one training example",
                "has no training examples");
  }
  expect_enough_records(holdings, data.size());
  expect_enough_clients(holdings, data);
  if (holdings.by_owner) {
    give_to_owners();
  } else if (held_records(holdings) > data.size()) {
    shared_.emplace(holdings.partition.value_or(protocols::Partition{}), holdings.each, data.labels,
                    data.classes, key);
  } else if (holdings.partition) {
    dealt_ = deal(*holdings.partition, {holdings.clients, holdings.each, data.labels, data.classes}, key);
  }
}

// Sorts the records by owner with a counting sort, which keeps each owner's records in the data set's order.
void Population::give_to_owners() {
  const std::vector<std::uint32_t>& owners = data_->owners;
  if (owners.size() != data_->size()) {
    throw Error(ErrorCode::internal, "population.records", "", "", "an owner of each record is not known");
  }
  begins_.assign(std::size_t{*std::ranges::max_element(owners)} + 2, 0);
  for (const std::uint32_t owner : owners) ++begins_[owner + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::vector<std::size_t> next(begins_);
  dealt_.resize(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) dealt_[next[owners[i]]++] = static_cast<Record>(i);
}

std::span<const Record> Population::records(std::uint64_t client, std::vector<Record>& room) const {
  if (holdings_.by_owner) {
    if (client + 1 >= begins_.size()) return {};
    const std::size_t begin = begins_[static_cast<std::size_t>(client)];
    return std::span(dealt_).subspan(begin, begins_[static_cast<std::size_t>(client) + 1] - begin);
  }
  if (!dealt_.empty()) {
    return std::span(dealt_).subspan(static_cast<std::size_t>(client * holdings_.each),
                                     static_cast<std::size_t>(holdings_.each));
  }
  if (shared_) {
    shared_->draw(client, room);
  } else {
    room.assign(1, static_cast<Record>(client));
  }
  return room;
}

void Population::fetch(Record record) const {
  constexpr std::size_t kCacheLine = 64;
  const auto fetch_part = [&](const auto& values) {
    const std::size_t bytes = data_->shape.size() * sizeof(values[0]);
    const auto* begin = reinterpret_cast<const char*>(values.data()) + record * bytes;
    for (std::size_t at = 0; at < bytes; at += kCacheLine) hwy::Prefetch(begin + at);
  };
  if (data_->values.empty()) {
    fetch_part(data_->bytes);
  } else {
    fetch_part(data_->values);
  }
}

}  // namespace muster::simulation

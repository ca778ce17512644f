#include "muster/simulation/population.h"

#include <fmt/format.h>
#include <hwy/cache_control.h>

#include "muster/core/error.h"
#include "muster/random/samplers.h"

namespace muster::simulation {

Holdings holdings_of(const protocols::Plan& plan) { return {plan.clients(), plan.share()}; }

Population::Population(const Holdings& holdings, const learning::Dataset& data, const random::RunKey& key)
    : clients_(holdings.clients), data_(&data), key_(key) {
  if (data.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one training example",
                "has no training examples");
  }
  expect_enough_records(holdings, data.size());
}

void expect_enough_records(const Holdings& holdings, std::uint64_t records) {
  if (holdings.clients <= records || holdings.share) return;
  throw Error(ErrorCode::plan, "population.clients", fmt::format("{}", holdings.clients),
              fmt::format("integer 1..{}, or more with population.share = true", records),
              fmt::format("is more than the {} training records of population.data: clients hold records of "
                          "their own unless population.share lets several hold the same one",
                          records));
}

double clients_per_record(std::uint64_t clients, std::uint64_t records) {
  return clients <= records ? 1 : static_cast<double>(clients) / static_cast<double>(records);
}

std::uint64_t Population::example_index(std::uint64_t client) const {
  if (clients_ <= data_->size()) {
    return client;
  }
  random::KeyedStream draw(key_, {random::Purpose::bootstrap, 0, client});
  return random::uniform_below(draw, data_->size());
}

void Population::fetch(std::uint64_t index) const {
  constexpr std::size_t kCacheLine = 64;
  const auto fetch_part = [&](const auto& values) {
    const std::size_t bytes = inputs() * sizeof(values[0]);
    const auto* begin = reinterpret_cast<const char*>(values.data()) + index * bytes;
    for (std::size_t at = 0; at < bytes; at += kCacheLine) hwy::Prefetch(begin + at);
  };
  if (data_->values.empty()) {
    fetch_part(data_->bytes);
  } else {
    fetch_part(data_->values);
  }
}

}  // namespace muster::simulation

#include "muster/simulation/population.h"

#include <hwy/cache_control.h>

#include "muster/core/error.h"
#include "muster/random/samplers.h"

namespace muster::simulation {

Population::Population(std::uint64_t clients, const learning::Dataset& data, const random::RunKey& key)
    : clients_(clients), data_(&data), key_(key) {
  if (data.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one training example",
                "has no training examples");
  }
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

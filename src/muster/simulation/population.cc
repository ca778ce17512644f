#include "muster/simulation/population.h"

#include "muster/core/error.h"
#include "muster/random/samplers.h"

namespace muster::simulation {

Population::Population(std::uint64_t clients, const learning::Dataset& data, const random::RunKey& key)
    : clients_(clients), data_(&data), key_(key) {
  if (data.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one training example",
                "no training examples");
  }
}

std::uint64_t Population::example_index(std::uint64_t client) const {
  if (clients_ <= data_->size()) {
    return client;
  }
  random::KeyedStream draw(key_, {random::Purpose::bootstrap, 0, client});
  return random::uniform_below(draw, data_->size());
}

}  // namespace muster::simulation

#include "muster/simulation/client_accuracy.h"

#include <algorithm>
#include <numeric>

namespace muster::simulation {

ClientAccuracy::ClientAccuracy(const Population& population, std::uint64_t most_clients) {
  std::vector<Record> room;
  for (std::uint64_t client = 0; client < std::min(population.clients(), most_clients); ++client) {
    for (const Record record : population.records(client, room)) {
      labels_.push_back(population.data().labels[record]);
    }
    ends_.push_back(labels_.size());
  }
}

std::optional<AccuracyByClient> ClientAccuracy::of(std::span<const LabelScore> scores) const {
  std::vector<double> clients;
  std::size_t at = 0;
  for (const std::size_t end : ends_) {
    double sum = 0, records = 0;
    for (; at < end; ++at) {
      const LabelScore& score = scores[labels_[at]];
      if (score.examples == 0) continue;
      sum += static_cast<double>(score.right) / static_cast<double>(score.examples);
      ++records;
    }
    if (records > 0) clients.push_back(sum / records);
  }
  if (clients.empty()) return std::nullopt;
  const auto mean = [](std::span<const double> values) {
    return std::min(1.0,
                    std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
  };
  std::ranges::sort(clients);
  return AccuracyByClient{mean(clients), mean(std::span(clients).first((clients.size() + 9) / 10))};
}

}  // namespace muster::simulation

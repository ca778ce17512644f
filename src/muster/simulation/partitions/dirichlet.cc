// Implements the partition dirichlet:ALPHA, which deal.h describes.
#include <numeric>

#include "muster/protocols/shuffle.h"
#include "muster/simulation/partitions/deal.h"
#include "muster/simulation/partitions/label_shares.h"

namespace muster::simulation {

std::vector<Record> deal_dirichlet(double alpha, const Deal& deal, const random::RunKey& key) {
  const Deal all{deal.labels.size(), 1, deal.labels, deal.classes};
  const LabelledRecords sorted = sorted_by_label(deal_shuffled(all, key), deal.labels, deal.classes);
  std::vector<std::size_t> next(sorted.begins.begin(), sorted.begins.end() - 1);
  std::vector<bool> present(deal.classes);
  for (std::size_t label = 0; label < deal.classes; ++label) present[label] = !sorted.of(label).empty();
  std::vector<Record> dealt;
  dealt.reserve(deal.dealt());
  for (std::uint64_t client = 0; client < deal.clients; ++client) {
    random::KeyedStream bits(key, {random::Purpose::partition, 1, client});
    const std::vector<double> shares = draw_log_shares(alpha, deal.classes, bits);
    for (std::uint64_t i = 0; i < deal.each; ++i) {
      const std::size_t label = draw_label(shares, present, bits);
      dealt.push_back(sorted.records[next[label]++]);
      present[label] = next[label] < sorted.begins[label + 1];
    }
  }
  return dealt;
}

}  // namespace muster::simulation

#include "muster/simulation/partitions/deal.h"

#include <numeric>

#include "muster/protocols/shuffle.h"

namespace muster::simulation {

std::vector<Record> deal(const protocols::Partition& partition, const Deal& deal, const random::RunKey& key) {
  switch (partition.kind) {
    case protocols::Partition::Kind::by_label:
      return deal_by_label(partition.pieces, deal, key);
    case protocols::Partition::Kind::dirichlet:
      return deal_dirichlet(partition.alpha, deal, key);
    default:
      return deal_shuffled(deal, key);
  }
}

std::vector<Record> deal_shuffled(const Deal& deal, const random::RunKey& key) {
  std::vector<Record> records(deal.labels.size());
  std::iota(records.begin(), records.end(), Record{0});
  random::KeyedStream bits(key, {random::Purpose::partition, 0, 0});
  protocols::shuffle(std::span(records), bits);
  records.resize(deal.dealt());
  return records;
}

}  // namespace muster::simulation

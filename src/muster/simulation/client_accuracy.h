// How the accuracy of the reported model differs between clients that hold different labels.
//
// The test set belongs to nobody. A client's accuracy is that on test examples whose labels are distributed as
// those of its records: the mean over its records of the share of right predictions among the test examples of
// the record's label. A label without test examples is left out, and so is a client that has no other. The mean is
// over clients, and the worst decile is the mean over the tenth of the clients whose accuracy is lowest (Li, Sanjabi,
// Beirami and Smith, ICLR 2020, section 4, call it "worst 10%"). Of more than kMeasuredClients clients, these are
// the first.
//
// Both numbers depend on the labels that clients hold, and no epsilon covers them: they are for those who run the
// simulation, and a deployment must not publish them (docs/training.md). Immutable; may be shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "muster/simulation/population.h"

namespace muster::simulation {

inline constexpr std::uint64_t kMeasuredClients = 100'000;

struct AccuracyByClient {
  double mean = 0;          // in [0, 1], as the other
  double worst_decile = 0;  // of the lowest tenth of the clients, at least one
  bool operator==(const AccuracyByClient&) const = default;
};

// The test examples of one label, and how many of them are predicted rightly.
struct LabelScore {
  std::uint64_t examples = 0;
  std::uint64_t right = 0;
};

class ClientAccuracy {
 public:
  explicit ClientAccuracy(const Population& population, std::uint64_t most_clients = kMeasuredClients);
  // `scores` has an element for each label. Nothing if no client has a label with test examples.
  std::optional<AccuracyByClient> of(std::span<const LabelScore> scores) const;

 private:
  std::vector<std::uint8_t> labels_;  // of the clients' records, client by client
  std::vector<std::size_t> ends_;     // labels of client i end before ends_[i]
};

}  // namespace muster::simulation

// Measures how the accuracy of the reported model differs between clients that hold different labels.
//
// The test set belongs to no client. A client's accuracy is the accuracy on test examples whose labels have
// the same distribution as the labels of its records. For each record, it is the fraction of correct
// predictions among the test examples with the record's label; for a client, the mean over its records.
// Records whose label has no test examples are ignored, and so are clients without any other record. The
// results are the mean over clients and the worst decile, which is the mean over the tenth of the clients
// with the lowest accuracy ("worst 10%" in Li, Sanjabi, Beirami and Smith, ICLR 2020, section 4). If there
// are more than kMeasuredClients clients, only the first kMeasuredClients are measured.
//
// Both numbers depend on the labels that clients hold, and no epsilon covers them. They are for the person
// who runs the simulation; a deployment must not publish them (docs/training.md). A ClientAccuracy is
// immutable and may be shared by threads.
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
  double mean = 0;          // the mean over the clients, in [0, 1]
  double worst_decile = 0;  // the mean over the worst tenth, whose number of clients is rounded up
  bool operator==(const AccuracyByClient&) const = default;
};

// The numbers of test examples of one label and of correct predictions among them.
struct LabelScore {
  std::uint64_t examples = 0;
  std::uint64_t right = 0;
};

class ClientAccuracy {
 public:
  explicit ClientAccuracy(const Population& population, std::uint64_t most_clients = kMeasuredClients);
  // `scores` has one element for each label. Returns nullopt if no client has a record whose label has test
  // examples.
  std::optional<AccuracyByClient> of(std::span<const LabelScore> scores) const;

 private:
  std::vector<std::uint8_t> labels_;  // the labels of the clients' records, client by client
  std::vector<std::size_t> ends_;     // the labels of client i end before index ends_[i] of labels_
};

}  // namespace muster::simulation

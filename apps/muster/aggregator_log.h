// What the aggregator says while it runs: a line for every round that ended, and why it waits.
//
// Lines are about rounds that end while this process runs. Reasons to wait that change all the time, such as
// a number of tokens, are said every few seconds at most. Call from the main thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "muster/service/aggregator/accuracy.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/store/store.h"
#include "muster/service/task/task_document.h"

namespace muster::app {

class AggregatorLog {
 public:
  // All must outlive the log. Accuracies are kept in the store. One that is missing because the process
  // ended before it was measured is measured now, if the model has not changed since.
  AggregatorLog(const service::TaskDocument& task, const service::AggregatorRole& role,
                const service::Learner& learner, service::Store& store);

  // Call this after every step.
  void look(const service::Progress& progress);
  // Returns the accuracies measured so far: after every rounds.log_every charged rounds, as in training, and
  // after the last.
  const service::Accuracies& accuracies() const { return accuracies_; }

 private:
  // Returns whether the accuracy is measured after this number of charged rounds.
  bool is_measured(std::uint64_t charged) const;
  double measure(std::uint64_t round);
  // Says what became of the round that entry number `i` of the ledger ended, if it ended one.
  void say_outcome(std::size_t i);
  std::string manifest_text(const service::SignedManifest& bytes) const;
  void say_waiting(const service::Progress& progress);

  const service::TaskDocument& task_;
  const service::AggregatorRole& role_;
  const service::Learner& learner_;
  service::Store& store_;
  std::size_t said_;  // how many entries of the ledger have been logged, or were there at the start
  service::Accuracies accuracies_;
  std::string reason_, alarm_;
  std::optional<service::Progress::State> state_;
  std::chrono::steady_clock::time_point said_at_;
};

}  // namespace muster::app

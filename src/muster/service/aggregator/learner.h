// The learning of a task, as far as the aggregator does it: it adds up the messages of a round, takes the
// server's step, and measures the model on the public test set.
//
// A round's messages are validated by their format (wire/payload.h), added as integers by
// protocols::Aggregator and decoded once, so the model does not depend on their order, and has the bits that
// `muster train` gets from the same messages. A round without a valid message counts as a round, and leaves
// the model as it is. A step after which the model would not be finite is not taken, and the task ends. (A
// simulation reports that as an error. Here the round was charged already, and the model before it is worth
// keeping.)
//
// A learner belongs to one thread, and divides the work of a round among threads of its own.
//
// Example:
//     const simulation::Prepared parts = server_parts(task);
//     Learner learner(task.plan(), parts, threads);
//     const ReportCounts counts = learner.receive(reports, open);
//     const LearnedModel next = learner.next(charged + 1);
//     ... encode(next), and the hash of model_blob(next.state), are written ...
//     learner.adopt(next);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/service/aggregator/learned_model.h"
#include "muster/service/task/task_document.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/server_update.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/worker_team.h"
#include "muster/wire/bytes.h"
#include "muster/wire/payload.h"

namespace muster::service {

// Makes the parts of the plan's training that a server has: the model, the randomizer and the test set of
// population.data. Its training part is left empty: it is not drawn for digits, and not used where it stands
// in a file. For features+linear the frozen network is trained here, on the public data. Throws Error(data)
// for a test set that does not fit the task's records, and what simulation::load_test_data() and assemble()
// throw.
simulation::Prepared server_parts(const TaskDocument& task);

// The reports of a round by what they turned out to be.
struct ReportCounts {
  std::uint64_t valid = 0;
  std::uint64_t sealed = 0;                                    // that do not open
  std::uint64_t length = 0, sign = 0, range = 0, padding = 0;  // by wire::PayloadFault
  bool operator==(const ReportCounts&) const = default;
};

class Learner {
 public:
  // `parts` are those of `plan`. Both must outlive the learner.
  Learner(const protocols::Plan& plan, const simulation::Prepared& parts, unsigned threads);
  ~Learner();

  std::size_t payload() const { return format_.size(); }  // bytes of a report's payload
  std::size_t dimension() const { return model_.state.parameters.size(); }
  const LearnedModel& model() const { return model_; }

  // Writes the payload of a report, or returns false if it does not open. It is called from several threads.
  using Open = std::function<bool(std::uint64_t report, std::span<std::uint8_t> payload)>;
  // Forgets what was received before, and adds the valid ones of reports 0 .. reports-1.
  ReportCounts receive(std::uint64_t reports, const Open& open);
  // Returns the model after a step with what was received last. `round` is the number of this round among
  // those charged.
  LearnedModel next(std::uint64_t round) const;
  // Continues from a model of next() or decode_learned(). Throws Error(internal) for another dimension.
  void adopt(LearnedModel model);

  // The bytes that devices download (model/model_blob.h): the parameters, and the frozen network, which is
  // empty where the model has none.
  static wire::Buffer model_blob(const simulation::ModelState& state);
  const wire::Buffer& frozen_blob() const { return frozen_; }

  // How good the reported model is on the test set.
  simulation::TestScore score() const;
  // The reported model as `muster train` stores it, with the guarantee of `rounds` rounds.
  simulation::StoredModel stored(std::uint64_t rounds, double epsilon) const;

 private:
  struct Worker;

  void work(Worker& worker, std::uint64_t reports, const Open& open) const;

  const protocols::Plan& plan_;
  const simulation::TrainingParts& parts_;
  simulation::UpdateRule rule_;
  wire::PayloadFormat format_;
  LearnedModel model_;
  wire::Buffer frozen_;
  mutable simulation::WorkerTeam team_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<simulation::Evaluator> evaluator_;
};

}  // namespace muster::service

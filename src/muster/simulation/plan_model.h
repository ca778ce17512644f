// Computes what a plan's clients compute, outside of any round: the vectors of any clients at any parameters.
// Also gives the initial parameters and the learning rate of each step, and scores parameters on the test
// set.
//
// A program that sends these vectors through a PopulationRun, and subtracts the learning rate times the mean,
// obtains the parameters of train() bit for bit, unless the plan has averaging, momentum, weight decay, a
// projection or a statistic, whose updates (server_update.h) are not such a subtraction alone.
//
// Example:
//     PlanModel model(plan, threads);
//     std::vector<float> rows(clients.size() * model.dimension());
//     model.vectors(model.initial(), clients, 0, rows);
//
// The data set is loaded once, by the constructor. A PlanModel belongs to one thread at a time, and starts
// workers of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/aligned.h"
#include "muster/simulation/client_update.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/model_task.h"
#include "muster/simulation/population.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class PlanModel {
 public:
  // `plan` must have been validated for training. Throws what load_data() and make_model_task() throw.
  PlanModel(const protocols::Plan& plan, unsigned threads);
  ~PlanModel();

  const protocols::Plan& plan() const { return plan_; }
  unsigned threads() const { return team_.size(); }
  std::size_t dimension() const { return task_.function->dimension(); }
  // The server's parameters before the first step.
  std::span<const float> initial() const { return task_.initial; }
  // The number of steps of the whole run (PopulationRun::steps).
  std::uint64_t steps() const { return plan_.updates() / rounds_a_step_; }
  // The learning rate of a step, counted from 0. Throws Error(plan) for a statistic, which has none, and for
  // a step beyond the last.
  double learning_rate(std::uint64_t step) const;

  // Overwrites `rows`, clients.size() * dimension() floats, with the vectors of the clients, one after the
  // other and not clipped. `step`, counted from 0, selects the random batches of local steps; other vectors
  // do not depend on it. Throws Error(plan) for a client that the plan does not have, for a step beyond the
  // last, and for random batches in a plan whose steps have several slots; Error(usage) if the step is
  // missing but matters; and Error(interrupted) if it is interrupted.
  void vectors(std::span<const float> parameters, std::span<const std::uint64_t> clients,
               std::optional<std::uint64_t> step, std::span<float> rows, const Interrupt& interrupt = {});

  // Scores parameters on the test set.
  TestScore score(std::span<const float> parameters);

 private:
  struct Worker;

  void expect_client(std::uint64_t client) const;
  void expect_step(std::uint64_t step) const;
  std::uint64_t round_of(std::optional<std::uint64_t> step) const;
  void compute(Worker& worker, std::span<const float> parameters, std::uint64_t client, std::uint64_t round,
               std::span<float> row);

  protocols::Plan plan_;
  random::RunKey key_;
  learning::DataSplit data_;
  ModelTask task_;
  Population population_;
  ClientUpdate update_;
  std::uint64_t rounds_a_step_;
  bool draws_batches_;  // whether local steps may take random batches
  WorkerTeam team_;
  std::vector<std::unique_ptr<Worker>> workers_;
  randomizers::AlignedVector<float> parameters_;  // a copy that starts on a cache line
  std::unique_ptr<Evaluator> evaluator_;          // made when first needed
};

}  // namespace muster::simulation

#include "muster/simulation/plan_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/core/error.h"
#include "muster/protocols/roll_call.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/sender_turns.h"

namespace muster::simulation {

struct PlanModel::Worker {
  std::unique_ptr<learning::Workspace> workspace;
  std::vector<Record> records;               // the records of one client
  randomizers::AlignedVector<float> vector;  // the vector of one client
};

PlanModel::PlanModel(const protocols::Plan& plan, unsigned threads)
    : plan_(plan),
      key_(random::RunKey::from_seed(plan_.seed())),
      data_(load_data(plan_)),
      task_(make_model_task(plan_, data_)),
      population_(holdings_of(plan_), task_.inputs(data_).train, key_),
      update_(*task_.function, population_.data(), local_sgd_of(plan_)),
      rounds_a_step_(protocols::make_roll_call(plan_, key_)->rounds_a_step()),
      draws_batches_(plan_.local_steps() > 0 && plan_.local_batch().has_value()),
      team_(threads) {
  for (unsigned worker = 0; worker < team_.size(); ++worker) {
    workers_.push_back(std::make_unique<Worker>(
        Worker{update_.make_workspace(), {}, randomizers::AlignedVector<float>(dimension())}));
  }
}

PlanModel::~PlanModel() = default;

double PlanModel::learning_rate(std::uint64_t step) const {
  expect_step(step);
  if (!plan_.learning_rate()) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "model.kind", name_of(plan_.model()),
                "cnn | logistic | mlp | features+linear",
                "has no learning rate: its estimate is the mean of the rounds' means");
  }
  return plan_.learning_rate()->at((step + 1) * rounds_a_step_);
}

void PlanModel::expect_step(std::uint64_t step) const {
  if (step < steps()) return;
  throw Error(ErrorCode::plan, Reason::out_of_range, "step", fmt::format("{}", step),
              fmt::format("integer 0..{}", steps() - 1), "is no step of the plan");
}

void PlanModel::expect_client(std::uint64_t client) const {
  if (client < population_.clients()) return;
  throw Error(ErrorCode::plan, Reason::out_of_range, "clients", fmt::format("{}", client),
              fmt::format("integer 0..{}", population_.clients() - 1), "is no client of the plan");
}

// Returns the round from which the random batches of a step come, or 0 if no batches are random.
std::uint64_t PlanModel::round_of(std::optional<std::uint64_t> step) const {
  if (step) expect_step(*step);
  if (!draws_batches_) return 0;
  if (!step) {
    throw Error(ErrorCode::usage, Reason::missing, "step", "", fmt::format("integer 0..{}", steps() - 1),
                "is missing: with rounds.local_batch, a client's batches are drawn anew in every step");
  }
  if (rounds_a_step_ > 1) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "rounds.local_batch",
                fmt::format("{}", *plan_.local_batch()), "a plan without rounds.batch",
                "needs the slot in which a client checked in, and a step has several slots");
  }
  return *step + 1;
}

void PlanModel::vectors(std::span<const float> parameters, std::span<const std::uint64_t> clients,
                        std::optional<std::uint64_t> step, std::span<float> rows,
                        const Interrupt& interrupt) {
  const std::uint64_t round = round_of(step);
  for (const std::uint64_t client : clients) expect_client(client);
  const bool few = clients.size() <= kFewSenders;
  if (!few) {
    parameters_.assign(parameters.begin(), parameters.end());
    parameters = parameters_;
  }
  const auto start = [&](unsigned worker) {
    if (!few) update_.prepare(parameters, *workers_[worker]->workspace);
  };
  handle_in_turns(team_, clients.size(), interrupt, start,
                  [&](unsigned worker, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      compute(*workers_[worker], parameters, clients[i], round,
                              rows.subspan(i * dimension(), dimension()));
                    }
                  });
}

void PlanModel::compute(Worker& worker, std::span<const float> parameters, std::uint64_t client,
                        std::uint64_t round, std::span<float> row) {
  const std::span<const Record> records = population_.records(client, worker.records);
  if (update_.draws(records.size())) {
    random::KeyedStream batches(key_, {random::Purpose::local_batches, round, client});
    update_.evaluate(parameters, records, &batches, *worker.workspace, worker.vector);
  } else {
    update_.evaluate(parameters, records, nullptr, *worker.workspace, worker.vector);
  }
  std::ranges::copy(worker.vector, row.begin());
}

TestScore PlanModel::score(std::span<const float> parameters) {
  if (evaluator_ == nullptr) evaluator_ = task_.make_evaluator(task_.inputs(data_).test, team_);
  return evaluator_->score(parameters);
}

}  // namespace muster::simulation

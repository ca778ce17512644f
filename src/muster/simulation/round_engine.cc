#include "muster/simulation/round_engine.h"

#include <algorithm>
#include <array>

#include "muster/core/error.h"
#include "muster/randomizers/aligned.h"
#include "muster/simulation/sender_turns.h"

namespace muster::simulation {
namespace {

// A worker takes at most this many senders at a time: as many messages as one pass over the sum adds.
constexpr std::size_t kMaxTaken = MessageMaker::kPass;

}  // namespace

struct RoundEngine::WorkerState {
  WorkerState(const ClientUpdate& update, std::size_t dimension, bool sums_only)
      : workspace(update.make_workspace()) {
    for (std::size_t i = 0; i < (sums_only ? vectors.size() : 1); ++i) vectors[i].resize(dimension);
  }

  std::unique_ptr<learning::Workspace> workspace;
  std::array<std::vector<Record>, kMaxTaken> records;  // each client's records
  // The vectors that clients compute. The sum fidelity uses one of them for each client of a pass. The
  // message fidelity uses only the first, for one client after the other.
  std::array<randomizers::AlignedVector<float>, kMaxTaken> vectors;
};

RoundEngine::RoundEngine(const learning::ClientFunction& function,
                         const randomizers::VectorRandomizer& randomizer, protocols::RollCall& roll_call,
                         const Population& population, const random::RunKey& key, WorkerTeam& team,
                         Ranks& ranks, const randomizers::SumSampler* sum, const Interrupt& interrupt,
                         const LocalSgd& local)
    : update_(function, population.data(), local),
      population_(population),
      key_(key),
      team_(team),
      sums_only_(sum != nullptr),
      interrupt_(interrupt),
      step_(randomizer, sum, roll_call, population.clients(), key, team, ranks, interrupt) {
  if (function.dimension() != randomizer.dimension()) {
    throw Error(ErrorCode::internal, "", "", "", "the randomizer's dimension is not the model's");
  }
  for (unsigned worker = 0; worker < team.size(); ++worker) {
    workers_.push_back(std::make_unique<WorkerState>(update_, randomizer.dimension(), sums_only_));
  }
}

RoundEngine::~RoundEngine() = default;

Step RoundEngine::run(std::uint64_t first_round, std::span<const float> parameters,
                      std::span<float> estimate) {
  std::exception_ptr failure;
  bool abandoned = false;
  try {
    step_.open(first_round);
    handle_all(parameters);
  } catch (const Error& error) {
    abandoned = error.code() == ErrorCode::interrupted;
    failure = abandoned ? nullptr : std::current_exception();
  } catch (...) {
    failure = std::current_exception();
  }
  return step_.close(abandoned, failure, estimate);
}

void RoundEngine::handle_all(std::span<const float> parameters) {
  // Copying and preparing the parameters saves time only if there are more than a few senders.
  const bool few = step_.senders().size() <= kFewSenders;
  if (!few) {
    parameters_.assign(parameters.begin(), parameters.end());
    parameters = parameters_;
  }
  const auto start = [&](unsigned worker) {
    if (!few) update_.prepare(parameters, *workers_[worker]->workspace);
  };
  handle_in_turns(
      team_, step_.senders().size(), interrupt_, start,
      [&](unsigned worker, std::size_t first, std::size_t last) { handle(worker, parameters, first, last); });
}

void RoundEngine::handle(unsigned index, std::span<const float> parameters, std::size_t first,
                         std::size_t last) {
  WorkerState& worker = *workers_[index];
  MessageMaker& maker = step_.maker(index);
  maker.begin();
  const std::span<const protocols::Sender> senders = step_.senders();
  std::array<std::span<const Record>, kMaxTaken> held;  // indexed by place - first
  for (std::size_t place = first; place < last; ++place) {
    if (senders[place].dummy) continue;
    std::span<const Record>& records = held[place - first];
    records = population_.records(senders[place].client, worker.records[place - first]);
    if (!records.empty()) population_.fetch(records.front());
  }
  for (std::size_t place = first; place < last; ++place) {
    const protocols::Sender& sender = senders[place];
    if (sender.dummy) {
      maker.make_dummy(sender);
      continue;
    }
    randomizers::AlignedVector<float>& vector = worker.vectors[sums_only_ ? maker.waiting() : 0];
    compute(worker, parameters, sender, held[place - first], vector);
    maker.make(sender, vector);
  }
  maker.flush();
}

void RoundEngine::compute(WorkerState& worker, std::span<const float> parameters,
                          const protocols::Sender& sender, std::span<const Record> records,
                          std::span<float> vector) const {
  if (!update_.draws(records.size())) {
    update_.evaluate(parameters, records, nullptr, *worker.workspace, vector);
    return;
  }
  random::KeyedStream batches(key_, {random::Purpose::local_batches, sender.round, sender.client});
  update_.evaluate(parameters, records, &batches, *worker.workspace, vector);
}

}  // namespace muster::simulation

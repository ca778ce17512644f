#include "muster/simulation/round_engine.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "muster/core/error.h"
#include "muster/protocols/shuffle.h"
#include "muster/randomizers/aligned.h"
#include "muster/randomizers/clip.h"

namespace muster::simulation {
namespace {

// A worker takes at most this many senders at a time: as many messages as one pass over the sum adds.
constexpr std::size_t kMaxTaken = randomizers::VectorRandomizer::kPass;
// Up to this many senders are handled by one worker, because waking the other workers would take longer than
// handling the senders.
constexpr std::size_t kFew = 4;

// Returns the number of senders that a worker takes at a time. It is so small that each worker takes senders
// at least 16 times if there are enough, so that all workers finish at about the same time.
std::size_t taken_at_a_time(std::size_t senders, unsigned workers) {
  constexpr std::size_t kTurns = 16;
  return workers == 1 ? kMaxTaken : std::clamp<std::size_t>(senders / (kTurns * workers), 1, kMaxTaken);
}

// Coins are divided among workers only if each gets at least this number, which one worker tosses in about
// 0.1 ms.
constexpr std::uint64_t kCoinsOfOne = std::uint64_t{1} << 19;

// The counters that the all-reduce of a step adds up besides the sum of the messages.
enum Counted : std::size_t { kMessages, kNeutral, kAbandoned, kCounted };

// Replaces a vector that is not finite by zeros, the neutral record; returns whether it did. It is called
// only after a randomizer or sum sampler has refused the vector. Those detect such a vector in passes that
// they make anyway, whereas a check in advance would cost another pass over every vector.
bool neutralise(std::span<float> vector) {
  if (randomizers::is_finite(vector)) return false;
  std::ranges::fill(vector, 0.0f);
  return true;
}

}  // namespace

struct RoundEngine::WorkerState {
  WorkerState(const ClientUpdate& update, const randomizers::VectorRandomizer& randomizer,
              const randomizers::SumSampler* sum)
      : workspace(update.make_workspace()),
        scratch(randomizer.make_scratch()),
        aggregator(randomizer, *scratch, sum != nullptr ? sum->make_sum() : randomizer.make_sum()) {
    for (std::size_t i = 0; i < (sum != nullptr ? vectors.size() : 1); ++i) {
      vectors[i].resize(randomizer.dimension());
    }
  }

  std::unique_ptr<learning::Workspace> workspace;
  std::unique_ptr<randomizers::Scratch> scratch;
  protocols::Aggregator aggregator;
  std::array<std::vector<Record>, randomizers::VectorRandomizer::kPass> records;  // each client's records
  // The vectors that clients compute. The sum fidelity uses one of them for each client of a pass. The
  // message fidelity uses only the first, for one client after the other.
  std::array<randomizers::AlignedVector<float>, randomizers::VectorRandomizer::kPass> vectors;
  std::vector<protocols::Sender> called;  // this worker's part of the roll call
  std::array<randomizers::Message, randomizers::VectorRandomizer::kPass> messages;
  std::uint64_t neutral = 0;  // neutral answers in this step
  bool used = false;          // whether the worker was used since the last clear()

  void clear() {
    if (used) aggregator.next_round();
    used = false;
    neutral = 0;
  }
};

RoundEngine::RoundEngine(const learning::ClientFunction& function,
                         const randomizers::VectorRandomizer& randomizer, protocols::RollCall& roll_call,
                         const Population& population, const random::RunKey& key, WorkerTeam& team,
                         Ranks& ranks, const randomizers::SumSampler* sum, const Interrupt& interrupt,
                         const LocalSgd& local)
    : update_(function, population.data(), local),
      randomizer_(randomizer),
      roll_call_(roll_call),
      population_(population),
      key_(key),
      team_(team),
      ranks_(ranks),
      sum_(sum),
      interrupt_(interrupt),
      all_reduce_((sum != nullptr ? sum->make_sum() : randomizer.make_sum()).size() + kCounted) {
  if (function.dimension() != randomizer.dimension()) {
    throw Error(ErrorCode::internal, "", "", "", "the randomizer's dimension is not the model's");
  }
  roll_call_.stop_when(interrupt_);
  for (unsigned worker = 0; worker < team.size(); ++worker) {
    workers_.push_back(std::make_unique<WorkerState>(update_, randomizer, sum));
  }
}

RoundEngine::~RoundEngine() = default;

RoundEngine::Step RoundEngine::run(std::uint64_t first_round, std::span<const float> parameters,
                                   std::span<float> estimate) {
  std::exception_ptr failure;
  bool abandoned = false;
  try {
    interrupt_.check();
    call_roll(first_round);
    protocols::secret_shuffle(std::span(order_), first_round, interrupt_);
    handle_all(parameters);
  } catch (const Error& error) {
    abandoned = error.code() == ErrorCode::interrupted;
    failure = abandoned ? nullptr : std::current_exception();
  } catch (...) {
    failure = std::current_exception();
  }
  protocols::Aggregator& total = sum_of_all();
  const Step step = reduce_over_ranks(total, abandoned, failure);
  if (step.decoded && sum_ != nullptr) {
    randomizer_.mean(sum_->draw(total.sum(), key_, first_round), estimate);
  } else if (step.decoded) {
    total.mean(estimate);
  } else {
    // The sum is destroyed without being decoded.
    clear_all();
    std::ranges::fill(all_reduce_.numbers(), 0);
    std::ranges::fill(estimate, 0.0f);
  }
  return step;
}

void RoundEngine::call_roll(std::uint64_t first_round) {
  const std::uint64_t rank = ranks_.index(), ranks = ranks_.count(), workers = team_.size();
  order_.clear();
  if (workers == 1 || !roll_call_.shareable() || population_.clients() / ranks < kCoinsOfOne * workers) {
    roll_call_.append_senders(first_round, {rank, ranks}, order_);
    return;
  }
  team_.run([&](unsigned worker) {
    std::vector<protocols::Sender>& called = workers_[worker]->called;
    called.clear();
    roll_call_.append_senders(first_round, {rank * workers + worker, ranks * workers}, called);
  });
  for (const auto& worker : workers_) {
    order_.insert(order_.end(), worker->called.begin(), worker->called.end());
  }
}

RoundEngine::Step RoundEngine::reduce_over_ranks(protocols::Aggregator& total, bool abandoned,
                                                 const std::exception_ptr& failure) {
  const std::span<std::int64_t> numbers = all_reduce_.numbers();
  const std::span<std::int64_t> sums = total.sum().sums();
  const std::span<std::int64_t> all_sums = numbers.first(sums.size()), counted = numbers.last(kCounted);
  if (ranks_.count() > 1) {
    std::ranges::copy(sums, all_sums.begin());
  }
  std::uint64_t neutral = 0;
  for (const auto& worker : workers_) {
    neutral += worker->neutral;
  }
  counted[kMessages] = static_cast<std::int64_t>(total.count());
  counted[kNeutral] = static_cast<std::int64_t>(neutral);
  counted[kAbandoned] = abandoned ? 1 : 0;
  all_reduce_.hold(ranks_, failure);
  if (ranks_.count() > 1) {
    std::ranges::copy(all_sums, sums.begin());
  }
  const auto messages = static_cast<std::uint64_t>(counted[kMessages]);
  total.sum().set_count(messages);
  return {messages, static_cast<std::uint64_t>(counted[kNeutral]),
          counted[kAbandoned] == 0 && messages > 0 && messages >= roll_call_.minimum(),
          counted[kAbandoned] > 0};
}

void RoundEngine::close(const std::exception_ptr& failure) { all_reduce_.hold(ranks_, failure); }

void RoundEngine::handle_all(std::span<const float> parameters) {
  if (order_.size() <= kFew) {
    clear_all();
    handle(*workers_.front(), parameters, 0, order_.size());
    return;
  }
  parameters_.assign(parameters.begin(), parameters.end());
  parameters = parameters_;
  const std::size_t taken = taken_at_a_time(order_.size(), team_.size());
  std::atomic<std::size_t> next{0};
  team_.run([&](unsigned worker) {
    workers_[worker]->clear();
    update_.prepare(parameters, *workers_[worker]->workspace);
    while (!interrupt_.requested()) {
      const std::size_t first = next.fetch_add(taken);
      if (first >= order_.size()) break;
      handle(*workers_[worker], parameters, first, std::min(first + taken, order_.size()));
    }
  });
  // Every sender that a worker took has been handled, so the step is complete if no sender is left to take.
  if (next < order_.size()) throw interrupted();
}

void RoundEngine::handle(WorkerState& worker, std::span<const float> parameters, std::size_t first,
                         std::size_t last) {
  worker.used = true;
  std::array<std::span<const Record>, randomizers::VectorRandomizer::kPass> held;  // indexed by place - first
  for (std::size_t place = first; place < last; ++place) {
    if (order_[place].dummy) continue;
    std::span<const Record>& records = held[place - first];
    records = population_.records(order_[place].client, worker.records[place - first]);
    if (!records.empty()) population_.fetch(records.front());
  }
  std::size_t made = 0;
  for (std::size_t place = first; place < last; ++place) {
    const protocols::Sender& sender = order_[place];
    randomizers::AlignedVector<float>& vector = worker.vectors[sum_ != nullptr ? made : 0];
    if (sender.dummy) {
      std::ranges::fill(vector, 0.0f);
    } else {
      compute(worker, parameters, sender, held[place - first], vector);
    }
    if (sum_ == nullptr) {
      answer(worker, sender, vector, worker.messages[made]);
    }
    ++made;
  }
  if (sum_ != nullptr) {
    add_vectors(worker, made);
  } else {
    worker.aggregator.receive(std::span(worker.messages).first(made));
  }
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

void RoundEngine::answer(WorkerState& worker, const protocols::Sender& sender, std::span<float> vector,
                         randomizers::Message& message) const {
  const auto randomize = [&] {
    randomizer_.randomize(vector, key_, sender.round, sender.client, *worker.scratch, message);
  };
  try {
    randomize();
  } catch (const Error&) {
    if (!neutralise(vector)) throw;
    ++worker.neutral;
    randomize();
  }
}

void RoundEngine::add_vectors(WorkerState& worker, std::size_t count) const {
  std::array<std::span<const float>, randomizers::VectorRandomizer::kPass> vectors;
  std::copy_n(worker.vectors.begin(), count, vectors.begin());
  const auto add = [&] { sum_->add_all(std::span(vectors).first(count), worker.aggregator.sum()); };
  try {
    add();
  } catch (const Error&) {
    std::uint64_t replaced = 0;
    for (std::size_t i = 0; i < count; ++i) {
      replaced += neutralise(worker.vectors[i]) ? 1 : 0;
    }
    if (replaced == 0) throw;
    worker.neutral += replaced;
    add();
  }
}

protocols::Aggregator& RoundEngine::sum_of_all() {
  protocols::Aggregator& total = workers_.front()->aggregator;
  workers_.front()->used = true;
  for (std::size_t worker = 1; worker < workers_.size(); ++worker) {
    if (workers_[worker]->used) {
      total.merge(workers_[worker]->aggregator);
    }
  }
  return total;
}

void RoundEngine::clear_all() {
  for (const auto& worker : workers_) {
    worker->clear();
  }
}

}  // namespace muster::simulation

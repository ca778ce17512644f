#include "muster/simulation/training.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/gate/gate.h"
#include "muster/protocols/roll_call.h"
#include "muster/randomizers/clip.h"
#include "muster/simulation/budget.h"
#include "muster/simulation/client_accuracy.h"
#include "muster/simulation/epsilon_prefetch.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/population.h"
#include "muster/simulation/released_model.h"
#include "muster/simulation/round_engine.h"
#include "muster/simulation/workload.h"

namespace muster::simulation {
namespace {

using Clock = std::chrono::steady_clock;

// Returns the state at which the run starts, from the folder's checkpoint or from the initial model.
Checkpoint starting_point(const protocols::Plan& plan, const TrainingParts& parts,
                          const learning::DataSplit& data, const Digest& digest, RunFolder& folder) {
  Checkpoint start;
  start.plan_hash = plan.hash();
  start.data = digest;
  start.records = data.train.size();
  start.fidelity = parts.fidelity();
  if (folder.found() == RunFolder::Found::fresh) {
    start.model = ModelState(parts.task.initial);
    folder.begin(plan.canonical(), start);
    return start;
  }
  Checkpoint found = folder.load(start.plan_hash, start.fidelity);
  if (found.data != start.data) {
    throw Error::in_words(ErrorCode::checkpoint, "population.data", plan.data(), "",
                          fmt::format("population.data = {} is not the data set with which the run began: "
                                      "bring that back, or begin anew in another folder",
                                      plan.data()));
  }
  if (plan.randomizer() == protocols::RandomizerKind::gaussian && found.sampler != kGaussianSampler) {
    throw Error(ErrorCode::checkpoint, (folder.path() / "checkpoint").string(),
                "gaussian sampler " + std::to_string(found.sampler), std::to_string(kGaussianSampler),
                "is of a version of muster whose Gaussian noise is another: begin the run anew "
                "in another folder, or continue it with that version");
  }
  if (found.model.parameters.size() != parts.task.initial.size() || found.round > plan.updates()) {
    throw Error(ErrorCode::checkpoint, folder.path().string(), "", "",
                "holds a checkpoint that does not fit its plan");
  }
  // A checkpoint of an older version does not contain the number of records.
  found.records = start.records;
  found.sampler = start.sampler;
  folder.resume(found);
  return found;
}

// Throws on every rank if some rank has another plan, fidelity or data set than the first.
void require_the_same(Ranks& ranks, const protocols::Plan& plan, Fidelity fidelity, const Digest& data) {
  std::string hash = plan.hash(), first_fidelity = name_of(fidelity), digest(data.begin(), data.end());
  ranks.broadcast(hash, 0);
  ranks.broadcast(first_fidelity, 0);
  ranks.broadcast(digest, 0);
  together(ranks, [&] {
    if (hash != plan.hash()) {
      throw Error(ErrorCode::plan, Reason::contradiction, "plan", plan.hash(), hash,
                  "is not the hash of the plan that rank 0 reads");
    }
    if (first_fidelity != name_of(fidelity)) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--fidelity", name_of(fidelity), first_fidelity,
                  "is not the fidelity of rank 0");
    }
    if (digest != std::string(data.begin(), data.end())) {
      throw Error::in_words(
          ErrorCode::data, "population.data", plan.data(), "",
          fmt::format("population.data = {} is not the data set that rank 0 reads", plan.data()));
    }
  });
}

// Where the run starts and where it ends. The first rank determines both for all ranks.
struct Start {
  std::uint64_t rounds = 0;  // rounds within the budget, as the accountant counts them
  Checkpoint state;
};

// Returns the same start on every rank. Only the first rank has a folder; the others pass null.
Start agree_on_start(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                     const learning::DataSplit& data, RunFolder* folder) {
  const Digest digest = digest_of(data);
  require_the_same(ranks, plan, parts.fidelity(), digest);
  Start start;
  std::string bytes;
  together(ranks, [&] {
    if (ranks.first()) {
      start.rounds =
          plan.budget() ? affordable_rounds(parts.epsilon, plan.rounds(), *plan.budget()) : plan.rounds();
      start.state = starting_point(plan, parts, data, digest, *folder);
      bytes = encode(start.state);
    }
  });
  // The other ranks contribute 0, so the sum is the first rank's number of rounds.
  std::array<std::int64_t, 1> rounds = {static_cast<std::int64_t>(start.rounds)};
  ranks.all_reduce(rounds);
  start.rounds = static_cast<std::uint64_t>(rounds[0]);
  ranks.broadcast(bytes, 0);
  together(ranks, [&] { start.state = decode(bytes, "the checkpoint of rank 0"); });
  return start;
}

// The values of a Measurement that show how good the reported model is.
struct Score {
  double accuracy = 0;
  std::optional<double> loss = std::nullopt;
  std::optional<double> client_accuracy = std::nullopt;
  std::optional<double> worst_decile = std::nullopt;
};
Score score_of(const Measurement& logged) {
  return {logged.accuracy, logged.loss, logged.client_accuracy, logged.worst_decile};
}

// Runs rounds, measures the run's time, and keeps the state that a checkpoint saves. Every rank has a
// session; only the first has a folder, evaluates and logs.
class Session {
 public:
  Session(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
          const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
          Checkpoint start)
      : plan_(plan),
        folder_(folder),
        rule_(update_rule_of(plan)),
        state_(std::move(start)),
        seconds_before_(state_.seconds),
        began_(Clock::now()),
        key_(random::RunKey::from_seed(plan.seed())),
        team_(options.threads),
        population_(holdings_of(plan), data.train, key_),
        roll_call_(protocols::make_roll_call(plan, key_)),
        engine_(*parts.task.function, *parts.randomizer, *roll_call_, population_, key_, team_, ranks,
                parts.sum.get(), Interrupt(options.interrupt), local_sgd_of(plan)),
        evaluator_(parts.task.make_evaluator(data.test, team_)),
        epsilon_(parts.epsilon),
        estimate_(parts.task.function->dimension()) {
    if (ranks.first() && plan.holds_several() && !plan.is_statistic()) by_client_.emplace(population_);
  }

  const Checkpoint& state() const { return state_; }

  // Runs one step of the server and returns its number of messages. A step whose sum is not decoded counts as
  // done but changes no parameter. Returns nullopt if the step was interrupted: then it has not taken place,
  // and the run ends on all ranks.
  std::optional<std::uint64_t> run_step() {
    const std::uint64_t last_round = state_.round + roll_call_->rounds_a_step();
    const RoundEngine::Step step = engine_.run(state_.round + 1, state_.model.parameters, estimate_);
    if (step.abandoned) {
      return std::nullopt;
    }
    if (step.decoded) {
      const double rate = plan_.learning_rate() ? plan_.learning_rate()->at(last_round) : 0.0;
      apply_update(rule_, rate, estimate_, state_.model);
      require_finite_model(last_round);
    }
    state_.round = last_round;
    state_.messages += step.messages;
    state_.neutral += step.neutral;
    return step.messages;
  }

  // Takes part in the last all-reduce of the run. `failure` is what went wrong on this rank, or null.
  void close(const std::exception_ptr& failure) { engine_.close(failure); }

  // Returns how many rounds will be done when the next line is logged: after the first step that reaches or
  // passes a multiple of log_every, or at `last` if that comes earlier.
  std::uint64_t next_logged(std::uint64_t last) const {
    return std::min(last, end_of_turn(plan_.log_every()));
  }
  // Returns whether the last step reached or passed a multiple of checkpoint_every.
  bool at_checkpoint() const { return state_.round % plan_.checkpoint_every() < roll_call_->rounds_a_step(); }

  // Returns the number of rounds that the accountant charges: in slot protocols the number of runs that have
  // begun.
  std::uint64_t rounds_charged() const { return plan_.rounds_charged(state_.round); }

  void expect_log(std::uint64_t round) { epsilon_.start(plan_.rounds_charged(round)); }

  Measurement log(std::uint64_t check_ins) {
    const Score scored = score();
    Measurement logged{.round = rounds_charged(),
                       .accuracy = scored.accuracy,
                       .epsilon = epsilon_.of(rounds_charged()),
                       .check_ins = check_ins,
                       .neutral = state_.neutral,
                       .slot = slots(),
                       .loss = scored.loss,
                       .client_accuracy = scored.client_accuracy,
                       .worst_decile = scored.worst_decile,
                       .messages = state_.messages};
    rising_.check(logged.round, logged.epsilon);
    logged.seconds = seconds();
    folder_->append(logged);
    return logged;
  }

  void save() {
    state_.seconds = seconds();
    state_.metrics_bytes = folder_->metrics_bytes();
    folder_->save(state_);
  }

  std::optional<std::uint64_t> slots() const {
    return plan_.has_slots() ? std::optional(state_.round) : std::nullopt;
  }
  const std::vector<float>& reported() const { return reported_model(rule_, state_.model); }
  Score score() {
    const TestScore scored = evaluator_->score(reported());
    const std::optional<AccuracyByClient> by_client =
        by_client_ ? by_client_->of(scored.labels) : std::nullopt;
    Score score{.accuracy = scored.accuracy, .loss = scored.loss};
    if (by_client) {
      score.client_accuracy = by_client->mean;
      score.worst_decile = by_client->worst_decile;
    }
    return score;
  }
  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
  }

 private:
  std::uint64_t end_of_turn(std::uint64_t every) const {
    const std::uint64_t step = roll_call_->rounds_a_step();
    const std::uint64_t turn = (state_.round / every + 1) * every;
    return (turn + step - 1) / step * step;
  }

  // The model is released anyway, so ending the run because it is not finite reveals nothing more.
  void require_finite_model(std::uint64_t round) const {
    if (randomizers::is_finite(state_.model.parameters) && randomizers::is_finite(state_.model.average)) {
      return;
    }
    const bool descends = plan_.learning_rate().has_value();
    const std::string key = descends ? "rounds.learning_rate" : "model.kind";
    const std::string value = descends ? plan_.learning_rate()->canonical() : name_of(plan_.model());
    throw Error::in_words(ErrorCode::data, key, value, "",
                          fmt::format("after round {} the model is no longer finite: it has diverged, with "
                                      "{} = {}{}",
                                      round, key, value, descends ? "; lower the learning rate" : ""));
  }

  const protocols::Plan& plan_;
  RunFolder* folder_;
  UpdateRule rule_;
  Checkpoint state_;
  double seconds_before_;
  Clock::time_point began_;
  random::RunKey key_;
  WorkerTeam team_;
  Population population_;
  std::unique_ptr<protocols::RollCall> roll_call_;
  RoundEngine engine_;
  std::unique_ptr<Evaluator> evaluator_;
  std::optional<ClientAccuracy> by_client_;  // set on the first rank if clients hold several records
  EpsilonPrefetch epsilon_;
  accounting::RisingEpsilon rising_;
  std::vector<float> estimate_;
};

Expected expected_of(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                     std::uint64_t steps, unsigned threads) {
  const Workload work = workload_of(plan);
  const double share = steps == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(plan.updates());
  return {share * work.messages, share * work.coins, share * seconds_of(work, parts, data) / threads,
          threads};
}

// How run_steps() ended.
struct Ending {
  bool interrupted = false;
  // The last logged round, if no step was run after it.
  std::optional<Measurement> newest;
};

// Runs steps until `last` rounds (in slot protocols, slots) are done. The first rank also logs and writes
// checkpoints.
Ending run_steps(Session& session, bool first, std::uint64_t last, TrainingObserver& observer) {
  Ending ending;
  std::uint64_t next_log = session.state().round;
  while (session.state().round < last) {
    if (first && next_log == session.state().round) {
      next_log = session.next_logged(last);
      session.expect_log(next_log);
    }
    const std::optional<std::uint64_t> check_ins = session.run_step();
    if (!check_ins) {
      ending.interrupted = true;
      break;
    }
    if (!first) {
      continue;
    }
    const std::uint64_t round = session.state().round;
    ending.newest.reset();
    if (round == next_log) {
      ending.newest = session.log(*check_ins);
      observer.logged(*ending.newest);
    }
    if (session.at_checkpoint()) {
      session.save();
    }
    observer.round_done(round);
  }
  return ending;
}

// Returns the part of the result that every rank knows. `rounds` is the number of rounds within the budget.
RunResult result_of(const Session& session, const Ending& ending, std::uint64_t rounds,
                    const protocols::Plan& plan, Fidelity fidelity) {
  RunResult result;
  result.rounds = session.rounds_charged();
  result.delta = plan.delta().value();
  result.fidelity = fidelity;
  result.neutral = session.state().neutral;
  result.clients_per_record = clients_per_record(holdings_of(plan), session.state().records);
  result.slots = session.slots();
  result.validity = accounting::Accountant::kValidity;
  result.neighbouring = accounting::Accountant::kNeighbouring;
  result.view = accounting::own_view(plan.participation());
  result.stopped = ending.interrupted       ? Stopped::interrupted
                   : rounds < plan.rounds() ? Stopped::budget
                                            : Stopped::done;
  return result;
}

// Runs steps until `rounds` rounds are done. The first rank also writes checkpoints, metrics and the result.
RunResult run(Session& session, Ranks& ranks, std::uint64_t rounds, const protocols::Plan& plan,
              const TrainingParts& parts, const learning::DataSplit& data, RunFolder* folder,
              const TrainingOptions& options, TrainingObserver& observer) {
  const std::uint64_t last = rounds * plan.updates_per_round();
  const bool first = ranks.first();
  if (first) {
    const std::uint64_t done = session.state().round;
    observer.started(
        done, last,
        expected_of(plan, parts, data, last - std::min(done, last), options.threads * ranks.count()));
  }
  const Ending ending = run_steps(session, first, last, observer);
  RunResult result = result_of(session, ending, rounds, plan, parts.fidelity());
  if (first) {
    session.save();
    const Score score = ending.newest ? score_of(*ending.newest) : session.score();
    result.accuracy = score.accuracy;
    result.loss = score.loss;
    result.client_accuracy = score.client_accuracy;
    result.worst_decile = score.worst_decile;
    result.epsilon = ending.newest ? ending.newest->epsilon : parts.epsilon(result.rounds);
    result.seconds = session.seconds();
    result.examples_per_second =
        result.seconds > 0 ? static_cast<double>(session.state().messages) / result.seconds : 0.0;
    result.out = folder->path().string();
    if (ending.interrupted) {
      folder->tabulate();
    } else {
      folder->finish(result, released_model(plan, parts, session.reported(), result.rounds, result.epsilon));
    }
  }
  // No rank leaves before everything is written.
  session.close(nullptr);
  return result;
}

}  // namespace

RunResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer) {
  return train(*alone(), plan, parts, data, &folder, options, observer);
}

RunResult train(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
                TrainingObserver& observer) {
  if (parts.plan_hash != plan.hash()) {
    // The epsilon of one plan must not be reported for a run of another.
    throw Error(ErrorCode::plan, Reason::contradiction, "parts", parts.plan_hash, plan.hash(),
                "were assembled for another plan");
  }
  const learning::DataSplit& inputs = parts.task.inputs(data);
  Start start = agree_on_start(ranks, plan, parts, inputs, folder);
  std::optional<Session> session;
  together(ranks,
           [&] { session.emplace(ranks, plan, parts, inputs, folder, options, std::move(start.state)); });
  try {
    return run(*session, ranks, start.rounds, plan, parts, inputs, folder, options, observer);
  } catch (...) {
    if (!ranks.failed_together()) {
      // The other ranks wait in an all-reduce. This call throws the error on every rank.
      session->close(std::current_exception());
    }
    throw;
  }
}

}  // namespace muster::simulation

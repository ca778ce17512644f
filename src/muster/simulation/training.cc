#include "muster/simulation/training.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "muster/core/error.h"
#include "muster/protocols/roll_call.h"
#include "muster/simulation/budget.h"
#include "muster/simulation/epsilon_ahead.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/population.h"
#include "muster/simulation/round_engine.h"

namespace muster::simulation {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

Json json_of(const LoggedRound& logged) {
  Json json = {{"round", logged.round},
               {"accuracy", logged.accuracy},
               {"epsilon", logged.epsilon},
               {"check_ins", logged.check_ins}};
  if (logged.slot) {
    json["slot"] = *logged.slot;
  }
  return json;
}

UpdateRule rule_of(const protocols::Plan& plan) {
  return {plan.momentum, plan.average, plan.weight_decay, plan.projection};
}

// The run's state between rounds, from the folder's checkpoint or from the initial model.
Checkpoint starting_point(const protocols::Plan& plan, const TrainingParts& parts,
                          const learning::DataSplit& data, RunFolder& folder) {
  Checkpoint start;
  start.plan_hash = plan.hash();
  start.data = digest_of(data);
  if (folder.found() == RunFolder::Found::fresh) {
    start.model = ModelState(parts.initial);
    folder.begin(plan.canonical(), start);
    return start;
  }
  Checkpoint found = folder.load(start.plan_hash);
  if (found.data != start.data) {
    throw Error(ErrorCode::checkpoint, "population.data", plan.data, "",
                "the data set changed since the run began");
  }
  if (found.model.parameters.size() != parts.initial.size() || found.round > plan.updates()) {
    throw Error(ErrorCode::checkpoint, folder.path().string(), "", "",
                "the checkpoint does not fit its plan");
  }
  folder.resume(found);
  return found;
}

// Rounds with the run's own clock; keeps the state that a checkpoint saves.
class Session {
 public:
  Session(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
          RunFolder& folder, unsigned threads)
      : plan_(plan),
        parts_(parts),
        folder_(folder),
        rule_(rule_of(plan)),
        state_(starting_point(plan, parts, data, folder)),
        seconds_before_(state_.seconds),
        began_(Clock::now()),
        key_(random::RunKey::from_seed(plan.seed)),
        team_(threads),
        population_(plan.clients, data.train, key_),
        roll_call_(protocols::make_roll_call(plan, key_)),
        engine_(*parts.gradients, *parts.randomizer, *roll_call_, population_, key_, team_),
        evaluator_(*parts.gradients, data.test, team_),
        epsilon_(parts.epsilon),
        estimate_(parts.gradients->parameter_count()) {}

  const Checkpoint& state() const { return state_; }

  // One step of the server; returns its messages. A step without a decoded estimate counts, and changes
  // nothing.
  std::uint64_t run_step() {
    const std::uint64_t last_round = state_.round + roll_call_->rounds_a_step();
    const RoundEngine::Step step = attempt(state_.round + 1);
    if (step.decoded) {
      apply_update(rule_, plan_.learning_rate.value().at(last_round), estimate_, state_.model);
    }
    state_.round = last_round;
    state_.messages += step.messages;
    return step.messages;
  }

  // Where the first step ends that reaches a multiple of log_every after now.
  std::uint64_t next_logged(std::uint64_t last) const { return std::min(last, end_of_turn(plan_.log_every)); }
  // Whether the step just done reached a multiple of checkpoint_every.
  bool at_checkpoint() const { return state_.round % plan_.checkpoint_every < roll_call_->rounds_a_step(); }

  // Rounds of the accountant: whole runs in the slot protocols, the one under way included.
  std::uint64_t rounds_charged() const { return charged_at(state_.round); }

  void expect_log(std::uint64_t round) { epsilon_.start(charged_at(round)); }

  LoggedRound log(std::uint64_t check_ins) {
    const LoggedRound logged{rounds_charged(), accuracy(), epsilon_.of(rounds_charged()), check_ins, slots()};
    Json line = json_of(logged);
    line["messages"] = state_.messages;
    line["seconds"] = seconds();
    folder_.append_metrics(line.dump());
    return logged;
  }

  void save() {
    state_.seconds = seconds();
    state_.metrics_bytes = folder_.metrics_bytes();
    folder_.save(state_);
  }

  std::optional<std::uint64_t> slots() const {
    return plan_.has_slots() ? std::optional(state_.round) : std::nullopt;
  }
  double accuracy() { return evaluator_.accuracy(reported_model(rule_, state_.model)); }
  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
  }

 private:
  std::uint64_t charged_at(std::uint64_t updates) const {
    const std::uint64_t each = plan_.slots_a_run();
    return updates / each + (updates % each == 0 ? 0 : 1);
  }

  std::uint64_t end_of_turn(std::uint64_t every) const {
    const std::uint64_t step = roll_call_->rounds_a_step();
    const std::uint64_t turn = (state_.round / every + 1) * every;
    return (turn + step - 1) / step * step;
  }

  RoundEngine::Step attempt(std::uint64_t round) {
    try {
      return engine_.run(round, state_.model.parameters, estimate_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data) {
        throw;
      }
      throw Error(
          ErrorCode::data, "rounds.learning_rate", plan_.learning_rate->canonical(), "",
          fmt::format("round {}: {}; when the data is sound, the model has diverged: lower the learning rate",
                      round, error.what()));
    }
  }

  const protocols::Plan& plan_;
  const TrainingParts& parts_;
  RunFolder& folder_;
  UpdateRule rule_;
  Checkpoint state_;
  double seconds_before_;
  Clock::time_point began_;
  random::RunKey key_;
  WorkerTeam team_;
  Population population_;
  std::unique_ptr<protocols::RollCall> roll_call_;
  RoundEngine engine_;
  Evaluator evaluator_;
  EpsilonAhead epsilon_;
  std::vector<float> estimate_;
};

}  // namespace

const char* name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::done:
      return "done";
    case Stopped::budget:
      return "budget";
    case Stopped::interrupted:
      return "interrupted";
  }
  return "done";
}

TrainingResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                     RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer) {
  const std::uint64_t rounds =
      plan.budget ? affordable_rounds(parts.epsilon, plan.rounds, *plan.budget) : plan.rounds;
  const std::uint64_t last = rounds * plan.slots_a_run();
  Session session(plan, parts, data, folder, options.threads);
  observer.started(session.state().round, last);

  std::optional<LoggedRound> newest;  // when the state is the one logged
  std::uint64_t next_log = session.state().round;
  bool interrupted = false;
  while (session.state().round < last) {
    if (options.interrupt != nullptr && options.interrupt->load(std::memory_order_relaxed)) {
      interrupted = true;
      break;
    }
    if (next_log == session.state().round) {
      next_log = session.next_logged(last);
      session.expect_log(next_log);
    }
    const std::uint64_t check_ins = session.run_step();
    const std::uint64_t round = session.state().round;
    newest.reset();
    if (round == next_log) {
      newest = session.log(check_ins);
      observer.logged(*newest);
    }
    if (session.at_checkpoint()) {
      session.save();
    }
    observer.round_done(round);
  }
  session.save();

  TrainingResult result;
  result.rounds = session.rounds_charged();
  result.accuracy = newest ? newest->accuracy : session.accuracy();
  result.epsilon = newest ? newest->epsilon : parts.epsilon(result.rounds);
  result.delta = plan.delta.value();
  result.messages = session.state().messages;
  result.slots = session.slots();
  result.seconds = session.seconds();
  result.stopped = interrupted            ? Stopped::interrupted
                   : rounds < plan.rounds ? Stopped::budget
                                          : Stopped::done;
  if (!interrupted) {
    folder.finish(result_json(result, folder.path().string()));
  }
  return result;
}

std::string logged_json(const LoggedRound& logged) { return json_of(logged).dump(); }

std::string result_json(const TrainingResult& result, const std::string& out) {
  const double rate = result.seconds > 0 ? static_cast<double>(result.messages) / result.seconds : 0.0;
  Json json{
      {"accuracy", result.accuracy}, {"epsilon", result.epsilon},          {"delta", result.delta},
      {"rounds", result.rounds},     {"seconds", result.seconds},          {"examples_per_second", rate},
      {"fidelity", "message"},       {"stopped", name_of(result.stopped)}, {"out", out}};
  if (result.slots) {
    json["slots"] = *result.slots;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a path may be any bytes
}

}  // namespace muster::simulation

#include "muster/simulation/training.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "muster/core/error.h"
#include "muster/protocols/participation.h"
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
  return {{"round", logged.round},
          {"accuracy", logged.accuracy},
          {"epsilon", logged.epsilon},
          {"check_ins", logged.check_ins}};
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
  if (found.model.parameters.size() != parts.initial.size() || found.round > plan.rounds) {
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
        coins_(key_, plan.rate, plan.dropout),
        engine_(*parts.gradients, *parts.randomizer, coins_, population_, key_, team_),
        evaluator_(*parts.gradients, data.test, team_),
        epsilon_(parts.epsilon),
        estimate_(parts.gradients->parameter_count()) {}

  const Checkpoint& state() const { return state_; }

  // One round; returns how many clients reported. A round nobody reported in counts, and changes nothing.
  std::uint64_t run_round() {
    const std::uint64_t round = state_.round + 1;
    const std::uint64_t reports = attempt(round);
    if (reports > 0) {
      apply_update(rule_, plan_.learning_rate.value().at(round), estimate_, state_.model);
    }
    state_.round = round;
    state_.messages += reports;
    return reports;
  }

  // The first round after this one that is logged.
  std::uint64_t next_logged(std::uint64_t last) const {
    const std::uint64_t turn = state_.round - state_.round % plan_.log_every;
    return last - turn > plan_.log_every ? turn + plan_.log_every : last;
  }

  void expect_log(std::uint64_t round) { epsilon_.start(round); }

  LoggedRound log(std::uint64_t check_ins) {
    const LoggedRound logged{state_.round, accuracy(), epsilon_.of(state_.round), check_ins};
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

  double accuracy() { return evaluator_.accuracy(reported_model(rule_, state_.model)); }
  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
  }

 private:
  std::uint64_t attempt(std::uint64_t round) {
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
  protocols::CheckInCoins coins_;
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
  const std::uint64_t last =
      plan.budget ? affordable_rounds(parts.epsilon, plan.rounds, *plan.budget) : plan.rounds;
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
    const std::uint64_t check_ins = session.run_round();
    const std::uint64_t round = session.state().round;
    newest.reset();
    if (round == next_log) {
      newest = session.log(check_ins);
      observer.logged(*newest);
    }
    if (round % plan.checkpoint_every == 0) {
      session.save();
    }
    observer.round_done(round);
  }
  session.save();

  TrainingResult result;
  result.rounds = session.state().round;
  result.accuracy = newest ? newest->accuracy : session.accuracy();
  result.epsilon = newest ? newest->epsilon : parts.epsilon(result.rounds);
  result.delta = plan.delta.value();
  result.messages = session.state().messages;
  result.seconds = session.seconds();
  result.stopped = interrupted ? Stopped::interrupted : last < plan.rounds ? Stopped::budget : Stopped::done;
  if (!interrupted) {
    folder.finish(result_json(result, folder.path().string()));
  }
  return result;
}

std::string logged_json(const LoggedRound& logged) { return json_of(logged).dump(); }

std::string result_json(const TrainingResult& result, const std::string& out) {
  const double rate = result.seconds > 0 ? static_cast<double>(result.messages) / result.seconds : 0.0;
  return Json{
      {"accuracy", result.accuracy}, {"epsilon", result.epsilon},          {"delta", result.delta},
      {"rounds", result.rounds},     {"seconds", result.seconds},          {"examples_per_second", rate},
      {"fidelity", "message"},       {"stopped", name_of(result.stopped)}, {"out", out}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);  // a path may be any bytes
}

}  // namespace muster::simulation

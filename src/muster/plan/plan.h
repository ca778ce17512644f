// The plan: one typed, validated, immutable object that is accounted, calibrated, trained and audited.
//
// A plan is read from TOML, overridden by flags, validated as a whole, and never changed afterwards; its
// hash, schedule and epsilon are those after overrides. docs/plan.md documents the keys, ranges and
// defaults. A key that is unknown or does not apply to the chosen protocol, randomizer or command is
// refused. So is, by name, a protocol, randomizer or model that the command does not support. Errors
// carry file, line, key, value and allowed range.
//
// Example:
//     PlanSource source = PlanSource::from_file("plans/quickstart.toml");
//     source.override_key("rounds.count", "100");
//     Plan plan = Plan::validate(source, Command::train);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"
#include "muster/plan/schedule.h"

namespace muster::protocols {

enum class Command { account, calibrate, train };

enum class Protocol {
  shuffle,
  subset,
  shuffled_check_in,
  random_check_in_fixed,
  random_check_in_averaged,
  random_check_in_sliding,
  aggregated_check_in
};
enum class RandomizerKind { pure, ldp_sgd, gaussian, l1, l2, linf, k_rr, laplace };
enum class ModelKind { cnn, logistic, mlp, features_linear, mean, histogram };
enum class Activation { relu, tanh };

// The names as plans write them: "shuffled-check-in", "k-rr", "cnn".
const char* name_of(Command command);
const char* name_of(Protocol protocol);
const char* name_of(RandomizerKind kind);
const char* name_of(ModelKind kind);
const char* name_of(Activation activation);

// A learning rate that is piecewise constant or V/sqrt(t). Rounds count from 1; in slot protocols, t
// counts the slots of all runs.
class LearningRate {
 public:
  static LearningRate constant(double value);
  static LearningRate piecewise(Schedule::Steps steps);  // the first step must be at round 1
  static LearningRate inverse_sqrt(double value);
  double at(std::uint64_t round) const;  // round >= 1
  std::string canonical() const;

 private:
  Schedule schedule_{0};
  bool inverse_sqrt_ = false;
};

// The raw keys of a plan and where each was written, before values have types.
class PlanSource;

// One value for each plan key, in the order of the documentation; what is written here is its default. The
// rows of the table of keys (key_table.cc) fill them, and state their ranges and where they apply.
struct PlanValues {
  std::string name = "plan";
  std::uint64_t seed = 1;

  std::uint64_t clients = 0;
  std::string data;  // "digits", "idx:DIR" or another of kDataFormats; empty if not stated

  Protocol protocol = Protocol::shuffled_check_in;
  double rate = 0;                 // the highest, if rates differ
  std::optional<double> min_rate;  // the lowest, if rates differ
  Schedule dropout{0};             // per round, as `rounds` counts them
  std::uint64_t subset = 0;        // protocol subset
  std::uint64_t slots = 0;         // protocols random-check-in-*
  std::uint64_t minimum = 1;       // protocol aggregated-check-in

  RandomizerKind randomizer = RandomizerKind::ldp_sgd;
  std::optional<double> epsilon0;
  std::optional<double> clip;
  std::optional<double> sigma;
  std::optional<std::uint64_t> k;

  std::uint64_t rounds = 0;  // as the accountant counts them: whole runs in slot protocols
  std::optional<LearningRate> learning_rate;
  double momentum = 0;
  double average = 0;
  std::optional<double> projection;
  double weight_decay = 0;
  std::uint64_t batch = 1;  // slots per step, in protocol random-check-in-fixed
  std::uint64_t log_every = 1;
  std::uint64_t checkpoint_every = 1;

  ModelKind model = ModelKind::cnn;
  Activation activation = Activation::relu;  // models cnn, mlp, features+linear
  std::string public_data = "digits";        // in model features+linear; written like `data`
  std::uint64_t pretrain_epochs = 3;         // model features+linear

  std::optional<double> delta;  // absent when `account` asks for delta at an epsilon
  std::optional<double> budget;
};

class Plan : public PlanValues {
 public:
  // `solved_for` lists the keys that calibration will choose; they may be absent, and their
  // values are not read.
  static Plan validate(const PlanSource& source, Command command,
                       const std::vector<std::string_view>& solved_for = {});

  bool checks_in() const;  // whether every client tosses a coin: all but shuffle and subset
  bool has_slots() const;  // random-check-in-*
  bool is_statistic() const { return model == ModelKind::mean || model == ModelKind::histogram; }
  // The number of slots with an update in one round of `rounds`: `slots`, or clients - slots + 1
  // with a sliding window, or 1 in protocols without slots. Learning rate, log_every and
  // checkpoint_every count these.
  std::uint64_t slots_a_run() const;
  std::uint64_t updates() const;  // rounds * slots_a_run(), at most 2^64 - 1
  // The rounds charged for the first `done` updates: a run of slots that has begun is charged in full.
  std::uint64_t rounds_charged(std::uint64_t done) const;
  accounting::Mechanism mechanism() const;
  // The participation in the given round, as `rounds` counts them.
  accounting::Participation participation(std::uint64_t round = 1) const;
  // The stages of rounds that are charged alike, in order. There is one stage unless the dropout changes.
  std::vector<accounting::Stage> stages() const;
  // The canonical text of every key after overrides and defaults, one "key = value" per line, sorted; and
  // its BLAKE2b-256 hash in lower-case hexadecimal.
  std::string canonical() const;
  std::string hash() const;
};

// The BLAKE2b-256 hash of a text in lower-case hexadecimal.
std::string hash_of(std::string_view text);

}  // namespace muster::protocols

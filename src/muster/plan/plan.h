// A plan is one typed, validated and immutable object, which is accounted, calibrated, trained and reported.
//
// A plan is read from TOML, overridden by flags, validated as a whole, and never changed afterwards; `with`
// makes another plan. A plan's hash, schedules and epsilon follow from the values after overrides.
// docs/plan.md documents the keys, ranges and defaults. A key that is unknown, or that does not apply to the
// chosen protocol, randomizer or model, is refused, and so is a flag whose key the command does not read. A
// protocol, randomizer or model that the command does not support is also refused. An error names the key,
// and most errors also its value, the allowed values, and its position (file, line and column, or the flag).
// Where an override changes the protocol or the randomizer, the file's keys that then do not apply are left
// out instead of refused, and left_out() lists them.
//
// A key has its field and default in PlanValues, its accessor in Plan, and its row in key_table.cc; keys.h
// describes the rows.
//
// Example:
//     PlanSource source = PlanSource::from_file("plans/quickstart.toml");
//     source.override_key("rounds.count", "100");
//     Plan plan = Plan::validate(source, Command::train);
//     Plan longer = plan.with("rounds.count", "200");   // plan.rounds() stays 100
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"
#include "muster/plan/partition.h"
#include "muster/plan/schedule.h"
#include "muster/plan/source.h"

namespace muster::protocols {

enum class Command { account, calibrate, compare, train };

enum class Protocol {
  shuffle,
  subset,
  shuffled_check_in,
  random_check_in_fixed,
  random_check_in_averaged,
  random_check_in_sliding,
  aggregated_check_in
};
enum class RandomizerKind { pure, ldp_sgd, gaussian, l1, l2, linf, k_rr, laplace, profile };
enum class ModelKind { cnn, logistic, mlp, features_linear, mean, histogram };
enum class Activation { relu, tanh };

// These return the names that users write, such as "train", "shuffled-check-in", "k-rr" or "cnn".
const char* name_of(Command command);
const char* name_of(Protocol protocol);
const char* name_of(RandomizerKind kind);
const char* name_of(ModelKind kind);
const char* name_of(Activation activation);

// A learning rate is piecewise constant, or V / sqrt(t) in round t for a given V > 0. Rounds count from 1. In
// slot protocols, each slot counts as a round, and the count continues through all runs. The factories throw
// Error(plan) for a rate that is not positive and finite.
class LearningRate {
 public:
  static LearningRate constant(double value);
  static LearningRate piecewise(Schedule::Steps steps);  // the first step must be at round 1
  static LearningRate inverse_sqrt(double value);
  double at(std::uint64_t round) const;  // round >= 1; throws Error(internal) for 0
  std::string canonical() const;

 private:
  Schedule schedule_{0};
  bool inverse_sqrt_ = false;
};

// The values of the plan keys, in the order of the documentation. The initial value of a field is the default
// of its key, unless the key has no default or one that depends on other keys. The rows of the table of keys
// (key_table.cc) fill the fields and state their ranges and where they apply. Code may set these fields to
// any value, even out of range. A Plan holds validated values and gives read access only.
struct PlanValues {
  std::string name = "plan";
  std::uint64_t seed = 1;

  std::uint64_t clients = 0;
  std::string data;                    // "digits", or a format (value_kinds.h) and a path; empty: not stated
  std::uint64_t records = 1;           // records per client; 1 if a column names the owners
  std::string owner;                   // the column of csv data that names each record's owner, if any
  std::optional<Partition> partition;  // nullopt: client j holds record j
  bool share = false;                  // whether several clients may hold the same record
  // These keys apply to csv data; each is empty if it is not stated.
  std::string label;      // the column that holds the class
  std::string split;      // the column that says `train` or `test`
  std::string test_data;  // the file of test examples, as "csv:FILE"

  Protocol protocol = Protocol::shuffled_check_in;
  double rate = 0;                 // the check-in rate; the highest, if clients' rates differ
  std::optional<double> min_rate;  // the lowest check-in rate, if clients' rates differ
  Schedule dropout{0};             // the probability that a client drops out, for each of the `rounds`
  std::uint64_t subset = 0;        // the number of clients drawn per round, in protocol subset
  std::uint64_t slots = 0;         // slots in a run of the protocols random-check-in-*
  std::uint64_t minimum = 1;       // aggregated-check-in destroys a round with fewer reports than this

  RandomizerKind randomizer = RandomizerKind::ldp_sgd;
  std::optional<double> epsilon0;
  std::optional<double> clip;
  std::optional<double> sigma;
  std::optional<std::uint64_t> k;
  std::shared_ptr<const ProfileFile> profile;  // the file of the randomizer's profile, as read; or null

  std::uint64_t rounds = 0;  // rounds as the accountant counts them: whole runs in slot protocols
  std::optional<LearningRate> learning_rate;
  double momentum = 0;
  double average = 0;
  std::optional<double> projection;
  double weight_decay = 0;
  std::uint64_t local_steps = 0;             // local SGD steps; 0: clients send the mean of their gradients
  std::optional<double> local_rate;          // has a value if and only if local_steps > 0
  std::optional<std::uint64_t> local_batch;  // records per local step; nullopt: all
  std::uint64_t batch = 1;                   // slots per step, in protocol random-check-in-fixed
  std::uint64_t log_every = 1;
  std::uint64_t checkpoint_every = 1;

  ModelKind model = ModelKind::cnn;
  Activation activation = Activation::relu;  // of models cnn, mlp, features+linear
  std::string public_data = "digits";        // for pretraining in model features+linear; written like `data`
  std::uint64_t pretrain_epochs = 3;         // passes over public_data, in model features+linear

  std::optional<double> delta;  // absent when `account` asks for delta at an epsilon
  std::optional<double> budget;
};

// A plan whose values were validated together.
class Plan {
 public:
  // Reads and checks a source for a command. Throws Error(plan), which names the key, for whatever it
  // refuses. `solved_for` lists the keys that calibration will choose: they may be absent, and their values
  // are not read.
  static Plan validate(const PlanSource& source, Command command,
                       const std::vector<std::string_view>& solved_for = {});
  // Returns a copy of this plan in which `text` overrides `key`, as the key's flag would. The copy is
  // validated as a whole, and defaults that depend on other keys are recomputed. If `key` was one that
  // calibration solves for, the copy states it instead. Throws what PlanSource::override_key and validate
  // throw.
  Plan with(std::string_view key, std::string_view text) const;

  // Each accessor returns the value of the same name; PlanValues describes the values.
  const std::string& name() const { return values_.name; }
  std::uint64_t seed() const { return values_.seed; }

  std::uint64_t clients() const { return values_.clients; }
  const std::string& data() const { return values_.data; }
  std::uint64_t records() const { return values_.records; }
  const std::string& owner() const { return values_.owner; }
  const std::optional<Partition>& partition() const { return values_.partition; }
  bool share() const { return values_.share; }
  const std::string& label() const { return values_.label; }
  const std::string& split() const { return values_.split; }
  const std::string& test_data() const { return values_.test_data; }

  Protocol protocol() const { return values_.protocol; }
  double rate() const { return values_.rate; }
  const std::optional<double>& min_rate() const { return values_.min_rate; }
  const Schedule& dropout() const { return values_.dropout; }
  std::uint64_t subset() const { return values_.subset; }
  std::uint64_t slots() const { return values_.slots; }
  std::uint64_t minimum() const { return values_.minimum; }

  RandomizerKind randomizer() const { return values_.randomizer; }
  const std::optional<double>& epsilon0() const { return values_.epsilon0; }
  const std::optional<double>& clip() const { return values_.clip; }
  const std::optional<double>& sigma() const { return values_.sigma; }
  const std::optional<std::uint64_t>& k() const { return values_.k; }
  const std::shared_ptr<const ProfileFile>& profile() const { return values_.profile; }

  std::uint64_t rounds() const { return values_.rounds; }
  const std::optional<LearningRate>& learning_rate() const { return values_.learning_rate; }
  double momentum() const { return values_.momentum; }
  double average() const { return values_.average; }
  const std::optional<double>& projection() const { return values_.projection; }
  double weight_decay() const { return values_.weight_decay; }
  std::uint64_t local_steps() const { return values_.local_steps; }
  const std::optional<double>& local_rate() const { return values_.local_rate; }
  const std::optional<std::uint64_t>& local_batch() const { return values_.local_batch; }
  std::uint64_t batch() const { return values_.batch; }
  std::uint64_t log_every() const { return values_.log_every; }
  std::uint64_t checkpoint_every() const { return values_.checkpoint_every; }

  ModelKind model() const { return values_.model; }
  Activation activation() const { return values_.activation; }
  const std::string& public_data() const { return values_.public_data; }
  std::uint64_t pretrain_epochs() const { return values_.pretrain_epochs; }

  const std::optional<double>& delta() const { return values_.delta; }
  const std::optional<double>& budget() const { return values_.budget; }

  // Returns all values at once, for callers that copy and change them.
  const PlanValues& values() const { return values_; }

  bool checks_in() const;  // whether every client decides by a coin: all protocols except shuffle and subset
  // Whether a client may hold several records.
  bool holds_several() const { return records() > 1 || !owner().empty(); }
  bool has_slots() const;  // whether the protocol is one of random-check-in-*
  bool is_statistic() const { return model() == ModelKind::mean || model() == ModelKind::histogram; }
  // Returns the number of updates in one of the `rounds`. It is 1 except in slot protocols, where a round is
  // a run and every slot counts as an update, even if `batch` slots make one step of the model. A run has
  // `slots` slots or, with a sliding window, clients - slots + 1 of them (0 if there are more slots than
  // clients). The learning rate, log_every and checkpoint_every count updates.
  std::uint64_t updates_per_round() const;
  std::uint64_t updates() const;  // rounds * updates_per_round(), at most 2^64 - 1
  // Returns how many rounds are charged for the first `done` updates. A run of slots is charged in full once
  // it has begun.
  std::uint64_t rounds_charged(std::uint64_t done) const;
  // Describes the local randomizer to the accountant.
  accounting::Mechanism mechanism() const;
  // Describes to the accountant who takes part in the given round, which is counted from 1 like `rounds`.
  accounting::Participation participation(std::uint64_t round = 1) const;
  // Returns the rounds in order, grouped into stages whose rounds are all charged alike. There is one stage
  // unless the dropout changes.
  std::vector<accounting::Stage> stages() const;
  // The canonical text states the values after overrides and defaults, one "key = value" per line, sorted by
  // key. KeySpec::canonical defines which keys it leaves out. `hash` returns the BLAKE2b-256 hash of this
  // text in lower-case hexadecimal.
  std::string canonical() const;
  std::string hash() const;

  // The source that the plan was made from, with the overrides of `with`.
  const PlanSource& source() const { return source_; }

  // Returns one sentence for each stated key that was left out because it does not apply, such as
  // "participation.rate = 0.1 (a.toml, line 4, column 9) does not apply to protocol shuffle with ...".
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  Plan(PlanValues values, PlanSource source, Command command,
       const std::vector<std::string_view>& solved_for);

  PlanValues values_;
  // The arguments of validate, kept for `with`.
  PlanSource source_;
  Command command_;
  std::vector<std::string> solved_for_;
  std::vector<std::string> left_out_;
};

// Returns the BLAKE2b-256 hash of a text in lower-case hexadecimal (64 digits).
std::string hash_of(std::string_view text);

}  // namespace muster::protocols

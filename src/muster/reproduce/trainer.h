// Trains the models whose accuracy a paper's figure shows, with several seeds each, or reads the logs of such
// trainings.
//
// A figure's recipe (recipes.h) lists its trainings and asks the Trainer for each of them. The user says with
// which data, for how many of the rounds, and in which folder. The runs are ordinary training runs in
// OUT/runs: they can be resumed and reported, and two figures that need the same run share it. Each training
// leaves one log in OUT/logs (training_log.h), from which the figure can be drawn again without training. No
// epsilon is read from a log: all are computed again.
//
// A Trainer belongs to one thread, on which it calls its notes and observers; each run starts its own worker
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/experiments/many_runs.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/paper_plans.h"
#include "muster/reproduce/training_log.h"

namespace muster::reproduce {

// A plan of plans/papers that a figure trains, with the plan's seed and the seeds that follow it.
struct Training {
  std::string plan;  // the file's name without ".toml"
  std::uint64_t seeds = 1;
  // Keys of the plan that get another value, as their flags would give it: {"participation.rate", "0.05"}.
  std::vector<std::pair<std::string, std::string>> set = {};
  // The format of the data that the user may give in place of the plan's (plan/value_kinds.h). For "cifar"
  // the user must give a folder that holds the private and the public data (images.h).
  std::string format = "idx";

  // Returns the plan's name, followed by the keys and values of `set`: "000-ldp-sgd-rate-0.05".
  std::string name() const;
  bool operator==(const Training&) const = default;
};

// What was measured after one logged round, with every seed.
struct TrainedRound {
  std::uint64_t round = 0;         // rounds done; with slots, a run that has begun counts as done
  std::uint64_t step = 0;          // updates done; equals `round` unless the protocol has slots
  double epsilon = 0;              // proven upper epsilon of the rounds done; infinite if none is proven
  std::vector<double> accuracies;  // on the whole test set, in the order of the seeds

  double mean() const;
  // Returns the lowest and the highest accuracy of the seeds; nullopt if there is only one.
  std::optional<Spread> range() const;
  // Returns the mean less, and plus, one standard deviation (with seeds - 1 in the denominator); nullopt if
  // there is only one seed.
  std::optional<Spread> deviation() const;
};

struct Trained {
  Training training;
  protocols::Plan plan;              // of the first seed, as it was trained
  std::vector<TrainedRound> rounds;  // at least one; the last is the end of the training
};

// The conditions under which figures train. They are the same for all figures of a command.
struct TrainerSettings {
  std::string data;  // in place of the plans' data, as in the key population.data; empty: the plans' own
  double scale = 1;  // the fraction of the rounds that are trained, in (0, 1]
  std::filesystem::path out = "reproduced";
  bool resume = false;  // whether OUT/runs may hold runs of these trainings already
  // A folder of stored logs, from which figures are drawn; empty: train. If `data` is given, the logs must be
  // of that data; otherwise they may be of any data, which they name.
  std::filesystem::path logs = {};
  unsigned threads = 1;
  // Once *interrupt is true, the run under way stops and keeps its checkpoint.
  const std::atomic<bool>* interrupt = nullptr;
  // Gives the plan of a training; tests replace it.
  std::function<protocols::PlanSource(const std::string& name)> plans = paper_plan;
};

class Trainer {
 public:
  // Throws Error(usage) for a scale outside (0, 1].
  Trainer(const TrainerSettings& settings, experiments::MakeObserver make_observer,
          reporting::NoteSink notes);

  // Checks all that can be checked before the first run: plans, accountants and data and, with stored logs,
  // that each log is of this plan, scale and data. Call it once for the trainings of all figures. Throws what
  // ManyRuns::check and load_data throw, Error(file) for a folder that holds runs of these trainings unless
  // `resume`, and for a log that is missing or belongs to another training, Error(checkpoint) for a run on
  // other data of the same name, and Error(usage) if two trainings would become the same one at this scale.
  void check(const std::vector<Training>& trainings);

  // Returns the training, which must have been checked, with all its seeds: from its stored log, or after
  // training what is left of its runs. Throws Error(interrupted) if it was interrupted, and what
  // ManyRuns::run throws.
  Trained train(const Training& training);

  // Returns the training's plan as the paper has it: with the plan's own data, and for all its rounds.
  protocols::Plan full_plan(const Training& training) const;

  double scale() const { return settings_.scale; }
  bool full_length() const { return settings_.scale == 1; }
  // Says what images are trained on in place of the paper's: the built-in digits, or others that have MNIST's
  // format; empty if they are MNIST's or CIFAR's. Trainings that were checked tell this.
  std::string other_images() const;

 private:
  // Whether figures of images are trained on the built-in digits: by the plans, or because the user says so.
  bool uses_digits() const;
  // Whether figures are drawn from stored logs that may be of any data.
  bool draws_any_data() const;
  struct Checked {
    Training training;
    std::vector<protocols::Plan> plans;  // as they are trained, one for each seed
    LogHead head;
    std::optional<TrainingLog> log;  // nullopt: not trained yet
  };
  struct Data {
    std::string digest;  // as LogHead::digest
    std::uint64_t records = 0;
  };
  protocols::PlanSource source_of(const Training& training) const;
  protocols::Plan plan_of(const Training& training) const;
  std::filesystem::path folder_of(const protocols::Plan& plan) const;
  const Data& data_of(const protocols::Plan& plan);
  std::string public_digest_of(const Training& training, const protocols::Plan& plan);
  LogHead head_of(const Training& training, const protocols::Plan& plan);
  void expect_distinct(const Training& training, const protocols::Plan& plan) const;
  void expect_own_runs(const Checked& checked) const;
  TrainingLog stored_log(Checked& checked) const;
  TrainingLog train_runs(const Checked& checked);

  TrainerSettings settings_;
  reporting::NoteSink notes_;
  experiments::ManyRuns many_;
  std::map<std::string, Checked> checked_;  // by Training::name()
  std::map<std::string, Data> data_;        // by identity (simulation/data_source.h)
  std::uint64_t runs_ = 0;                  // of all trainings that were checked
  std::uint64_t begun_ = 0;
};

// Returns what Trainer::train returns for each of the trainings, in their order.
std::vector<Trained> train_all(Trainer& trainer, const std::vector<Training>& trainings);

}  // namespace muster::reproduce

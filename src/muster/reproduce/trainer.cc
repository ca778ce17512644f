#include "muster/reproduce/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reporting/run_notes.h"
#include "muster/reproduce/figure_files.h"
#include "muster/reproduce/images.h"
#include "muster/reproduce/shortened_plan.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/population.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::reproduce {

namespace fs = std::filesystem;
using protocols::Plan;
using protocols::PlanSource;

namespace {

constexpr const char* kDigits = "digits";
constexpr const char* kIdx = "idx";
constexpr const char* kCifar = "cifar";

std::string hexadecimal(const simulation::Digest& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

// Returns the name of the plan's data without their path: "digits", or a format such as "idx".
std::string format_of(const Plan& plan) { return plan.data().substr(0, plan.data().find(':')); }

Plan validated(const PlanSource& source) { return Plan::validate(source, protocols::Command::train); }

// Returns the spread of `half` to both sides of the mean.
Spread around(double mean, double half) { return {mean - half, mean + half}; }

std::vector<TrainedRound> rounds_of(const TrainingLog& log, const reporting::EpsilonOfRounds& epsilon) {
  std::vector<TrainedRound> rounds(log.lines.size() / log.head.seeds);
  for (std::size_t i = 0; i < log.lines.size(); ++i) {
    const LogLine& line = log.lines[i];
    TrainedRound& round = rounds[i % rounds.size()];
    if (round.accuracies.empty()) {
      round.round = line.round;
      round.step = line.step();
      round.epsilon = epsilon(line.round);
    }
    round.accuracies.push_back(line.accuracy);
  }
  return rounds;
}

}  // namespace

std::string Training::name() const {
  std::string name = plan;
  for (const auto& [key, value] : set) name += fmt::format("-{}-{}", key.substr(key.find('.') + 1), value);
  // The name becomes that of a file, and a value such as a list of steps has characters that do not belong
  // there.
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; }, '_');
  return name;
}

double TrainedRound::mean() const {
  const double mean =
      std::accumulate(accuracies.begin(), accuracies.end(), 0.0) / static_cast<double>(accuracies.size());
  // Rounding may move the mean of equal numbers away from them.
  const auto [low, high] = std::ranges::minmax(accuracies);
  return std::clamp(mean, low, high);
}

std::optional<Spread> TrainedRound::range() const {
  if (accuracies.size() < 2) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(accuracies);
  return Spread{low, high};
}

std::optional<Spread> TrainedRound::deviation() const {
  if (accuracies.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double accuracy : accuracies) squares += (accuracy - mean()) * (accuracy - mean());
  return around(mean(), std::sqrt(squares / static_cast<double>(accuracies.size() - 1)));
}

Trainer::Trainer(const TrainerSettings& settings, experiments::MakeObserver make_observer,
                 reporting::NoteSink notes)
    : settings_(settings),
      notes_(notes),
      many_({settings.threads, settings.interrupt}, std::move(make_observer), std::move(notes)) {
  if (!(settings_.scale > 0 && settings_.scale <= 1)) {
    throw Error(ErrorCode::usage, Reason::out_of_range, "--scale", fmt::format("{}", settings_.scale),
                "number in (0, 1]", "is out of range");
  }
}

bool Trainer::uses_digits() const { return settings_.data.empty() || settings_.data == kDigits; }

bool Trainer::draws_any_data() const { return !settings_.logs.empty() && settings_.data.empty(); }

std::string Trainer::other_images() const {
  const auto some = [&](const auto& holds) {
    return std::ranges::any_of(checked_, [&](const auto& checked) { return holds(checked.second.head); });
  };
  const bool digits =
      draws_any_data() ? some([](const LogHead& head) { return head.data == kDigits; }) : uses_digits();
  if (digits) return "the built-in digits";
  const bool others = some([](const LogHead& head) { return head.data == kIdx && !is_mnist(head.digest); });
  return others ? "images of MNIST's format that are not MNIST's" : "";
}

PlanSource Trainer::source_of(const Training& training) const {
  PlanSource source = settings_.plans(training.plan);
  for (const auto& [key, value] : training.set) source.override_key(key, value);
  return source;
}

Plan Trainer::full_plan(const Training& training) const { return validated(source_of(training)); }

Plan Trainer::plan_of(const Training& training) const {
  PlanSource source = shortened(source_of(training), settings_.scale);
  if (draws_any_data()) return validated(source);
  if (training.format == kCifar) {
    const CifarFolders folders = cifar_folders(settings_.data);
    source.override_key("population.data", folders.ten, "--data");
    source.override_key("model.public_data", folders.hundred, "--data");
    return validated(source);
  }
  if (uses_digits()) return validated(source);
  source.override_key("population.data", settings_.data, "--data");
  Plan plan = validated(source);
  if (format_of(plan) != training.format) {
    throw Error(ErrorCode::usage, Reason::inapplicable, "--data", settings_.data, training.format + ":PATH",
                fmt::format("is of another format than the data of {}", training.plan));
  }
  return plan;
}

fs::path Trainer::folder_of(const Plan& plan) const {
  return settings_.out / "runs" / simulation::run_name(plan);
}

const Trainer::Data& Trainer::data_of(const Plan& plan) {
  const std::string identity = simulation::data_identity(plan);
  if (const auto known = data_.find(identity); known != data_.end()) {
    simulation::expect_enough_records(simulation::holdings_of(plan), known->second.records);
    return known->second;
  }
  const learning::DataSplit loaded = simulation::load_data(plan);
  return data_[identity] = {hexadecimal(simulation::digest_of(loaded)), loaded.train.size()};
}

std::string Trainer::public_digest_of(const Training& training, const Plan& plan) {
  if (training.format != kCifar) return "";
  const std::string identity = "public " + plan.public_data();
  if (!data_.contains(identity)) {
    const learning::DataSplit open{simulation::load_public_data(plan), {}};
    data_[identity] = {hexadecimal(simulation::digest_of(open)), open.train.size()};
  }
  return data_.at(identity).digest;
}

LogHead Trainer::head_of(const Training& training, const Plan& plan) {
  LogHead head{.training = training.name(),
               .scale = settings_.scale,
               .hash = validated(shortened(source_of(training), settings_.scale)).hash(),
               .data = "",
               .digest = "",
               .seed = plan.seed(),
               .seeds = training.seeds};
  if (draws_any_data()) return head;
  head.data = format_of(plan);
  head.digest = data_of(plan).digest;
  head.public_digest = public_digest_of(training, plan);
  return head;
}

void Trainer::expect_distinct(const Training& training, const Plan& plan) const {
  for (const auto& [name, other] : checked_) {
    if (other.plans.front().hash() == plan.hash() &&
        full_plan(other.training).hash() != full_plan(training).hash()) {
      throw Error(ErrorCode::usage, Reason::out_of_range, "--scale", fmt::format("{}", settings_.scale),
                  "a larger fraction of the rounds",
                  fmt::format("leaves no difference between the trainings {} and {}", name, training.name()));
    }
  }
}

void Trainer::check(const std::vector<Training>& trainings) {
  for (const Training& training : trainings) {
    if (const auto known = checked_.find(training.name()); known != checked_.end()) {
      if (known->second.training != training) {
        throw Error(ErrorCode::internal, training.name(), "", "", "is the name of two trainings");
      }
      continue;
    }
    const Plan plan = plan_of(training);
    expect_distinct(training, plan);
    Checked checked{.training = training, .plans = {plan}, .head = head_of(training, plan), .log = {}};
    for (std::uint64_t seed = 1; seed < training.seeds; ++seed) {
      checked.plans.push_back(plan.with("seed", std::to_string(plan.seed() + seed)));
    }
    if (settings_.logs.empty()) {
      many_.check(plan);
      expect_own_runs(checked);
      runs_ += training.seeds;
    } else {
      checked.log = stored_log(checked);
    }
    checked_.emplace(training.name(), std::move(checked));
  }
}

void Trainer::expect_own_runs(const Checked& checked) const {
  std::error_code ignored;
  for (std::size_t i = 0; i < checked.plans.size(); ++i) {
    const fs::path folder = folder_of(checked.plans[i]), state = folder / simulation::kCheckpointFile;
    if (!settings_.resume && fs::exists(folder, ignored)) {
      throw Error(ErrorCode::file, folder.string(), "", "",
                  "holds a run of this training; --resume continues it, --out DIR starts another");
    }
    // The head has the digest of the first seed's data, and with built-in digits every seed draws its own
    // data. With features+linear, a checkpoint has the digest of the features instead, which is compared when
    // an unfinished run is continued.
    const bool of_features = checked.plans[i].model() == protocols::ModelKind::features_linear;
    if (!fs::exists(state, ignored) || of_features || (i > 0 && checked.head.data == kDigits)) continue;
    const std::string digest = hexadecimal(simulation::decode(read_file(state), state).data);
    if (digest != checked.head.digest) {
      throw Error(ErrorCode::checkpoint, folder.string(), digest, checked.head.digest,
                  "holds a run on other data of the same name");
    }
  }
}

TrainingLog Trainer::stored_log(Checked& checked) const {
  const fs::path file = settings_.logs / (checked.head.training + ".jsonl");
  TrainingLog log = read_training_log(file);
  if (draws_any_data()) {
    checked.head.data = log.head.data;
    checked.head.digest = log.head.digest;
    checked.head.public_digest = log.head.public_digest;
  }
  expect_log_of(checked.head, log.head, file);
  const Plan& plan = checked.plans.front();
  for (const LogLine& line : log.lines) {
    if (line.slot.has_value() != plan.has_slots() || line.step() > plan.updates() ||
        line.round != plan.rounds_charged(line.step())) {
      throw Error(ErrorCode::file, file.string(), "", "",
                  fmt::format("has a logged round that the plan does not have: {}", line.round));
    }
  }
  if (log.lines.back().step() != plan.updates()) {
    throw Error(ErrorCode::file, file.string(), std::to_string(log.lines.back().step()),
                std::to_string(plan.updates()), "ends before the plan's last round");
  }
  return log;
}

TrainingLog Trainer::train_runs(const Checked& checked) {
  TrainingLog log{checked.head, {}};
  for (const Plan& plan : checked.plans) {
    const std::string which =
        fmt::format("{}, seed {} (run {} of {})", checked.head.training, plan.seed(), ++begun_, runs_);
    const bool stop = settings_.interrupt != nullptr && *settings_.interrupt;
    if (stop || many_.run(plan, folder_of(plan), which).stopped == simulation::Stopped::interrupted) {
      throw Error(ErrorCode::interrupted, checked.head.training, "", "",
                  "interrupted; the same command with --resume continues");
    }
    for (const simulation::Measurement& logged :
         simulation::read_metrics(folder_of(plan) / simulation::kMetricsFile, plan, /*finished=*/true)) {
      log.lines.push_back({plan.seed(), logged.round, logged.slot, logged.accuracy});
    }
  }
  make_folder(settings_.out / "logs");
  replace_file(settings_.out / "logs" / (checked.head.training + ".jsonl"), log_text(log));
  return log;
}

Trained Trainer::train(const Training& training) {
  const auto found = checked_.find(training.name());
  if (found == checked_.end() || found->second.training != training) {
    throw Error(ErrorCode::internal, training.name(), "", "", "is a training that was not checked");
  }
  Checked& checked = found->second;
  if (!checked.log) checked.log = train_runs(checked);
  return {training, checked.plans.front(), rounds_of(*checked.log, many_.charge_of(checked.plans.front()))};
}

std::vector<Trained> train_all(Trainer& trainer, const std::vector<Training>& trainings) {
  std::vector<Trained> all;
  for (const Training& training : trainings) all.push_back(trainer.train(training));
  return all;
}

}  // namespace muster::reproduce

// `muster aggregator FILE`: runs the aggregator of a deployment, which learns from anonymous messages and
// charges every round, until the task is over.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "aggregator_log.h"
#include "aggregator_metrics.h"
#include "command.h"
#include "deployment_text.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/http/remote_shuffler.h"
#include "muster/http/status_server.h"
#include "muster/reporting/task_standing.h"
#include "muster/reporting/text_layout.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/aggregator/population_budget.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/setup.h"
#include "muster/wire/upload.h"
#include "role_process.h"
#include "say.h"
#include "task_status.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using reporting::TaskStanding;
using service::AggregatorRole;
using service::Learner;
using service::PopulationBudget;
using service::Progress;
using service::SqliteStore;
using service::TaskDocument;

struct AggregatorFlags {
  std::string file;
  bool charge_lost_rounds = false, stop = false, stay = false, json = false;
};

struct AggregatorSettings {
  std::string folder, task, shuffler, ca, population;
  service::ListenAddress listen;
  std::optional<std::pair<double, double>> population_budget;
  unsigned threads = 1;
};

AggregatorSettings settings_in(const std::string& path) {
  service::RoleFile file = role_file(path);
  AggregatorSettings settings;
  settings.folder = file.text("folder");
  settings.task = file.text("task");
  settings.shuffler = file.url("shuffler");
  settings.ca = file.text("ca", "");
  settings.listen = file.listen("listen", {});
  settings.threads = static_cast<unsigned>(
      file.integer("threads", 1, 1024, std::max(1u, std::thread::hardware_concurrency())));
  settings.population = file.text("population", "");
  settings.population_budget = file.epsilon_and_delta("population_budget");
  if (settings.population_budget.has_value() == settings.population.empty()) {
    file.refuse(settings.population.empty() ? "population_budget" : "population",
                "population = FILE and population_budget = [epsilon, delta]",
                "needs the other one beside it");
  }
  file.refuse_others();
  return settings;
}

// Keeps the task document beside the ledger, where `muster verify` reads it.
void keep_task(const fs::path& folder, const TaskDocument& task) {
  const fs::path path = folder / kTaskFile;
  if (!fs::exists(fs::symlink_status(path))) return replace_file(path, task.text());
  if (read_file(path) == task.text()) return;
  throw Error(ErrorCode::file, path.string(), "", "", "is another task: each task needs a folder of its own");
}

// The epsilons after different numbers of rounds, each computed only once.
class KnownEpsilons {
 public:
  explicit KnownEpsilons(const protocols::Plan& plan) : compute_(simulation::epsilon_of(plan)) {}

  double of(std::uint64_t rounds) {
    const auto found = known_.find(rounds);
    if (found != known_.end()) return found->second;
    const double epsilon = compute_(rounds);
    known_.emplace(rounds, epsilon);
    return epsilon;
  }

 private:
  std::function<double(std::uint64_t)> compute_;
  std::map<std::uint64_t, double> known_;
};

// Shows how the task stands, after every step that changed something.
class Shown {
 public:
  Shown(const TaskDocument& task, const AggregatorRole& role, const AggregatorLog& log,
        std::optional<TaskStanding::Population> population, const service::ListenAddress& listen)
      : role_(role),
        log_(log),
        population_(population),
        status_(task),
        server_(listen, reporting::standing_style()) {}

  std::string url(const service::ListenAddress& listen) const {
    return service::url_of({listen.address, server_.port()});
  }
  TaskStatus& status() { return status_; }
  // Computes what will be shown once one more round is charged.
  void prepare() { status_.statement(role_.ledger().counts().charged() + 1); }
  void update(const Progress& progress) {
    const Seen seen{progress.state, progress.reason, role_.ledger().entries().size(), role_.enrolled()};
    if (seen == seen_) return;
    seen_ = seen;
    const TaskStanding now = status_.standing(role_.ledger(), role_.history(),
                                              {.state = state_name(progress.state, role_.ledger()),
                                               .reason = progress.reason,
                                               .rejected = role_.rejected(),
                                               .accuracies = log_.accuracies(),
                                               .enrolled = role_.enrolled(),
                                               .population = population_});
    server_.show({.json = standing_json(now).str(),
                  .words = status_.words(now),
                  .page = standing_html(now),
                  .metrics = aggregator_metrics(now)});
  }

 private:
  const AggregatorRole& role_;
  const AggregatorLog& log_;
  std::optional<TaskStanding::Population> population_;
  TaskStatus status_;
  service::StatusServer server_;
  // Everything that is shown is computed from these values. `seen_` has them as of the last update, so that
  // update() does nothing if none has changed.
  struct Seen {
    Progress::State state;
    std::string reason;
    std::size_t entries;
    std::optional<std::uint64_t> enrolled;
    bool operator==(const Seen&) const = default;
  };
  std::optional<Seen> seen_;
};

// Works until the task is over or a signal arrives, and returns the last step's progress. The statement for
// the next release is computed while a round is open; otherwise the round after the release would wait for
// it.
Progress work(const TaskDocument& task, AggregatorRole& role, KnownEpsilons& epsilons, AggregatorLog& log,
              Shown& shown) {
  const std::chrono::milliseconds pause(
      std::clamp<std::uint64_t>(task.settings().seconds * 1000 / 50, 50, 1000));
  while (true) {
    const std::size_t entries = role.ledger().entries().size();
    Progress progress = role.step();
    log.look(progress);
    shown.update(progress);
    if (progress.state == Progress::State::ended || interrupted()) return progress;
    if (progress.state == Progress::State::open) {
      epsilons.of(role.ledger().counts().charged() + 1);
      shown.prepare();
    }
    // If the ledger has a new entry, there is more to do at once.
    if (role.ledger().entries().size() == entries) wait_for_signal(pause);
    if (interrupted()) return progress;
  }
}

// How a task ended, as it is printed then.
struct Outcome {
  double accuracy = 0;
  double epsilon = 0;
  std::string bound;
  double local = 0;  // epsilon of all rounds that were opened, if shuffler and aggregator collude
  service::Ledger::Counts counts;
  std::string stopped, reason, model;
};

Outcome conclude(const AggregatorRole& role, const Learner& learner, const Progress& progress,
                 TaskStatus& status, const fs::path& folder) {
  const service::Ledger& ledger = role.ledger();
  const service::Ledger::Counts& counts = ledger.counts();
  Outcome outcome{
      .accuracy = learner.score().accuracy,
      .epsilon = ledger.epsilon(),
      .bound = status.statement(counts.charged()).best.id,
      .local = status.statement(counts.opened).local_upper.value_or(std::numeric_limits<double>::infinity()),
      .counts = counts,
      .stopped = name_of(std::get<service::EndEntry>(ledger.entries().back()).why),
      .reason = progress.reason,
      .model = (folder / simulation::kModelFile).string()};
  remove_temporaries_of(outcome.model);  // a process that was killed while it wrote the model left one
  replace_file(outcome.model, simulation::encode_model(learner.stored(counts.charged(), outcome.epsilon)));
  return outcome;
}

void print_json(const TaskDocument& task, const Outcome& outcome) {
  reporting::JsonObject object;
  object.number("accuracy", outcome.accuracy).number("epsilon", outcome.epsilon);
  add_guarantee(object, task.plan());
  object.text("bound", outcome.bound)
      .object("local", reporting::JsonObject()
                           .number("epsilon", outcome.local)
                           .number("delta", task.plan().delta())
                           .unsigned_integer("rounds", outcome.counts.opened))
      .object("rounds", counts_json(outcome.counts))
      .text("stopped", outcome.stopped)
      .text("model", outcome.model);
  fmt::print("{}\n", object.str());
}

void print_words(const TaskDocument& task, const Outcome& outcome) {
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("{}", labelled(label, text));
  };
  line("accuracy", fmt::format("{:.4f} on the test set", outcome.accuracy));
  line("epsilon", guarantee_text(outcome.epsilon, task.plan()) +
                      (outcome.bound.empty() ? "" : ", by the bound " + outcome.bound));
  line("local", local_text(outcome.local, outcome.counts.opened, task.plan()));
  line("rounds", counts_text(outcome.counts, task));
  line("ended", fmt::format("{}: {}", outcome.stopped, outcome.reason));
  line("model", outcome.model);
  if (task.settings().randomness == service::Randomness::seeded) {
    line("warning", kSeededWarning);
  }
}

// Makes the role. Keeps the population's store open only meanwhile, because other tasks reserve in it as
// well. Writes into `population` what all tasks together have reserved.
std::unique_ptr<AggregatorRole> make_role(const AggregatorFlags& flags, const AggregatorSettings& settings,
                                          const TaskDocument& task, const wire::SigningKey& key,
                                          SqliteStore& store, service::ShufflerForAggregator& shuffler,
                                          Learner& learner, KnownEpsilons& epsilons,
                                          std::optional<TaskStanding::Population>& population) {
  const auto epsilon = [&epsilons](std::uint64_t rounds) { return epsilons.of(rounds); };
  service::AggregatorOptions options{
      .charge_lost_rounds = flags.charge_lost_rounds, .population = nullptr, .origin = store.path().string()};
  if (!settings.population_budget) {
    return std::make_unique<AggregatorRole>(task, key, store, shuffler, learner, epsilon, options);
  }
  const PopulationBudget::Amount limit{settings.population_budget->first, settings.population_budget->second};
  SqliteStore file(settings.population, SqliteStore::Access::create_or_open);
  PopulationBudget budget(file, settings.population, limit);
  options.population = &budget;
  auto role = std::make_unique<AggregatorRole>(task, key, store, shuffler, learner, epsilon, options);
  const PopulationBudget::Amount reserved = budget.reserved();
  if (reserved.epsilon > limit.epsilon || reserved.delta > limit.delta) {
    say(fmt::format(
        "population_budget = [{}, {}] is less than the tasks on this population have reserved already, "
        "[{}, {}]: this one goes on, and no other can begin",
        limit.epsilon, limit.delta, reserved.epsilon, reserved.delta));
  }
  population = TaskStanding::Population{{reserved.epsilon, reserved.delta}, {limit.epsilon, limit.delta}};
  return role;
}

// Waits for a signal. Until it arrives, the status server goes on telling how the task ended.
void stay() {
  constexpr std::chrono::hours kPause{1};
  std::fflush(stdout);
  while (!interrupted()) wait_for_signal(kPause);
}

int aggregate(const AggregatorFlags& flags) {
  begin_role();
  const AggregatorSettings settings = settings_in(flags.file);
  const TaskDocument task = read_task(settings.task);
  const service::RoleFolder folder = role_folder(settings.folder);
  const wire::SigningKey key = role_key(folder, "aggregator");
  keep_task(folder.path(), task);
  SqliteStore store(folder.store(), SqliteStore::Access::create_or_open);
  const simulation::Prepared parts = service::server_parts(task);
  Learner learner(task.plan(), parts, settings.threads);
  service::RemoteShufflerForAggregator shuffler(settings.shuffler, settings.ca,
                                                learner.payload() + wire::kSealing);
  std::optional<TaskStanding::Population> population;
  KnownEpsilons epsilons(task.plan());
  const auto role = make_role(flags, settings, task, key, store, shuffler, learner, epsilons, population);
  if (flags.stop) role->stop();
  AggregatorLog log(task, *role, learner, store);
  Shown shown(task, *role, log, population, settings.listen);
  shown.update({.state = Progress::State::waiting, .round = 0, .reason = "starting", .alarm = std::nullopt});
  announce({{"status", shown.url(settings.listen)}}, flags.json);
  say(fmt::format("{} rounds are planned, {} are charged so far", role->planned_rounds(),
                  role->ledger().counts().charged()));
  const Progress progress = work(task, *role, epsilons, log, shown);
  if (progress.state != Progress::State::ended) {
    say("stopping: the same command goes on from here");
    return 0;
  }
  const Outcome outcome = conclude(*role, learner, progress, shown.status(), folder.path());
  if (flags.json) {
    print_json(task, outcome);
  } else {
    print_words(task, outcome);
  }
  if (flags.stay) stay();
  return 0;
}

}  // namespace

Subcommand aggregator_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "aggregator", "Run the aggregator of a deployment",
                                 "muster aggregator aggregator.toml");
  auto flags = std::make_shared<AggregatorFlags>();
  cli->add_option("FILE", flags->file, "the aggregator's configuration, a TOML file")->type_name("FILE");
  cli->add_flag("--charge-lost-rounds", flags->charge_lost_rounds,
                "go on although the folder is older than what the shuffler has seen, with all rounds charged "
                "that it may lack; with --stop also charge an open round that waits for an issuer");
  cli->add_flag("--stop", flags->stop, "end the task as soon as no round is open");
  cli->add_flag("--stay", flags->stay,
                "go on showing the status after the task is over, until a signal arrives");
  cli->add_flag("--json", flags->json, "print the result as one JSON line");
  return {cli, [flags] { return aggregate(*flags); }};
}

}  // namespace muster::app

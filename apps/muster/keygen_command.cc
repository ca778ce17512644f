// `muster keygen`: makes the identity keys of a deployment's roles and devices, and its task document.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "count_flags.h"
#include "deployment_text.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/reporting/json.h"
#include "muster/service/config/key_file.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/task/planned_rounds.h"
#include "muster/service/task/task_document.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/setup.h"
#include "muster/wire/hex.h"
#include "role_process.h"
#include "say.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using service::TaskDocument;
using service::TaskSettings;

// A hundred thousand devices take about two minutes, nearly all of it to make their files durable.
constexpr std::uint64_t kMostDevices = 100'000, kDevicesBetweenNotes = 10'000;

struct KeygenFlags {
  std::string what, plan, out;
  std::uint64_t count = 0;
  std::string aggregator, issuer, shuffler;
  TaskSettings task;
  std::string randomness = "os";
  CLI::Option *count_option = nullptr, *malicious = nullptr, *seconds = nullptr, *most_rounds = nullptr;
  std::vector<CLI::Option*> of_tasks;  // what only `keygen task` reads
  bool json = false;
};

[[noreturn]] void refuse_missing(std::string_view flag, std::string_view what) {
  throw Error(ErrorCode::usage, Reason::missing, std::string(flag), "", std::string(what), "is missing");
}

// Throws Error(file) if there is something at `path`. `why` says why nothing may be written over.
void expect_absent(const fs::path& path, std::string_view why) {
  if (fs::exists(fs::symlink_status(path))) {
    throw Error(ErrorCode::file, path.string(), "", "", fmt::format("exists already, and {}", why));
  }
}

// Returns the folder for the keys, which is made if it does not exist.
fs::path folder_of(const KeygenFlags& flags) {
  if (flags.out.empty()) refuse_missing("--out", "the folder for the keys");
  std::error_code error;
  fs::create_directories(flags.out, error);
  if (error) throw Error(ErrorCode::file, flags.out, "", "a folder", "cannot be made: " + error.message());
  return flags.out;
}

int make_role(const KeygenFlags& flags) {
  forbid_core_files();
  const fs::path folder = folder_of(flags);
  const std::string key = wire::hex_of(service::make_key_files(folder, flags.what, flags.what));
  const std::string secret = folder / (flags.what + ".key"), shown = folder / (flags.what + ".pub");
  if (flags.json) {
    fmt::print("{}\n", reporting::JsonObject()
                           .text("role", flags.what)
                           .text("key", key)
                           .text("secret", secret)
                           .text("public", shown)
                           .str());
    return 0;
  }
  fmt::print("{:<10}  {}\nsecret key  {}: it stays on this machine, in the role's folder\npublic key  {}\n",
             flags.what, key, secret, shown);
  return 0;
}

// Makes device-1, device-2, ... with as many leading zeros as the largest number needs, and devices.txt,
// which the issuer reads to enrol them.
int make_devices(const KeygenFlags& flags) {
  forbid_core_files();
  if (flags.count_option->empty()) refuse_missing("--count", "the number of devices");
  const fs::path folder = folder_of(flags), list = folder / "devices.txt";
  expect_absent(list, "keys are never written over");
  const std::size_t width = std::to_string(flags.count).size();
  std::string enrolment = "# The public keys of the devices, one a line.\n";
  for (std::uint64_t i = 1; i <= flags.count; ++i) {
    const std::string name = fmt::format("device-{:0{}}", i, width);
    enrolment += wire::hex_of(service::make_key_files(folder, name, "device")) + "  # " + name + "\n";
    if (i % kDevicesBetweenNotes == 0) say(fmt::format("{} of {} devices have keys", i, flags.count));
  }
  replace_file(list, enrolment);
  if (flags.json) {
    fmt::print("{}\n", reporting::JsonObject()
                           .text("role", "device")
                           .unsigned_integer("count", flags.count)
                           .text("folder", folder.string())
                           .text("enrolment", list.string())
                           .str());
    return 0;
  }
  fmt::print("{} devices in {}, each with a secret key (.key) and a public one (.pub)\n", flags.count,
             folder.string());
  fmt::print("enrolment  {}: for the issuer\n", list.string());
  return 0;
}

wire::IdentityKey role_key(const std::string& path, std::string_view role) {
  if (path.empty()) refuse_missing(fmt::format("--{}", role), fmt::format("the file {}.pub", role));
  return service::read_public_key(path, role);
}

TaskSettings settings_of(const KeygenFlags& flags, const protocols::Plan& plan) {
  TaskSettings settings = flags.task;
  if (flags.malicious->empty()) refuse_missing("--malicious", "the number of devices that may be hostile");
  if (flags.seconds->empty()) refuse_missing("--seconds", "the length of a round");
  if (flags.most_rounds->empty()) settings.most_rounds = service::default_most_rounds(plan.rounds());
  if (flags.randomness != "os" && flags.randomness != "seeded") {
    throw Error(ErrorCode::usage, Reason::unknown, "--randomness", flags.randomness, "os | seeded",
                "is neither of these");
  }
  settings.randomness = flags.randomness == "seeded" ? service::Randomness::seeded : service::Randomness::os;
  settings.aggregator = role_key(flags.aggregator, "aggregator");
  settings.issuer = role_key(flags.issuer, "issuer");
  settings.shuffler = role_key(flags.shuffler, "shuffler");
  if (plan.values().data.starts_with("csv:")) {
    const learning::Dataset test = simulation::load_test_data(plan.values());
    settings.features = test.shape.size();
    settings.classes = test.classes;
  }
  return settings;
}

// Makes the task. An error names the flag of the setting, or the place of the plan's key, that it is about.
TaskDocument task_of(const KeygenFlags& flags, const protocols::Plan& plan) {
  const TaskSettings settings = settings_of(flags, plan);
  try {
    return TaskDocument::make(plan, settings);
  } catch (const Error& error) {
    const auto about = [&](const char* key, const CLI::Option* flag) {
      return error.key() == key && !flag->empty();
    };
    if (about("task.malicious", flags.malicious)) throw protocols::placed(error, "--malicious");
    if (about("task.seconds", flags.seconds)) throw protocols::placed(error, "--seconds");
    if (about("task.most_rounds", flags.most_rounds)) throw protocols::placed(error, "--most-rounds");
    throw plan.source().with_place(error);
  }
}

int make_task(const KeygenFlags& flags) {
  if (flags.plan.empty()) refuse_missing("PLAN", "the plan of the task, a TOML file");
  if (flags.out.empty()) refuse_missing("--out", "the file for the task document");
  const fs::path file = flags.out;
  expect_absent(file, "a task never changes");
  const protocols::Plan plan =
      protocols::Plan::validate(protocols::PlanSource::from_file(flags.plan), protocols::Command::train);
  const TaskDocument task = task_of(flags, plan);
  const auto epsilon_of = simulation::epsilon_of(plan);
  const std::uint64_t rounds = service::planned_rounds(plan, epsilon_of);
  const double epsilon = service::planned_epsilon(plan, rounds, epsilon_of);
  // A plan may be accounted for although its randomizer cannot be sampled. No role would start with its task.
  static_cast<void>(service::randomizer_of(task));
  replace_file(file, task.text());

  const std::string name = wire::hex_of(task.name());
  const TaskSettings& settings = task.settings();
  if (flags.json) {
    reporting::JsonObject object;
    object.text("task", name)
        .text("plan", plan.hash())
        .unsigned_integer("needed", task.needed())
        .unsigned_integer("rounds", rounds)
        .unsigned_integer("most_rounds", settings.most_rounds)
        .unsigned_integer("seconds", settings.seconds)
        .number("epsilon", epsilon);
    add_guarantee(object, plan);
    fmt::print("{}\n", object.text("file", file.string()).str());
    return 0;
  }
  fmt::print("task      {}\nplan      {}\n", name, plan.hash());
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("{}", labelled(label, text));
  };
  line(
      "needs",
      fmt::format("{} devices heard in every round: {} that the theorem counts on and {} that may be hostile",
                  task.needed(), plan.clients(), settings.malicious));
  fmt::print("rounds    {}, of {} s each; opened at most {}, void ones included\n", rounds, settings.seconds,
             settings.most_rounds);
  line("epsilon", guarantee_text(epsilon, plan));
  if (settings.randomness == service::Randomness::seeded) {
    line("warning", kSeededWarning);
  }
  fmt::print("written   {}\n", file.string());
  return 0;
}

int keygen(const KeygenFlags& flags) {
  static const std::vector<std::string_view> kinds = {"issuer", "shuffler", "aggregator", "devices", "task"};
  if (flags.what.empty()) refuse_missing("WHAT", fmt::format("{}", fmt::join(kinds, ", ")));
  const bool is_task = flags.what == "task", are_devices = flags.what == "devices";
  for (const CLI::Option* option : flags.of_tasks) {
    if (!is_task && !option->empty()) {
      throw Error(ErrorCode::usage, Reason::inapplicable, option->get_name(), "", "",
                  "applies to muster keygen task alone");
    }
  }
  if (!are_devices && !flags.count_option->empty()) {
    throw Error(ErrorCode::usage, Reason::inapplicable, "--count", "", "",
                "applies to muster keygen devices alone");
  }
  if (is_task) return make_task(flags);
  if (are_devices) return make_devices(flags);
  if (flags.what == "issuer" || flags.what == "shuffler" || flags.what == "aggregator") {
    return make_role(flags);
  }
  const std::string close = protocols::nearest(flags.what, kinds);
  throw Error(ErrorCode::usage, Reason::unknown, "WHAT", flags.what,
              fmt::format("{}", fmt::join(kinds, ", ")),
              close.empty() ? "is none of these" : fmt::format("is none of these; did you mean {}?", close));
}

}  // namespace

Subcommand keygen_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "keygen", "Make the keys and the task of a deployment",
                                 "muster keygen issuer --out keys");
  auto flags = std::make_shared<KeygenFlags>();
  cli->add_option("WHAT", flags->what, "issuer, shuffler or aggregator: the key of a role; devices; or task");
  flags->of_tasks.push_back(
      cli->add_option("PLAN", flags->plan, "of a task: its plan, a TOML file")->type_name("FILE"));
  cli->add_option("--out", flags->out, "the folder for keys, or the file for a task")->type_name("PATH");
  flags->count_option =
      add_count(*cli, "--count", flags->count, 1, kMostDevices, "devices: how many, 1 .. 100000");
  const auto of_task = [&](CLI::Option* option) {
    flags->of_tasks.push_back(option);
    return option;
  };
  of_task(cli->add_option("--aggregator", flags->aggregator, "task: the aggregator's public key")
              ->type_name("FILE"));
  of_task(cli->add_option("--issuer", flags->issuer, "task: the issuer's public key")->type_name("FILE"));
  of_task(
      cli->add_option("--shuffler", flags->shuffler, "task: the shuffler's public key")->type_name("FILE"));
  flags->malicious =
      of_task(add_count_of_task(*cli, "--malicious", flags->task.malicious, "integer 0..population.clients",
                                "task: devices that may be hostile, 0 .. population.clients"));
  flags->seconds = of_task(add_count_of_task(*cli, "--seconds", flags->task.seconds, "integer 1..604800",
                                             "task: the length of a round, 1 .. 604800"));
  flags->most_rounds = of_task(
      add_count_of_task(*cli, "--most-rounds", flags->task.most_rounds, "integer >= rounds.count",
                        "task: rounds opened at most, void ones included [rounds.count and a tenth]"));
  of_task(cli->add_option("--randomness", flags->randomness,
                          "task: os | seeded, where coins and noise come from; seeded is for tests [os]")
              ->type_name("NAME"));
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return keygen(*flags); }};
}

}  // namespace muster::app

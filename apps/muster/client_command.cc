// `muster client FILE`: runs devices of a deployment, each with a key, a store and coins of its own.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "count_flags.h"
#include "muster/core/error.h"
#include "muster/http/remote_issuer.h"
#include "muster/http/remote_shuffler.h"
#include "muster/service/client/computation.h"
#include "muster/service/client/device.h"
#include "muster/service/client/draws.h"
#include "muster/service/client/forked_computation.h"
#include "muster/service/client/policy.h"
#include "muster/service/config/key_file.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/ports/clock.h"
#include "muster/service/store/sqlite_store.h"
#include "role_process.h"
#include "say.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using service::Device;
using service::TaskDocument;

constexpr std::uint64_t kMostDevices = 10'000;
// The counts are printed at most once in this time.
constexpr std::int64_t kBetweenNotes = 1000;  // milliseconds

struct ClientFlags {
  std::string file;
  std::uint64_t devices = 1;
  bool json = false;
};

struct ClientSettings {
  std::string folder, task, shuffler, issuer, ca, data;
  std::uint64_t record = 0;
  service::Policy policy;
};

service::Policy policy_in(service::RoleFile& file) {
  service::Policy policy;
  policy.max_epsilon = file.bound("policy.max_epsilon");
  policy.max_delta = file.bound("policy.max_delta");
  policy.max_epsilon0 = file.bound("policy.max_epsilon0");
  policy.min_clients = file.integer("policy.min_clients", 1, 1'000'000'000'000);
  policy.max_rounds = file.integer("policy.max_rounds", 1, std::numeric_limits<std::int64_t>::max());
  policy.allow_seeded = file.flag("policy.allow_seeded", false);
  return policy;
}

// Returns the configuration, and the task that it names.
std::pair<ClientSettings, TaskDocument> settings_in(const std::string& path) {
  service::RoleFile file = role_file(path);
  ClientSettings settings;
  settings.folder = file.text("folder");
  settings.task = file.text("task");
  settings.shuffler = file.url("shuffler");
  settings.issuer = file.url("issuer");
  settings.ca = file.text("ca", "");
  settings.data = file.text("data");
  settings.record = file.integer("record", 0, std::uint64_t{1} << 48);
  settings.policy = policy_in(file);
  file.refuse_others();
  TaskDocument task = read_task(settings.task);
  // The format follows from the task alone. Whether the records can be read shows only after the coin.
  if (!service::has_format_of(task, settings.data)) {
    file.refuse("data", task.plan().data(), "is of another format than the task's records");
  }
  return {std::move(settings), std::move(task)};
}

// Returns the names of the devices whose keys are in the folder, in alphabetical order.
std::vector<std::string> names_in(const service::RoleFolder& folder, std::uint64_t devices) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder.path())) {
    if (file.path().extension() == ".key") names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  if (names.size() != devices) {
    throw Error(ErrorCode::usage, Reason::contradiction, "--devices", fmt::format("{}", devices),
                fmt::format("as many as there are key files in {}, which are {}", folder.path().string(),
                            names.size()),
                "is another number than that of the keys (without the flag, it is 1)");
  }
  return names;
}

// What all devices of the process share.
struct Shared {
  const TaskDocument& task;
  const ClientSettings& settings;
  std::optional<double> epsilon = std::nullopt;

  double epsilon_of(const protocols::Plan& plan, std::uint64_t rounds) {
    if (!epsilon) epsilon = service::charged_epsilon(plan, rounds);
    return *epsilon;
  }
};

// A device that is alone in its process computes in another one, which may crash or be slow without anybody
// noticing. Several devices of a process, which are for tests and demonstrations, compute one after another.
std::unique_ptr<service::Computation> computation_of(const Shared& shared, std::uint64_t record, bool alone) {
  const auto read = [&shared, record] {
    return service::DeviceRecords(shared.task, shared.settings.data).record(record);
  };
  if (alone) return std::make_unique<service::ForkedComputation>(shared.task, read);
  return std::make_unique<service::SynchronousComputation>(shared.task, read);
}

// One device. It has two connections of its own, so that its traffic with the issuer and its traffic with the
// relay never share one.
struct OwnDevice {
  OwnDevice(Shared& shared, const fs::path& path, wire::SigningKey the_key, std::uint64_t record, bool alone)
      : folder(path),
        store(folder.store(), service::SqliteStore::Access::create_or_open),
        key(std::move(the_key)),
        shuffler(shared.settings.shuffler, shared.settings.ca, service::kMaxBlob),
        issuer(shared.settings.issuer, shared.settings.ca),
        computation(computation_of(shared, record, alone)),
        draws(service::draws_of(shared.task, record)),
        device({shared.task, key, store, service::system_clock(), shuffler, issuer, *computation, *draws},
               shared.settings.policy, [&shared](const protocols::Plan& plan, std::uint64_t rounds) {
                 return shared.epsilon_of(plan, rounds);
               }) {}

  service::RoleFolder folder;
  service::SqliteStore store;
  wire::SigningKey key;
  service::RemoteShufflerForDevices shuffler;
  service::RemoteIssuer issuer;
  std::unique_ptr<service::Computation> computation;
  std::unique_ptr<service::Draws> draws;
  Device device;
  std::int64_t wakes = 0;
};

using Devices = std::vector<std::unique_ptr<OwnDevice>>;

// Says once that something is wrong, and once that it is over.
class Trouble {
 public:
  void look(bool is_there, const std::string& begins, const std::string& ends) {
    if (is_there != is_there_) say(is_there ? begins : ends);
    is_there_ = is_there;
  }

 private:
  bool is_there_ = false;
};

// Prints the counts of all devices together, which reveal nothing about a single one, and whether the other
// roles answer.
class ClientLog {
 public:
  explicit ClientLog(const ClientSettings& settings) : settings_(settings) {}

  void look(const Devices& devices, std::int64_t now, bool is_last) {
    if (now < next_ && !is_last) return;
    Device::Counts sum;
    std::size_t without_shuffler = 0, without_issuer = 0;
    std::string why_shuffler, why_issuer;  // of one of these devices
    for (const auto& one : devices) {
      const Device::Counts counts = one->device.counts();
      sum.acknowledged += counts.acknowledged;
      sum.late += counts.late;
      sum.refused += counts.refused;
      sum.faults += counts.faults;
      sum.tokens_refused += counts.tokens_refused;
      if (counts.without_shuffler >= kFailures) {
        ++without_shuffler;
        why_shuffler = one->device.trouble_with_shuffler();
      }
      if (counts.without_issuer >= kFailures) {
        ++without_issuer;
        why_issuer = one->device.trouble_with_issuer();
      }
    }
    shuffler_.look(
        without_shuffler > 0 && !is_last,
        fmt::format("{} of {} devices cannot reach the shuffler at {}{}; they try again", without_shuffler,
                    devices.size(), settings_.shuffler, in_brackets(why_shuffler)),
        "the shuffler answers again");
    issuer_.look(without_issuer > 0 && !is_last,
                 fmt::format("{} of {} devices get no tokens from the issuer at {}{}; they try again",
                             without_issuer, devices.size(), settings_.issuer, in_brackets(why_issuer)),
                 "the issuer answers again");
    std::string text = text_of(sum);
    if (text == said_) return;
    say(text);
    said_ = std::move(text);
    next_ = now + kBetweenNotes;
  }

 private:
  // How many requests of a device have to be without an answer before that is reported.
  static constexpr std::uint64_t kFailures = 2;

  static std::string in_brackets(const std::string& why) {
    return why.empty() ? why : fmt::format(" ({})", why);
  }
  static std::string text_of(const Device::Counts& counts) {
    return fmt::format(
        "{} uploads are acknowledged, {} were late, {} refused; {} tokens refused; {} faults of the others",
        counts.acknowledged, counts.late, counts.refused, counts.tokens_refused, counts.faults);
  }

  const ClientSettings& settings_;
  Trouble shuffler_, issuer_;
  std::string said_ = text_of({});  // nothing has happened yet
  std::int64_t next_ = 0;
};

// Wakes each device when its time has come, and sleeps otherwise. Returns true once all have heard that the
// task is over, and false after a signal.
bool run(const ClientSettings& settings, const Devices& devices) {
  service::Clock& clock = service::system_clock();
  ClientLog log(settings);
  while (true) {
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (const auto& one : devices) {
      if (interrupted()) return false;
      if (one->wakes <= clock.steady_ms()) one->wakes = one->device.step();
      next = std::min(next, one->wakes);
    }
    const std::int64_t now = clock.steady_ms();
    const bool is_over = std::ranges::all_of(devices, [](const auto& one) { return one->device.is_over(); });
    log.look(devices, now, is_over);
    if (is_over) return true;
    wait_for_signal(std::chrono::milliseconds(std::max<std::int64_t>(0, next - now)));
  }
}

// Runs the devices of these names. Throws std::bad_alloc if there are too many for the process.
void run_all(const ClientSettings& settings, const TaskDocument& task, const service::RoleFolder& folder,
             const std::vector<std::string>& names) {
  Shared shared{task, settings};
  Devices devices;
  for (std::size_t i = 0; i < names.size(); ++i) {
    devices.push_back(
        std::make_unique<OwnDevice>(shared, folder.path() / names[i],
                                    service::read_secret_key(folder.path() / (names[i] + ".key"), "device"),
                                    settings.record + i, names.size() == 1));
  }
  say(fmt::format("{} devices take part", devices.size()));
  say(run(settings, devices) ? "the task is over"
                             : "stopping: the devices go on from here when they are started again");
}

int take_part(const ClientFlags& flags) {
  begin_role();
  const auto [settings, task] = settings_in(flags.file);
  const service::RoleFolder folder = role_folder(settings.folder);
  const std::vector<std::string> names = names_in(folder, flags.devices);
  try {
    run_all(settings, task, folder, names);
  } catch (const std::bad_alloc&) {
    if (names.size() == 1) throw;
    // Each secret of a device lies in pages of its own, which count as two mappings or more.
    throw Error(ErrorCode::file, "--devices", fmt::format("{}", names.size()),
                "fewer, with the others in further processes, or a higher vm.max_map_count (sysctl)",
                "asks for more devices than this process gets memory or mappings for");
  }
  return 0;
}

}  // namespace

Subcommand client_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "client", "Run devices of a deployment", "muster client client.toml");
  auto flags = std::make_shared<ClientFlags>();
  cli->add_option("FILE", flags->file, "the configuration of the devices, a TOML file")->type_name("FILE");
  add_count(*cli, "--devices", flags->devices, 1, kMostDevices,
            "devices of this process, each with a key in the folder, 1 .. 10000 [1]");
  cli->add_flag("--json", flags->json, "print an error as one JSON line, too");
  return {cli, [flags] { return take_part(*flags); }};
}

}  // namespace muster::app

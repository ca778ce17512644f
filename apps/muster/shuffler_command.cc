// `muster shuffler FILE`: runs the shuffler of a deployment, which takes the names off what devices send.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "command.h"
#include "muster/http/remote_issuer.h"
#include "muster/http/shuffler_server.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/wire/payload.h"
#include "role_process.h"
#include "say.h"

namespace muster::app {
namespace {

using service::ShufflerServer;

// The longest time for an answer of the issuer, which may be on another machine. Devices and aggregator wait
// meanwhile.
constexpr unsigned kIssuerSeconds = 5;

struct ShufflerFlags {
  std::string file;
  bool json = false;
};

struct ShufflerSettings {
  std::string folder, task, issuer, ca;
  service::ShufflerServerOptions server;
};

ShufflerSettings settings_in(const std::string& path) {
  service::RoleFile file = role_file(path);
  ShufflerSettings settings;
  settings.folder = file.text("folder");
  settings.task = file.text("task");
  settings.issuer = file.url("issuer");
  settings.ca = file.text("ca", "");
  settings.server.devices = file.listen("listen", {});
  settings.server.aggregator = file.listen("listen_aggregator", {});
  settings.server.threads = static_cast<unsigned>(file.integer("threads", 1, 256, 1));
  settings.server.connections = file.integer("connections", 1, 1'000'000, 8192);
  settings.server.queue = file.integer("queue", 1, 1'000'000, 4096);
  file.refuse_others();
  return settings;
}

// Prints what becomes of rounds, in counts alone, and whether the issuer can be asked.
class ShufflerLog {
 public:
  explicit ShufflerLog(std::uint64_t needed) : needed_(needed) {}

  void look(const ShufflerServer::Seen& now) {
    if (now.closed && now.closed != seen_.closed) say_closed(*now.closed);
    if (now.open != 0 && now.open != seen_.open) say(fmt::format("round {} is open", now.open));
    if (now.trouble != seen_.trouble) {
      say(now.trouble.empty() ? "the issuer answers again" : now.trouble + "; it is asked again");
    }
    seen_ = now;
  }

 private:
  void say_closed(const wire::Manifest& manifest) const {
    const auto rejected =
        std::accumulate(manifest.rejected.begin(), manifest.rejected.end(), std::uint64_t{0});
    const bool released = manifest.outcome == wire::Manifest::Outcome::released;
    say(fmt::format("round {} is {}: {} devices were heard, {} are needed; {} uploads were rejected",
                    manifest.round, released ? "closed, its reports are shuffled" : "destroyed",
                    manifest.heard, needed_, rejected));
  }

  std::uint64_t needed_;
  ShufflerServer::Seen seen_;
};

int shuffle(const ShufflerFlags& flags) {
  begin_role();
  const ShufflerSettings settings = settings_in(flags.file);
  const service::TaskDocument task = read_task(settings.task);
  service::RemoteIssuer issuer(settings.issuer, settings.ca, kIssuerSeconds);
  const service::RoleFolder folder = role_folder(settings.folder);
  const wire::SigningKey key = role_key(folder, "shuffler");
  service::SqliteStore store(folder.store(), service::SqliteStore::Access::create_or_open);
  service::FileLogFolder logs(folder.path());
  const wire::UploadSizes sizes{wire::PayloadFormat(*service::randomizer_of(task)).size()};
  service::Shuffler shuffler(task, key, sizes, store, logs, service::system_clock(), issuer);
  ShufflerServer server(shuffler, service::system_clock(), settings.server);
  announce(
      {{"devices", service::url_of({settings.server.devices.address, server.devices_port()})},
       {"the aggregator", service::url_of({settings.server.aggregator.address, server.aggregator_port()})}},
      flags.json);
  ShufflerLog log(task.needed());
  serve_until_signal(server, [&] { log.look(server.seen()); });
  say("stopping: uploads that came before are stored and acknowledged");
  return 0;
}

}  // namespace

Subcommand shuffler_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "shuffler", "Run the shuffler of a deployment", "muster shuffler shuffler.toml");
  auto flags = std::make_shared<ShufflerFlags>();
  cli->add_option("FILE", flags->file, "the shuffler's configuration, a TOML file")->type_name("FILE");
  cli->add_flag("--json", flags->json, "print where the shuffler listens as one JSON line");
  return {cli, [flags] { return shuffle(*flags); }};
}

}  // namespace muster::app

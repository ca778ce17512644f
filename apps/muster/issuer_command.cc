// `muster issuer FILE`: runs the issuer of a deployment, which gives every enrolled device one token a round.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "muster/core/atomic_file.h"
#include "muster/http/issuer_server.h"
#include "muster/service/issuer/enrolment.h"
#include "muster/service/issuer/issuer.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/wire/key_directory.h"
#include "role_process.h"
#include "say.h"

namespace muster::app {
namespace {

using service::Issuer;
using service::IssuerServer;

// One entry of the directory belongs to a round whose issuance is over.
constexpr std::uint64_t kMostAhead = wire::kMaxDirectoryEntries - 1;

struct IssuerFlags {
  std::string file, enrol;
  bool json = false;
};

struct IssuerSettings {
  std::string folder, task;
  service::IssuerServerOptions server;
};

IssuerSettings settings_in(const std::string& path) {
  service::RoleFile file = role_file(path);
  IssuerSettings settings;
  settings.folder = file.text("folder");
  settings.task = file.text("task");
  settings.server.listen = file.listen("listen", {});
  settings.server.threads = static_cast<unsigned>(file.integer("threads", 1, 256, 1));
  settings.server.connections = file.integer("connections", 1, 1'000'000, 8192);
  settings.server.rounds_ahead = file.integer("rounds_ahead", 1, kMostAhead, 8);
  file.refuse_others();
  return settings;
}

void enrol(Issuer& issuer, const std::string& list) {
  const std::vector<wire::IdentityKey> devices = service::read_enrolment(read_file(list), list);
  const std::uint64_t added = issuer.enrol(devices);
  say(fmt::format("{} devices were enrolled now, {} in all", added, issuer.enrolled()));
}

// Says when the issuance of a round ended, and when keys were made.
class IssuerLog {
 public:
  explicit IssuerLog(const wire::IdentityKey& issuer) : issuer_(issuer) {}

  void look(wire::Bytes keys) {
    const auto now = wire::read_key_directory(keys, issuer_);
    if (!now || now->entries.empty()) return;
    const std::uint64_t closed = now->serial >> 32, last = now->entries.back().round;
    if (closed > closed_) {
      say(fmt::format("round {}: issuance ended, {} tokens were issued", closed,
                      now->entries.front().issued));
    }
    if (last > last_) say(fmt::format("rounds up to {} have their token keys", last));
    closed_ = closed;
    last_ = last;
  }

 private:
  wire::IdentityKey issuer_;
  std::uint64_t closed_ = 0, last_ = 0;
};

int issue(const IssuerFlags& flags) {
  begin_role();
  const IssuerSettings settings = settings_in(flags.file);
  const service::TaskDocument task = read_task(settings.task);
  const service::RoleFolder folder = role_folder(settings.folder);
  wire::SigningKey key = role_key(folder, "issuer");
  service::SqliteStore store(folder.store(), service::SqliteStore::Access::create_or_open);
  service::FileLogFolder logs(folder.path());
  Issuer issuer(task, std::move(key), store, logs, folder.store().string());
  if (!flags.enrol.empty()) enrol(issuer, flags.enrol);
  // A task with too few devices is refused here, before anybody is told that the issuer is ready.
  issuer.prepare(1);
  IssuerServer server(issuer, settings.server);
  announce({{"devices and the shuffler", service::url_of({settings.server.listen.address, server.port()})}},
           flags.json);
  IssuerLog log(task.settings().issuer);
  serve_until_signal(server, [&] { log.look(server.keys()); });
  say("stopping: what was asked before is answered");
  return 0;
}

}  // namespace

Subcommand issuer_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "issuer", "Run the issuer of a deployment",
                                 "muster issuer issuer.toml --enrol devices.txt");
  auto flags = std::make_shared<IssuerFlags>();
  cli->add_option("FILE", flags->file, "the issuer's configuration, a TOML file")->type_name("FILE");
  cli->add_option("--enrol", flags->enrol, "first enrol the devices of this list, those that are new")
      ->type_name("FILE");
  cli->add_flag("--json", flags->json, "print where the issuer listens as one JSON line");
  return {cli, [flags] { return issue(*flags); }};
}

}  // namespace muster::app

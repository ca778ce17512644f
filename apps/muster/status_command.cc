// `muster status URL|FOLDER`: prints how a task stands, as its aggregator says or as its folder shows.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "command.h"
#include "deployment_text.h"
#include "muster/core/error.h"
#include "muster/http/http_client.h"
#include "muster/service/aggregator/accuracy.h"
#include "muster/service/aggregator/aggregator_state.h"
#include "muster/service/aggregator/round_history.h"
#include "muster/service/config/role_folder.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/store/sqlite_store.h"
#include "role_process.h"
#include "task_status.h"

namespace muster::app {
namespace {

constexpr std::size_t kMaxStatus = std::size_t{1} << 20;

struct StatusFlags {
  std::string where, ca;
  bool json = false;
};

std::string fetched(const StatusFlags& flags) {
  const auto refuse = [&](const std::string& why) -> Error {
    return {ErrorCode::file, flags.where, "", "an aggregator's address", why};
  };
  try {
    service::HttpClient client(flags.where, flags.ca);
    const auto answer = client.get(flags.json ? "/status" : "/status.txt", kMaxStatus);
    if (answer.status != 200) throw refuse(fmt::format("answers with {}, which is no status", answer.status));
    return {answer.body.begin(), answer.body.end()};
  } catch (const service::Unreachable& error) {
    throw refuse(fmt::format("cannot be reached: {}", error.what()));
  }
}

std::string found_in(const StatusFlags& flags) {
  const std::filesystem::path folder = flags.where;
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorCode::file, flags.where, "", "an aggregator's http:// or https:// URL, or its folder",
                "is neither a folder nor such a URL");
  }
  const service::TaskDocument task = read_task((folder / kTaskFile).string());
  const auto path = service::RoleFolder::store_of(folder);
  service::SqliteStore store(path, service::SqliteStore::Access::read_only);
  const service::Ledger ledger(store, path.string());
  using State = service::Progress::State;
  const State state = !ledger.open_round()                     ? State::waiting
                      : service::read_accepted_manifest(store) ? State::closing
                                                               : State::open;
  service::RoundHistory history(task);
  history.look(ledger);
  const Situation now{.state = state_name(state, ledger),
                      .reason = ledger.ended()
                                    ? sentence_of(std::get<service::EndEntry>(ledger.entries().back()).why)
                                    : "the aggregator of this folder does not run",
                      .rejected = service::read_counts(store),
                      .accuracies = service::read_accuracies(store, history)};
  TaskStatus status(task);
  const auto standing = status.standing(ledger, history, now);
  return flags.json ? standing_json(standing).str() : status.words(standing);
}

int show_status(const StatusFlags& flags) {
  if (flags.where.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "WHERE", "", "an aggregator's URL, or its folder",
                "is missing");
  }
  const bool is_url = flags.where.starts_with("http://") || flags.where.starts_with("https://");
  fmt::print("{}{}", is_url ? fetched(flags) : found_in(flags), flags.json ? "\n" : "");
  return 0;
}

}  // namespace

Subcommand status_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "status", "Show how a deployment stands", "muster status http://127.0.0.1:8446");
  auto flags = std::make_shared<StatusFlags>();
  cli->add_option("WHERE", flags->where, "the URL of an aggregator, or the folder of one that does not run");
  cli->add_option("--ca", flags->ca, "of a URL: the authorities that sign its certificate [the system's]")
      ->type_name("FILE");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return show_status(*flags); }};
}

}  // namespace muster::app

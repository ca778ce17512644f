// `muster verify FOLDER`: checks the ledger of an aggregator's folder, without any other role: its chain, its
// signatures, and every epsilon, which is computed anew.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "deployment_text.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/reporting/json.h"
#include "muster/reporting/text_layout.h"
#include "muster/service/config/role_folder.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/ledger/verification.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/simulation/setup.h"
#include "muster/wire/hex.h"
#include "role_process.h"
#include "say.h"

namespace muster::app {
namespace {

using reporting::JsonObject;
using service::Ledger;
using service::RoundRecord;
using service::TaskDocument;
using service::Verification;

struct VerifyFlags {
  std::string folder;
  bool json = false;
};

JsonObject json_of(const RoundRecord& round) {
  return JsonObject()
      .unsigned_integer("round", round.round)
      .text("outcome", round.outcome)
      .text("reason", round.reason)
      .unsigned_integer("heard", round.heard)
      .unsigned_integer("reports", round.reports)
      .number("epsilon", round.epsilon)
      .text("signed_by", round.signer);
}

void print_json(const Ledger& ledger, const TaskDocument& task, const Verification& found) {
  std::vector<JsonObject> rounds;
  for (const RoundRecord& round : found.rounds) rounds.push_back(json_of(round));
  const service::TaskSettings& settings = task.settings();
  JsonObject object;
  object.text("task", wire::hex_of(task.name()))
      .text("plan", task.plan().hash())
      .object("signers", JsonObject()
                             .text("aggregator", wire::hex_of(settings.aggregator))
                             .text("shuffler", wire::hex_of(settings.shuffler)))
      .objects("rounds", rounds)
      .object("counts", counts_json(ledger.counts()))
      .number("epsilon", found.epsilon);
  add_guarantee(object, task.plan());
  object.text("ended", found.ended)
      .unsigned_integer("entries", ledger.entries().size())
      .text("head", wire::hex_of(ledger.head()))
      .texts("findings", found.findings);
  fmt::print("{}\n", object.str());
}

void print_words(const Ledger& ledger, const TaskDocument& task, const Verification& found) {
  fmt::print("task      {}\nplan      {}\n", wire::hex_of(task.name()), task.plan().hash());
  fmt::print("entries   {}, the last one is {}\n", ledger.entries().size(), wire::hex_of(ledger.head()));
  std::vector<reporting::TableRow> rows = {
      {"round", "outcome", "heard", "reports", "epsilon", "signed by", "reason"}};
  for (const RoundRecord& round : found.rounds) {
    rows.push_back({fmt::format("{}", round.round), round.outcome, fmt::format("{}", round.heard),
                    fmt::format("{}", round.reports), epsilon_text(round.epsilon),
                    round.signer.empty() ? "nobody" : round.signer, round.reason});
  }
  if (rows.size() > 1) fmt::print("\n{}\n", reporting::aligned(rows));
  fmt::print("rounds    {}\n", counts_text(ledger.counts(), task));
  fmt::print("epsilon   {}\n", guarantee_text(found.epsilon, task.plan()));
  fmt::print("ended     {}\n", found.ended.empty() ? "no, more rounds may follow" : found.ended);
  for (const std::string& finding : found.findings) fmt::print("wrong     {}\n", finding);
  if (found.findings.empty()) {
    fmt::print("verified  the chain, every signature and every epsilon are as they must be\n");
  }
}

int verify(const VerifyFlags& flags) {
  if (flags.folder.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "FOLDER", "", "the folder of an aggregator", "is missing");
  }
  const std::filesystem::path folder = flags.folder;
  const TaskDocument task = read_task((folder / kTaskFile).string());
  const auto path = service::RoleFolder::store_of(folder);
  service::SqliteStore store(path, service::SqliteStore::Access::read_only);
  const Ledger ledger(store, path.string());
  const Verification found = service::verify(ledger, task, simulation::epsilon_of(task.plan()));
  if (flags.json) {
    print_json(ledger, task, found);
  } else {
    print_words(ledger, task, found);
  }
  if (found.findings.empty()) return 0;
  say(fmt::format("{}: {} findings, the ledger is not as it must be", path.string(), found.findings.size()));
  return exit_status(ErrorCode::file);
}

}  // namespace

Subcommand verify_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "verify", "Check the ledger of a deployment", "muster verify aggregator");
  auto flags = std::make_shared<VerifyFlags>();
  cli->add_option("FOLDER", flags->folder, "the folder of an aggregator that does not run")->type_name("DIR");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return verify(*flags); }};
}

}  // namespace muster::app

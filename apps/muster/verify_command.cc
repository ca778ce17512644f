// `muster verify FOLDER`: checks the ledger of an aggregator's folder, without any other role: its chain, its
// signatures, and every epsilon, which is computed anew. Whether a ledger lacks its last entries shows only
// in what else is known: the updates of the model beside it, and the hash of an entry (--head).
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "deployment_text.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/reporting/json.h"
#include "muster/reporting/text_layout.h"
#include "muster/service/aggregator/learned_model.h"
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
  std::optional<std::string> head;
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

void print_words(const Ledger& ledger, const TaskDocument& task, const Verification& found,
                 bool has_noted_head) {
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("{}", labelled(label, text));
  };
  line("task", wire::hex_of(task.name()));
  line("plan", task.plan().hash());
  line("entries", fmt::format("{}", ledger.entries().size()));
  line("head", wire::hex_of(ledger.head()));
  std::vector<reporting::TableRow> rows = {
      {"round", "outcome", "heard", "reports", "epsilon", "signed by", "reason"}};
  for (const RoundRecord& round : found.rounds) {
    rows.push_back({fmt::format("{}", round.round), round.outcome, fmt::format("{}", round.heard),
                    fmt::format("{}", round.reports), epsilon_text(round.epsilon),
                    round.signer.empty() ? "nobody" : round.signer, round.reason});
  }
  if (rows.size() > 1) fmt::print("\n{}\n", reporting::aligned(rows));
  line("rounds", counts_text(ledger.counts(), task));
  line("epsilon", guarantee_text(found.epsilon, task.plan()));
  line("ended", found.ended.empty() ? "no, more rounds may follow" : found.ended);
  for (const std::string& finding : found.findings) line("wrong", finding);
  if (!found.findings.empty()) return;
  line("verified", "the chain, every signature and every epsilon are as they must be");
  line("", has_noted_head
               ? "and no entry up to the one of --head is missing"
               : "A ledger that lacks its last entries would look the same: state a head that you have "
                 "noted before as --head");
}

// Returns the hash that --head states, or nullopt if the flag was not given.
std::optional<wire::Hash> noted_head(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto head = wire::array_from_hex<wire::Hash{}.size()>(*text);
  if (head) return head;
  throw Error(ErrorCode::usage, Reason::malformed, "--head", *text,
              "64 hexadecimal digits, as `head` of verify", "is no hash of an entry");
}

// Adds a finding for everything that shows that entries are missing at the end.
void look_for_the_end(const Ledger& ledger, service::Store& store, const std::optional<wire::Hash>& noted,
                      Verification& found) {
  const auto model = store.blob("model");
  const auto updates = model ? service::stated_updates(*model) : std::nullopt;
  if (updates && *updates > ledger.counts().released) {
    found.findings.push_back(fmt::format(
        "the model has had {} updates, and the ledger has released {} rounds: entries are missing at "
        "its end",
        *updates, ledger.counts().released));
  }
  if (noted && (*noted == wire::Hash{} || !ledger.has_had(*noted))) {
    found.findings.push_back(
        fmt::format("no entry is the one of --head, {}: entries are missing, or it is another ledger",
                    wire::hex_of(*noted)));
  }
}

int verify(const VerifyFlags& flags) {
  if (flags.folder.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "FOLDER", "", "the folder of an aggregator", "is missing");
  }
  const std::optional<wire::Hash> noted = noted_head(flags.head);
  const std::filesystem::path folder = flags.folder;
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorCode::file, flags.folder, "", "the folder of an aggregator", "is no folder");
  }
  const TaskDocument task = read_task((folder / kTaskFile).string());
  const auto path = service::RoleFolder::store_of(folder);
  service::SqliteStore store(path, service::SqliteStore::Access::read_only);
  const Ledger ledger(store, path.string());
  Verification found = service::verify(ledger, task, simulation::epsilon_of(task.plan()));
  look_for_the_end(ledger, store, noted, found);
  if (flags.json) {
    print_json(ledger, task, found);
  } else {
    print_words(ledger, task, found, noted.has_value());
  }
  if (found.findings.empty()) return 0;
  say(fmt::format("{}: {}, the ledger is not as it must be", path.string(),
                  count_text(found.findings.size(), "finding")));
  return exit_status(ErrorCode::file);
}

}  // namespace

Subcommand verify_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "verify", "Check the ledger of a deployment", "muster verify aggregator");
  auto flags = std::make_shared<VerifyFlags>();
  cli->add_option("FOLDER", flags->folder, "the folder of an aggregator that does not run")->type_name("DIR");
  cli->add_option("--head", flags->head,
                  "the hash of an entry that was noted before, which the ledger must still have")
      ->type_name("HASH");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return verify(*flags); }};
}

}  // namespace muster::app

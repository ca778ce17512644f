#include "muster/service/aggregator/round_history.h"

#include <utility>
#include <variant>

#include "muster/service/ledger/entry.h"

namespace muster::service {

RoundHistory::RoundHistory(const TaskDocument& task) : task_(task), check_ins_(task.plan().stages()) {}

void RoundHistory::look(const Ledger& ledger) {
  for (; entries_ < ledger.entries().size(); ++entries_) take(ledger.entries()[entries_]);
}

void RoundHistory::take(const Entry& entry) {
  if (std::holds_alternative<OpenEntry>(entry)) {
    ++opened_;
  } else if (const auto* released = std::get_if<ReleaseEntry>(&entry)) {
    epsilon_ = released->epsilon;
    add({.round = released->round, .outcome = "released", .reason = ""}, released->manifest);
  } else if (const auto* spent = std::get_if<SpentEntry>(&entry)) {
    epsilon_ = spent->epsilon;
    add({.round = spent->round, .outcome = "spent", .reason = name_of(spent->why)}, spent->manifest);
  } else if (const auto* voided = std::get_if<VoidEntry>(&entry)) {
    add({.round = voided->round, .outcome = "void", .reason = ""}, voided->manifest);
  }
}

void RoundHistory::add(PastRound round, const SignedManifest& manifest) {
  round.epsilon = epsilon_;
  round.opened = opened_;
  round.manifest = wire::read_manifest(manifest, task_.settings().shuffler);
  if (round.manifest && round.manifest->task != task_.name()) round.manifest.reset();
  // Nobody knows how many uploads of a round that was destroyed were reports.
  if (round.manifest && round.outcome != "void") {
    check_ins_.watch_round(round.manifest->heard, round.manifest->reports);
    round.band = check_ins_.last_band();
  }
  rounds_.push_back(std::move(round));
}

}  // namespace muster::service

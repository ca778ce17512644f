#include "aggregator_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "deployment_text.h"
#include "muster/wire/manifest.h"
#include "say.h"

namespace muster::app {
namespace {

using service::Progress;
using service::ReleaseEntry;
using service::SpentEntry;
using service::VoidEntry;

constexpr std::chrono::seconds kBetweenReasons{5};

}  // namespace

AggregatorLog::AggregatorLog(const service::TaskDocument& task, const service::AggregatorRole& role,
                             const service::Learner& learner, service::Store& store)
    : task_(task),
      role_(role),
      learner_(learner),
      store_(store),
      said_(role.ledger().entries().size()),
      accuracies_(service::read_accuracies(store, role.history())) {
  // A void round leaves the model as it is.
  const auto& past = role.history().rounds();
  const auto last = std::ranges::find_if(
      past.rbegin(), past.rend(), [](const service::PastRound& each) { return each.outcome != "void"; });
  if (last != past.rend() && last->outcome == "released" && !accuracies_.contains(last->round) &&
      is_measured(role.ledger().counts().charged())) {
    measure(last->round);
  }
}

bool AggregatorLog::is_measured(std::uint64_t charged) const {
  return charged % task_.plan().log_every() == 0 || charged == role_.planned_rounds();
}

double AggregatorLog::measure(std::uint64_t round) {
  const double accuracy = learner_.score().accuracy;
  service::keep_accuracy(store_, round, accuracy);
  accuracies_[round] = accuracy;
  return accuracy;
}

void AggregatorLog::look(const Progress& progress) {
  const std::size_t before = said_;
  for (; said_ < role_.ledger().entries().size(); ++said_) say_outcome(said_);
  if (progress.alarm && *progress.alarm != alarm_) {
    alarm_ = *progress.alarm;
    say("alarm: " + alarm_);
  }
  // The reason of a step that ended a round only repeats what was just said about this round.
  if (said_ == before) say_waiting(progress);
  state_ = progress.state;
}

void AggregatorLog::say_outcome(std::size_t i) {
  const service::Entry& entry = role_.ledger().entries()[i];
  if (const auto* voided = std::get_if<VoidEntry>(&entry)) {
    say(fmt::format("round {} is void: {}; it costs nothing", voided->round,
                    manifest_text(voided->manifest)));
  } else if (const auto* spent = std::get_if<SpentEntry>(&entry)) {
    say(fmt::format("round {} is spent without an update ({}): {}; epsilon {}", spent->round,
                    name_of(spent->why), manifest_text(spent->manifest),
                    guarantee_text(spent->epsilon, task_.plan())));
  } else if (const auto* released = std::get_if<ReleaseEntry>(&entry)) {
    const bool measures = is_measured(role_.ledger().counts().charged());
    say(fmt::format("round {} is released: {}; epsilon {}{}", released->round,
                    manifest_text(released->manifest), guarantee_text(released->epsilon, task_.plan()),
                    measures ? fmt::format("; accuracy {:.4f}", measure(released->round)) : ""));
  }
}

std::string AggregatorLog::manifest_text(const service::SignedManifest& bytes) const {
  const auto manifest = wire::read_manifest(bytes, task_.settings().shuffler);
  if (!manifest) return "nothing is known of it";
  const bool is_released = manifest->outcome == wire::Manifest::Outcome::released;
  return heard_text(manifest->heard, task_.needed(),
                    is_released ? std::optional(manifest->reports) : std::nullopt);
}

void AggregatorLog::say_waiting(const Progress& progress) {
  if (progress.reason == reason_) return;
  const auto now = std::chrono::steady_clock::now();
  if (state_ == progress.state && now - said_at_ < kBetweenReasons) return;
  reason_ = progress.reason;
  said_at_ = now;
  say(progress.reason);
}

}  // namespace muster::app

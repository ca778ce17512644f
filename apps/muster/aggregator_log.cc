#include "aggregator_log.h"

#include <fmt/format.h>

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
                             const service::Learner& learner)
    : task_(task), role_(role), learner_(learner), said_(role.ledger().entries().size()) {}

void AggregatorLog::look(const Progress& progress) {
  const std::size_t before = said_;
  for (; said_ < role_.ledger().entries().size(); ++said_) say_outcome(said_);
  if (progress.alarm && *progress.alarm != alarm_) {
    alarm_ = *progress.alarm;
    say("alarm: " + alarm_);
  }
  // What was said about the round that ended is the reason that the step gives.
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
    const std::uint64_t charged = role_.ledger().counts().charged();
    const bool is_measured = charged % task_.plan().log_every() == 0 || charged == role_.planned_rounds();
    if (is_measured) accuracy_ = learner_.score().accuracy;
    say(fmt::format("round {} is released: {}; epsilon {}{}", released->round,
                    manifest_text(released->manifest), guarantee_text(released->epsilon, task_.plan()),
                    is_measured ? fmt::format("; accuracy {:.4f}", *accuracy_) : ""));
  }
}

std::string AggregatorLog::manifest_text(const service::SignedManifest& bytes) const {
  const auto manifest = wire::read_manifest(bytes, task_.settings().shuffler);
  if (!manifest) return "nothing is known of it";
  return fmt::format("{} devices were heard, {} are needed, {} checked in", manifest->heard, task_.needed(),
                     manifest->reports);
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

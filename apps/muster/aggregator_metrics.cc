#include "aggregator_metrics.h"

#include <limits>
#include <optional>

#include "muster/http/metrics.h"

namespace muster::app {
namespace {

using reporting::NamedCounts;
using reporting::TaskStanding;
using service::Metrics;

double upper(const std::optional<double>& epsilon) {
  return Metrics::rounded_up(epsilon.value_or(std::numeric_limits<double>::infinity()));
}

Metrics::Samples samples_of(const NamedCounts& counts) {
  Metrics::Samples samples;
  for (const auto& [reason, count] : counts) samples.emplace_back(reason, static_cast<double>(count));
  return samples;
}

void add_rounds(Metrics& metrics, const TaskStanding& now) {
  const TaskStanding::Rounds& rounds = now.rounds;
  metrics
      .counter("muster_aggregator_rounds_total", "Rounds that ended, by outcome.", "outcome",
               {{"released", static_cast<double>(rounds.released)},
                {"spent", static_cast<double>(rounds.spent)},
                {"void", static_cast<double>(rounds.voided)}})
      .counter("muster_aggregator_rounds_opened_total", "Rounds that were opened.",
               static_cast<double>(rounds.opened))
      .gauge("muster_aggregator_rounds_planned", "Rounds to be charged at most, within the plan's budget.",
             static_cast<double>(rounds.planned))
      .gauge("muster_aggregator_rounds_most", "Rounds to be opened at most.",
             static_cast<double>(rounds.most));
  Metrics::Samples states;
  for (const char* state : {"waiting", "open", "closing", "done", "budget", "stopped"}) {
    states.emplace_back(state, now.state == state ? 1 : 0);
  }
  metrics.gauge("muster_aggregator_state", "1 for the state of the task, 0 for the others.", "state", states);
}

void add_privacy(Metrics& metrics, const TaskStanding& now) {
  metrics
      .gauge("muster_aggregator_epsilon_upper",
             "Epsilon of the rounds charged at the task's delta, proven, if shuffler and aggregator do not "
             "collude.",
             upper(now.epsilon_upper))
      .gauge("muster_aggregator_epsilon_planned",
             "Epsilon of all planned rounds at the task's delta, proven, if shuffler and aggregator do not "
             "collude.",
             upper(now.epsilon_planned))
      .gauge(
          "muster_aggregator_local_epsilon_upper",
          "Epsilon of the rounds opened at the task's delta, proven, that is left if shuffler and aggregator "
          "collude.",
          upper(now.local))
      .gauge("muster_aggregator_delta", "The task's delta.", Metrics::rounded_up(now.delta))
      .gauge("muster_aggregator_alarm", "1 if the check-ins do not fit the declared rate, else 0.",
             now.alarm ? 1 : 0);
}

void add_last(Metrics& metrics, const TaskStanding& now) {
  metrics.gauge("muster_aggregator_needed_devices", "Devices that must be heard for a release.",
                static_cast<double>(now.needed));
  if (now.enrolled) {
    metrics.gauge("muster_aggregator_enrolled_devices", "Devices that are enrolled.",
                  static_cast<double>(*now.enrolled));
  }
  if (const reporting::StandingRound* last = now.last()) {
    metrics.gauge("muster_aggregator_last_heard_devices", "Devices heard in the round that ended last.",
                  static_cast<double>(last->counted->heard));
    if (last->shows_check_ins()) {
      metrics.gauge("muster_aggregator_last_check_ins", "Check-ins of the round that ended last.",
                    static_cast<double>(last->counted->check_ins));
    }
  }
  if (const auto accuracy = now.accuracy()) {
    metrics.gauge("muster_aggregator_accuracy_ratio", "Accuracy on the test set, as measured last.",
                  *accuracy);
  }
}

}  // namespace

std::string aggregator_metrics(const TaskStanding& now) {
  Metrics metrics;
  add_rounds(metrics, now);
  add_privacy(metrics, now);
  add_last(metrics, now);
  metrics
      .counter("muster_aggregator_uploads_rejected_total", "Uploads that the shuffler rejected, by reason.",
               "reason", samples_of(now.uploads))
      .counter("muster_aggregator_reports_rejected_total", "Reports that the aggregator rejected, by reason.",
               "reason", samples_of(now.reports));
  return metrics.text();
}

}  // namespace muster::app

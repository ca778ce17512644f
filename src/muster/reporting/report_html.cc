#include "muster/reporting/report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/run_figures.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::Bound;
using page::count_data;
using page::data;
using page::epsilon_data;
using page::fraction_data;
using page::loss_data;
using simulation::Measurement;
using simulation::RunRecord;

constexpr double kNone = std::numeric_limits<double>::infinity();  // stands for an epsilon that is not proven

// The largest number of rows in the table of logged rounds. If there are more rounds, only the last and every
// k-th before it are shown, for the smallest k that suffices.
constexpr std::size_t kMaxRows = 2000;

std::string head_of(const ReportParts& parts) {
  const RunRecord& run = parts.run;
  const std::string name = escaped(run.plan.name());
  std::string html = fmt::format(
      "<h1>{}</h1>\n<p class=\"muted\">A training run of muster, from <span class=\"mono\">{}</span></p>\n",
      name, escaped(run.folder.string()));
  if (!run.result) {
    html += page::flag(
        "bad",
        fmt::format(
            "<b>This run is not finished.</b> What follows is how far it had got when this page was made{}.",
            run.logged.empty() ? ": no round had been logged" : ""));
  }
  const std::optional<LatestFigures> end = latest(run);
  if (end) {
    html += "<div class=\"cards\">\n";
    html += page::card(fraction_data(end->accuracy), "accuracy on the test set");
    if (end->loss) {
      html += page::card(loss_data(*end->loss), "loss on the test set, in nats");
    }
    html += page::card(epsilon_data(end->epsilon),
                       fmt::format("epsilon, proven, at delta {}", run.plan.delta().value()));
    html += page::card(count_data(end->rounds),
                       fmt::format("of {} {} ({})", run.plan.rounds(),
                                   run.plan.has_slots() ? "runs of slots" : "rounds", state_of(run)));
    html += page::card(page::time_data(end->seconds), "of training");
    html += "</div>\n";
  }
  html += page::note("", records_note(run.plan));
  html += page::note("", end ? by_client_note(end->client_accuracy, end->worst_decile) : "");
  html += page::note("", sharing_note(run.plan, run.clients_per_record.value_or(1)));
  html += page::note("bad", neutral_note(run.logged.empty() ? 0 : run.logged.back().neutral.value_or(0)));
  return html + page::note("bad", larger_note(parts.larger));
}

// Returns the declared rate as text: one number, or the range from the lowest to the highest if clients or
// rounds differ.
std::string declared_rate(const protocols::Plan& plan) {
  double least = 1, most = 0;
  for (const accounting::Stage& stage : plan.stages()) {
    const double rate = accounting::message_rate(stage.participation).value();
    most = std::max(most, rate);
    least = std::min(least, plan.min_rate() ? rate * *plan.min_rate() / plan.rate() : rate);
  }
  return least < most ? fmt::format("between {:.6g} and {:.6g}", least, most) : fmt::format("{:.6g}", most);
}

std::string check_ins_of(const ReportParts& parts) {
  const protocols::CheckInMonitor& monitor = parts.watched.monitor;
  const char* unit = step_word(parts.run.plan);
  std::string html = "<h2>Check-ins</h2>\n";
  if (!monitor.blind().empty()) {
    html += page::flag("", fmt::format("Not watched: {}.", escaped(monitor.blind())));
  } else if (const auto& alarm = monitor.alarm()) {
    html += page::flag(
        "bad", fmt::format("<b>Alarm: {} check-ins</b> for the declared rate {}, raised at {} {}: {}.",
                           name_of(alarm->direction), declared_rate(parts.run.plan), unit, alarm->round,
                           escaped(alarm->reason)));
  } else if (monitor.rounds_watched() > 0) {
    html += page::flag("good", fmt::format("No alarm: {} {}s fit the declared rate {}.",
                                           monitor.rounds_watched(), unit, declared_rate(parts.run.plan)));
  }
  html += check_in_chart(parts.run, parts.watched);
  if (const auto estimate = monitor.estimate()) {
    html += fmt::format(
        "<p>Estimated effective rate: <b>{}</b>, between {} and {} with confidence {:g} %. If every client "
        "reported at "
        "the low end, these rounds would cost epsilon {}; at the high end, {}. What is charged is the "
        "declared rate.</p>\n",
        data(estimate->rate, fmt::format("{:.6g}", estimate->rate)),
        data(estimate->low, fmt::format("{:.6g}", estimate->low)),
        data(estimate->high, fmt::format("{:.6g}", estimate->high)),
        100 * (1 - protocols::CheckInMonitor::kFalseAlarm),
        epsilon_data(parts.epsilon_at_low.value_or(kNone)),
        epsilon_data(parts.epsilon_at_high.value_or(kNone)));
  }
  if (monitor.blind().empty()) {
    html += fmt::format(
        "<p class=\"muted\">While clients report at the declared rate, a whole run raises an alarm with "
        "probability "
        "at most {:g}. The band is that of one {} among all of the plan; slow drifts are found by the "
        "sum of all rounds{}.</p>\n",
        protocols::CheckInMonitor::kFalseAlarm, unit,
        monitor.rounds_skipped() > 0
            ? fmt::format(
                  "; {} {}s could not be watched, as a line of the log spans the end of a run of slots",
                  monitor.rounds_skipped(), unit)
            : "");
  }
  return html;
}

std::string bound_row(const Bound& bound, bool best) {
  return fmt::format(
      "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td>"
      "<td class=\"n\">{}</td><td>{}</td></tr>\n",
      escaped(bound.id), bound.upper ? data(*bound.upper, rounded_up(*bound.upper)) : "none",
      bound.lower ? data(*bound.lower, rounded_down(*bound.lower)) : "-", name_of(bound.validity),
      name_of(bound.view), bound.numerical_error > 0 ? fmt::format("{:.1e}", bound.numerical_error) : "-",
      best ? "best" : "");
}

std::string statement_of(const ReportParts& parts) {
  std::string html = "<h2>What it cost in privacy</h2>\n";
  if (!parts.statement) {
    return html + "<p>Nothing yet: no round is done.</p>\n";
  }
  const accounting::Statement& statement = *parts.statement;
  html += fmt::format("<p>{}; {}; {}; delta = {}. Two data sets differ in {} ({}).</p>\n",
                      escaped(accounting::describe(parts.run.plan.mechanism())),
                      escaped(accounting::describe(parts.run.plan.participation())),
                      count_text(statement.rounds, parts.run.plan.has_slots() ? "run" : "round"),
                      statement.question.fixed(),
                      parts.run.plan.holds_several() ? "one client, all its records" : "one client's record",
                      name_of(statement.best.neighbouring));
  html +=
      "<div class=\"wide\"><table>\n<tr><th>bound</th><th class=\"n\">epsilon upper</th><th "
      "class=\"n\">lower</th><th>validity</th>"
      "<th>view</th><th class=\"n\">numerical error, included</th><th></th></tr>\n";
  for (const Bound& bound : statement.all) {
    html += bound_row(bound, bound.id == statement.best.id && bound.view == statement.best.view);
  }
  html += "</table></div>\n";
  html += fmt::format(
      "<p>{} of one client: epsilon <b>{}</b>.</p>\n", local_case_over(statement.local_rounds),
      statement.local_upper ? data(*statement.local_upper, rounded_up(*statement.local_upper)) : "none");
  html += fmt::format("<p><code>{}</code>: {}. It assumes:</p>\n", escaped(statement.best.id),
                      escaped(statement.best.citation));
  html += page::listed(statement.best.assumptions);
  return html;
}

std::string plan_of(const RunRecord& run) {
  std::string html = fmt::format(
      "<h2>The plan</h2>\n<p>Hash <span class=\"mono\" id=\"hash\">{}</span>; this file and the "
      "checkpoint beside it agree.</p>\n<div class=\"wide\"><table>\n",
      run.hash);
  for (const auto& [key, value] : page::keys_of(run.plan)) {
    html += fmt::format("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escaped(key), escaped(value));
  }
  return html + "</table></div>\n";
}

std::string time_of(const RunRecord& run) {
  std::string html = "<h2>Time</h2>\n" + time_chart(run);
  const Measurement* last = run.logged.empty() ? nullptr : &run.logged.back();
  if (last != nullptr && last->seconds > 0) {
    html += fmt::format(
        "<p>{} messages in {:.3g} seconds, {:.0f} a second; {:.3g} ms a {}. Sessions add up; loading data is "
        "left out.</p>\n",
        count_data(last->messages), last->seconds, static_cast<double>(last->messages) / last->seconds,
        1000 * last->seconds / static_cast<double>(last->step()), step_word(run.plan));
  }
  return html;
}

std::string fraction_cell(std::optional<double> fraction) {
  return page::number_cell(fraction ? fraction_data(*fraction) : "-");
}

std::string rounds_of(const RunRecord& run, const WatchedRun& watched) {
  if (run.logged.empty()) {
    return "";
  }
  const std::size_t stride = (run.logged.size() + kMaxRows - 1) / kMaxRows;
  const bool neutral = run.logged.back().neutral.value_or(0) > 0;
  const bool loss = run.logged.back().loss.has_value();
  const bool by_client = run.logged.back().client_accuracy.has_value();
  std::string html = fmt::format(
      "<details><summary>{}{}</summary>\n<div class=\"wide\"><table id=\"rounds\">\n<tr><th "
      "class=\"n\">{}</th><th "
      "class=\"n\">accuracy</th><th class=\"n\">epsilon</th><th class=\"n\">check-ins</th><th "
      "class=\"n\">band</th><th "
      "class=\"n\">messages so far</th><th class=\"n\">seconds</th>{}{}{}</tr>\n",
      count_text(run.logged.size(), fmt::format("logged {}", step_word(run.plan))),
      stride > 1 ? fmt::format(", one in {} shown", stride) : "", step_word(run.plan),
      neutral ? "<th class=\"n\">neutral so far</th>" : "", loss ? "<th class=\"n\">loss</th>" : "",
      by_client ? "<th class=\"n\">by client</th><th class=\"n\">worst tenth</th>" : "");
  for (std::size_t i = 0; i < run.logged.size(); ++i) {
    if ((run.logged.size() - 1 - i) % stride != 0) {
      continue;
    }
    const Measurement& line = run.logged[i];
    const auto& band = watched.bands[i];
    html += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}{}{}</tr>\n",
        count_data(line.step()), fraction_data(line.accuracy), epsilon_data(line.epsilon),
        count_data(line.check_ins), band ? fmt::format("{} to {}", band->low, band->high) : "-",
        count_data(line.messages), data(line.seconds, fmt::format("{:.1f}", line.seconds)),
        neutral ? page::number_cell(count_data(line.neutral.value_or(0))) : "",
        loss ? page::number_cell(line.loss ? loss_data(*line.loss) : "-") : "",
        by_client ? fraction_cell(line.client_accuracy) + fraction_cell(line.worst_decile) : "");
  }
  return html + "</table></div>\n</details>\n";
}

}  // namespace

std::string report_html(const ReportParts& parts) {
  const RunRecord& run = parts.run;
  std::string html = head_of(parts);
  if (!run.logged.empty()) {
    html += "<h2>What was learned</h2>\n" + learning_chart(run) + rounds_of(run, parts.watched);
  }
  html += statement_of(parts);
  html += check_ins_of(parts);
  html += time_of(run);
  html += page::not_protected({&run.plan});
  html += plan_of(run);
  return page::whole(run.plan.name(), "a run of muster", "", html);
}

}  // namespace muster::reporting

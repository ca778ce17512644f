#include "muster/reporting/runs_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "muster/describe/participation.h"
#include "muster/describe/view.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/run_figures.h"
#include "muster/reporting/runs_charts.h"

namespace muster::reporting {
namespace {

using page::number_cell;
using protocols::Plan;

constexpr const char* kUnfinished = "unfinished";

// The style of the tables, in which only names of runs and values of keys may be broken into lines.
constexpr const char* kTables =
    "#results th,#results td{padding-right:11px;white-space:nowrap}#results "
    "td:first-child{white-space:normal}"
    "#plans td{overflow-wrap:anywhere}\n";

std::string notes_of(const std::vector<RunsNote>& notes) {
  std::string html;
  for (const RunsNote& note : notes) html += page::note(note.warns ? "bad" : "", note.words);
  return html;
}

std::string head_of(const std::vector<ComparedRun>& runs) {
  std::string html =
      fmt::format("<h1>{} runs compared</h1>\n<p class=\"muted\">Training runs of muster, from", runs.size());
  for (const ComparedRun& each : runs) {
    html += fmt::format("{} <span class=\"mono\">{}</span>", &each == &runs.front() ? "" : ",",
                        escaped(each.run.folder.string()));
  }
  return html + "</p>\n" + notes_of(cautions(runs)) + notes_of(notes_on(runs));
}

std::string fraction_cell(const std::optional<double>& fraction) {
  return number_cell(fraction ? page::fraction_data(*fraction) : "-");
}

// Returns the cells of a run from the number of rounds on. The run must have logged a round or be finished.
std::string figures_of(const Plan& plan, const LatestFigures& end, const char* state, bool by_client) {
  const std::string rounds = page::count_data(end.rounds) +
                             (end.rounds == plan.rounds() ? "" : fmt::format(" of {}", plan.rounds()));
  return number_cell(rounds) + fmt::format("<td>{}</td>", state) +
         number_cell(page::epsilon_data(end.epsilon)) + number_cell(fmt::format("{}", plan.delta().value())) +
         fraction_cell(end.accuracy) +
         (by_client ? fraction_cell(end.client_accuracy) + fraction_cell(end.worst_decile) : "") +
         number_cell(page::time_data(end.seconds));
}

std::string row_of(const ComparedRun& each, std::size_t i, bool by_client) {
  const Plan& plan = each.run.plan;
  const std::optional<LatestFigures> end = latest(each.run);
  std::string html = fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td>", run_swatch(i),
                                 escaped(each.label), name_of(plan.protocol()), name_of(plan.randomizer()));
  if (end) {
    html +=
        figures_of(plan, *end, each.run.result ? name_of(each.run.result->stopped) : kUnfinished, by_client);
  } else {
    html += number_cell(page::count_data(0) + fmt::format(" of {}", plan.rounds())) +
            fmt::format("<td>{}</td>", kUnfinished);
    for (int column = 0; column < (by_client ? 6 : 4); ++column) html += number_cell("-");
  }
  return html + "</tr>\n";
}

std::string results_of(const std::vector<ComparedRun>& runs, bool by_client) {
  std::string html = fmt::format(
      "<h2>Results</h2>\n<div class=\"wide\"><table id=\"results\">\n<tr><th>run</th><th>protocol</th>"
      "<th>randomizer</th><th class=\"n\">rounds</th><th>state</th><th class=\"n\">epsilon</th>"
      "<th class=\"n\">delta</th><th class=\"n\">accuracy</th>{}<th class=\"n\">time</th></tr>\n",
      by_client ? "<th class=\"n\">client mean</th><th class=\"n\">worst tenth</th>" : "");
  for (std::size_t i = 0; i < runs.size(); ++i) html += row_of(runs[i], i, by_client);
  html += "</table></div>\n";
  const accounting::View view = accounting::own_view(runs.front().run.plan.participation());
  const bool same_view = std::ranges::all_of(runs, [&](const ComparedRun& each) {
    return accounting::own_view(each.run.plan.participation()) == view;
  });
  return html +
         fmt::format(
             "<p class=\"muted\">Each epsilon is a proven upper value for the rounds of that run alone, "
             "computed anew for this page and rounded up{}. Accuracy is measured on the test set.</p>\n",
             same_view ? fmt::format(", in the view {}", name_of(view)) : "");
}

std::string learning_of(const std::vector<ComparedRun>& runs) {
  const std::string by_step = runs_chart(runs, RunAxis::step, RunMeasure::accuracy);
  if (by_step.empty()) return "<h2>What was learned</h2>\n<p>Nothing yet: no round is logged.</p>\n";
  return "<h2>What was learned</h2>\n" + by_step + runs_chart(runs, RunAxis::epsilon, RunMeasure::accuracy);
}

std::string clients_of(const std::vector<ComparedRun>& runs) {
  const std::string by_epsilon = runs_chart(runs, RunAxis::epsilon, RunMeasure::by_client);
  return "<h2>Accuracy by client</h2>\n" + runs_chart(runs, RunAxis::step, RunMeasure::by_client) +
         by_epsilon +
         "<p class=\"muted\">A client's accuracy is that on test examples with the labels of its records. "
         "These numbers tell of the clients' records, and no epsilon covers them.</p>\n";
}

std::string plans_of(const std::vector<ComparedRun>& runs) {
  const std::vector<DifferingKey> keys = differing_keys(runs);
  if (keys.empty()) return "<h2>How the plans differ</h2>\n<p>All plans are the same.</p>\n";
  std::string html =
      "<h2>How the plans differ</h2>\n<div class=\"wide\"><table id=\"plans\">\n<tr><th>key</th>";
  for (const ComparedRun& each : runs) html += fmt::format("<th>{}</th>", escaped(each.label));
  html += "</tr>\n";
  for (const DifferingKey& each : keys) {
    html += fmt::format("<tr><td><code>{}</code></td>", escaped(each.key));
    for (const auto& value : each.values) html += fmt::format("<td>{}</td>", value ? escaped(*value) : "-");
    html += "</tr>\n";
  }
  return html +
         "</table></div>\n<p class=\"muted\">All other keys are the same. A dash means that the key does "
         "not apply to the plan, or is not stated.</p>\n";
}

}  // namespace

std::vector<DifferingKey> differing_keys(const std::vector<ComparedRun>& runs) {
  std::map<std::string, std::vector<std::optional<std::string>>> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [key, value] : page::keys_of(runs[i].run.plan)) {
      values.try_emplace(key, runs.size()).first->second[i] = value;
    }
  }
  std::vector<DifferingKey> found;
  for (auto& entry : values) {
    auto& row = entry.second;
    const bool same = std::ranges::all_of(row, [&](const auto& value) { return value == row.front(); });
    if (!same) found.push_back({entry.first, std::move(row)});
  }
  return found;
}

std::string runs_html(const std::vector<ComparedRun>& runs) {
  const bool by_client = std::ranges::any_of(runs, [](const ComparedRun& each) {
    const std::optional<LatestFigures> end = latest(each.run);
    return end && end->client_accuracy;
  });
  std::string html = head_of(runs) + results_of(runs, by_client) + learning_of(runs);
  if (by_client) html += clients_of(runs);
  std::vector<const Plan*> plans;
  std::string title;
  for (const ComparedRun& each : runs) {
    plans.push_back(&each.run.plan);
    title += (title.empty() ? "" : ", ") + each.label;
  }
  return page::whole(title, "runs of muster", kTables + runs_style(),
                     html + plans_of(runs) + page::not_protected(plans));
}

}  // namespace muster::reporting

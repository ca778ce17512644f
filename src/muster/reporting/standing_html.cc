#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/standing_charts.h"
#include "muster/reporting/task_standing.h"

namespace muster::reporting {
namespace {

using page::count_data;
using page::data;
using page::epsilon_data;

// The kOpenRows newest rounds are in a table that is always visible, and at most kMoreRows older ones in a
// table that the reader can unfold.
constexpr std::size_t kOpenRows = 12, kMoreRows = 2000;
// The page loads itself again kLoadsARound times in each round, but after kOftenest seconds at the earliest
// and kSeldomest seconds at the latest.
constexpr std::uint64_t kLoadsARound = 10, kOftenest = 2, kSeldomest = 60;

constexpr const char* kStyle =
    R"css(.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:18px 26px;margin:14px 0}
.charts svg{width:100%}.state{font-size:17px}.hash{font-size:12px;margin:2px 0}
.card b span{color:inherit;font-size:inherit}.few{grid-template-columns:repeat(auto-fit,minmax(min(100%,360px),1fr))}
.wide{margin:10px 0 20px}.past td,.past th,.older td,.older th{white-space:nowrap}td.n+td:not(.n),th.n+th:not(.n){padding-left:10px}a{color:var(--c1)}
@media (max-width:520px){main{padding:18px 12px 40px}h1{font-size:22px}th,td{padding-right:9px}}
)css";

// Returns an element whose id is the figure's path in the JSON object.
std::string item(const std::string& path, const std::string& html) {
  return fmt::format("<span id=\"{}\">{}</span>", escaped(path), html);
}
std::string count_item(const std::string& path, std::uint64_t count) { return item(path, count_data(count)); }
std::string text_item(const std::string& path, const std::string& plain) {
  return item(path, escaped(plain));
}
std::string delta_data(double delta) { return data(delta, fmt::format("{}", delta)); }
std::string epsilon_item(const std::string& path, const std::optional<double>& epsilon) {
  return item(path, epsilon ? epsilon_data(*epsilon) : "none");
}

std::string row(std::initializer_list<std::string> cells) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
  return html + "</tr>\n";
}
std::string numbers_row(const std::string& name, std::initializer_list<std::string> numbers,
                        const std::string& words) {
  std::string html = fmt::format("<tr><td>{}</td>", name);
  for (const std::string& number : numbers) html += page::number_cell(number);
  return html + fmt::format("<td>{}</td></tr>\n", words);
}
std::string table(const std::string& id, const std::string& head, const std::string& rows) {
  return fmt::format("<div class=\"wide {0}\"><table id=\"{0}\">\n<tr>{1}</tr>\n{2}</table></div>\n", id,
                     head, rows);
}

std::string head_of(const TaskStanding& now) {
  std::string html = fmt::format(
      "<h1>{}</h1>\n<p class=\"muted\">A deployment of muster, as its aggregator sees it</p>\n"
      "<p class=\"muted mono hash\">task {}</p>\n<p class=\"muted mono hash\">plan {}</p>\n",
      escaped(now.name), text_item("task", now.task), text_item("plan", now.plan));
  if (now.is_seeded) {
    html += page::flag("bad",
                       "<b>This task protects nobody.</b> Its randomness is seeded: coins and noise of the "
                       "devices follow from the plan's public seed. It is for tests alone.");
  }
  const bool is_well = now.state == "open" || now.state == "done";
  const char* kind = now.state == "stopped" ? "bad" : is_well ? "good" : "";
  html += page::flag(kind, fmt::format("<span class=\"state\"><b>{}</b>: {}</span>",
                                       text_item("state", now.state), text_item("reason", now.reason)));
  return now.alarm ? html + page::flag("bad", fmt::format("<b>Alarm.</b> {}", text_item("alarm", *now.alarm)))
                   : html;
}

std::string check_ins_words(const StandingRound& last) {
  if (!last.shows_check_ins())
    return fmt::format("reports handed over in round {}, which is void", last.round);
  const auto& band = last.counted->band;
  return fmt::format("check-ins in round {}", last.round) +
         (band ? fmt::format("; the declared rate allows {} to {}", band->low, band->high) : "");
}

std::string cards_of(const TaskStanding& now) {
  const auto accuracy = now.accuracy();
  const StandingRound* last = now.last();
  std::string html = "<div class=\"cards\">\n";
  html += page::card(item("accuracy", accuracy ? page::fraction_data(*accuracy) : "not yet"),
                     "accuracy on the test set");
  html += page::card(count_item("rounds.released", now.rounds.released),
                     fmt::format("rounds released, of {} planned", now.rounds.planned));
  if (last != nullptr) {
    html += page::card(count_item("last.heard", last->counted->heard),
                       fmt::format("devices heard in round {}; {} are needed", last->round, now.needed));
    html += page::card(count_item("last.check_ins", last->counted->check_ins), check_ins_words(*last));
  }
  html += "</div>\n<div class=\"cards few\">\n";
  html += page::card(
      epsilon_item("epsilon.upper", now.epsilon_upper),
      fmt::format(
          "epsilon of the rounds charged, at delta {}: {}, {}, view {} (shuffler and aggregator do not "
          "collude)",
          item("delta", delta_data(now.delta)), text_item("validity", now.validity),
          text_item("neighbouring", now.neighbouring), text_item("view", now.view)));
  html += page::card(
      epsilon_item("local.epsilon", now.local),
      fmt::format("epsilon that is left, in {} rounds opened, at delta {}: {}, {}, view shuffler-colludes "
                  "(shuffler and aggregator collude)",
                  count_item("local.rounds", now.local_rounds), item("local.delta", delta_data(now.delta)),
                  escaped(now.validity), escaped(now.neighbouring)));
  return html + "</div>\n";
}

// Returns the paragraph that explains both epsilons of a round.
std::string guarantee_of(const TaskStanding& now) {
  return fmt::format(
      "<p class=\"muted\">Both epsilons are upper values at delta {}, {}, {}: one of the rounds charged, in "
      "the view {}, and the other one of the rounds opened, in the view shuffler-colludes, if shuffler and "
      "aggregator collude.</p>\n",
      now.delta, escaped(now.validity), escaped(now.neighbouring), escaped(now.view));
}

std::string charts_of(const TaskStanding& now) {
  const std::string accuracy = accuracy_chart(now), epsilon = epsilon_chart(now);
  const std::string heard = heard_chart(now), check_ins = check_ins_chart(now);
  std::string html = "<h2>Round by round</h2>\n";
  if (now.past.empty()) return html + "<p>Nothing yet: no round has ended.</p>\n";
  html += fmt::format("<div class=\"charts\">\n{}{}{}{}</div>\n", accuracy, epsilon, heard, check_ins);
  return html + guarantee_of(now);
}

std::string round_row(const StandingRound& round) {
  const auto& counted = round.counted;
  std::uint64_t rejected = 0;
  if (counted) {
    for (const auto& each : counted->rejected) rejected += each.second;
  }
  const bool shown = round.shows_check_ins();
  std::string html = "<tr>" + page::number_cell(count_data(round.round));
  html += fmt::format("<td>{}{}</td>", escaped(round.outcome),
                      round.reason.empty() ? "" : fmt::format(": {}", escaped(round.reason)));
  html += page::number_cell(counted ? count_data(counted->heard) : "-");
  html += page::number_cell(shown ? count_data(counted->check_ins) : "-");
  html += page::number_cell(
      shown && counted->band ? fmt::format("{} to {}", counted->band->low, counted->band->high) : "-");
  html += page::number_cell(counted ? count_data(rejected) : "-");
  html += page::number_cell(epsilon_data(round.epsilon)) + page::number_cell(epsilon_data(round.local));
  return html + page::number_cell(round.accuracy ? page::fraction_data(*round.accuracy) : "-") + "</tr>\n";
}

std::string rounds_table(const TaskStanding& now) {
  if (now.past.empty()) return "";
  const std::string head =
      "<th class=\"n\">round</th><th>outcome</th><th class=\"n\">heard</th><th class=\"n\">check-ins</th>"
      "<th class=\"n\">band</th><th class=\"n\">uploads rejected</th><th class=\"n\">epsilon</th>"
      "<th class=\"n\">if they collude</th><th class=\"n\">accuracy</th>";
  std::string newest, older;
  for (std::size_t i = 0; i < std::min(now.past.size(), kOpenRows + kMoreRows); ++i) {
    (i < kOpenRows ? newest : older) += round_row(now.past[now.past.size() - 1 - i]);
  }
  std::string html = table("past", head, newest) + guarantee_of(now);
  if (older.empty()) return html;
  const std::size_t more = std::min(now.past.size() - kOpenRows, kMoreRows);
  return html + fmt::format("<details><summary>the {} before</summary>\n{}</details>\n",
                            count_text(more, "round"), table("older", head, older));
}

std::string counts_of(const TaskStanding& now) {
  const TaskStanding::Rounds& rounds = now.rounds;
  return "<h2>Rounds</h2>\n" + rounds_table(now) +
         table("rounds", "<th>rounds</th><th class=\"n\">number</th><th></th>",
               numbers_row("released", {count_data(rounds.released)}, "used for an update: charged") +
                   numbers_row("spent", {count_item("rounds.spent", rounds.spent)},
                               "reports left the shuffler and could not be used: charged") +
                   numbers_row("void", {count_item("rounds.void", rounds.voided)},
                               "destroyed by the shuffler before anything left it: not charged") +
                   numbers_row("opened", {count_item("rounds.opened", rounds.opened)},
                               "offered to devices: those above, and one that is open") +
                   numbers_row("planned", {count_item("rounds.planned", rounds.planned)},
                               "to be charged at most, within the plan's budget") +
                   numbers_row("most", {count_item("rounds.most", rounds.most)}, "to be opened at most"));
}

std::string last_of(const TaskStanding& now) {
  const StandingRound* last = now.last();
  std::string html = "<h2>Devices</h2>\n";
  if (last == nullptr) {
    html += fmt::format("<p>The round that ended last: {}. A round needs {} devices.</p>\n",
                        item("last", "none yet"), now.needed);
    return now.alarm ? html
                     : html + fmt::format("<p>{}: no check-in was counted.</p>\n", item("alarm", "No alarm"));
  }
  const auto& counted = *last->counted;
  html += fmt::format(
      "<p>In round {}, {} devices were heard. A round is released if {} are, of {} that are enrolled. ",
      count_item("last.round", last->round), counted.heard, count_item("last.needed", now.needed),
      item("last.enrolled", now.enrolled ? count_data(*now.enrolled) : "an unknown number"));
  html += "The band of its check-ins, by the declared rate: ";
  html += counted.band ? fmt::format("{} to {}.</p>\n", count_item("last.band.0", counted.band->low),
                                     count_item("last.band.1", counted.band->high))
                       : item("last.band", "none") + ".</p>\n";
  if (now.alarm) return html;
  return html + page::flag("good", item("alarm", "No alarm") + ": the check-ins fit the declared rate.");
}

std::string privacy_row(const char* what, const std::string& epsilon, const std::string& delta,
                        const std::string& validity, const std::string& view) {
  return row({what, epsilon, delta, validity, view});
}

std::string privacy_of(const TaskStanding& now) {
  const std::string delta = delta_data(now.delta), validity = escaped(now.validity), view = escaped(now.view);
  std::string rows =
      privacy_row(
          "rounds charged, at least",
          item("epsilon.lower",
               now.epsilon_lower ? data(*now.epsilon_lower, rounded_down(*now.epsilon_lower)) : "none"),
          delta, validity, view) +
      privacy_row("all planned rounds", epsilon_item("epsilon_planned", now.epsilon_planned), delta, validity,
                  view);
  if (const auto& population = now.population) {
    rows += privacy_row("all tasks on the population",
                        epsilon_item("population.epsilon", population->reserved.epsilon),
                        item("population.delta", delta_data(population->reserved.delta)), validity, view);
    rows += privacy_row("the population's budget",
                        item("population.budget.epsilon",
                             data(population->budget.epsilon, fmt::format("{}", population->budget.epsilon))),
                        item("population.budget.delta", delta_data(population->budget.delta)), "", "");
  }
  std::string html =
      "<h2>What it costs in privacy</h2>\n" +
      table("privacy", "<th></th><th>epsilon</th><th>delta</th><th>validity</th><th>view</th>", rows);
  if (!now.population) {
    html +=
        fmt::format("<p>Budget of the population over several tasks: {}.</p>\n", item("population", "none"));
  }
  html += fmt::format(
      "<p>The bound <code>{}</code> holds for neighbours in the relation {}, and assumes:</p>\n<ul>\n",
      text_item("bound", now.bound), escaped(now.neighbouring));
  for (std::size_t i = 0; i < now.assumptions.size(); ++i) {
    html += fmt::format("<li>{}</li>\n", text_item(fmt::format("assumptions.{}", i), now.assumptions[i]));
  }
  return html +
         "</ul>\n<p>Shuffler and issuer are one operator, the aggregator another. If the two collude, "
         "what is left is the second epsilon above, in the view shuffler-colludes.</p>\n";
}

// Returns in plain words what a reason of the shuffler or the aggregator for rejecting a message means.
const char* meaning_of(const std::string& reason) {
  constexpr std::pair<const char*, const char*> kMeanings[] = {
      {"version", "of another version of the wire"},
      {"layer", "its outer layer does not open"},
      {"token", "without a valid token of the round"},
      {"repeated", "a token that was spent before with another message, or a copy of another report"},
      {"late", "after the round was closed, or for another round"},
      {"sealed", "its inner layer does not open"},
      {"sign", "a sign that is neither 0 nor 1"},
      {"range", "an index, an answer or a number out of range"},
      {"padding", "bits that are not used are not 0"},
      {"length", "not of the task's length"}};
  const auto* found = std::ranges::find_if(kMeanings, [&](const auto& each) { return each.first == reason; });
  return found == std::end(kMeanings) ? "" : found->second;
}

std::string rejected_of(const TaskStanding& now) {
  const StandingRound* last = now.last();
  std::string uploads, reports;
  for (std::size_t i = 0; i < now.uploads.size(); ++i) {
    const auto& [reason, count] = now.uploads[i];
    const bool known = last != nullptr && i < last->counted->rejected.size();
    uploads +=
        numbers_row(escaped(reason),
                    {known ? count_item("last.rejected." + reason, last->counted->rejected[i].second) : "-",
                     count_item("rejected.uploads." + reason, count)},
                    meaning_of(reason));
  }
  for (const auto& [reason, count] : now.reports) {
    reports +=
        numbers_row(escaped(reason), {count_item("rejected.reports." + reason, count)}, meaning_of(reason));
  }
  return "<h2>What was rejected</h2>\n" +
         table("uploads",
               "<th>uploads, by the shuffler</th><th class=\"n\">last round</th>"
               "<th class=\"n\">all rounds</th><th></th>",
               uploads) +
         table("reports", "<th>reports, by the aggregator</th><th class=\"n\">all rounds</th><th></th>",
               reports);
}

}  // namespace

const std::string& standing_style() {
  static const std::string style = page::style_sheet(kStyle);
  return style;
}

std::string standing_html(const TaskStanding& now) {
  const std::uint64_t pause = std::clamp(now.seconds / kLoadsARound, kOftenest, kSeldomest);
  const std::string again =
      now.is_over ? "" : fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", pause);
  const std::string body = head_of(now) + cards_of(now) + charts_of(now) + privacy_of(now) + counts_of(now) +
                           last_of(now) + rejected_of(now) +
                           "<p class=\"muted\">Epsilons are rounded up here. The same figures in full: "
                           "<a href=\"/status\">/status</a>, and <a href=\"/metrics\">/metrics</a>.</p>\n";
  return page::framed(again, fmt::format("{}: a deployment of muster", now.name), standing_style(), body);
}

}  // namespace muster::reporting

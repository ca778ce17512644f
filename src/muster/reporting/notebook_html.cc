#include "muster/reporting/notebook_html.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/curve_text.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/run_figures.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::Bound;
using accounting::Statement;

// Notebooks align the cells of tables to the right and colour every other row; in some themes, text on that
// colour cannot be read. This style undoes both, and draws borders in the colour of the text.
constexpr const char* kCell =
    "text-align:left;vertical-align:top;padding:2px 14px 2px 0;background:none;color:inherit;"
    "border:0;border-bottom:1px solid currentColor";
constexpr const char* kPiece = "color:inherit;background:none;max-width:64em;overflow-x:auto";

std::string row(const char* tag, const std::vector<std::string>& plain) {
  std::string cells;
  for (const std::string& text : plain) {
    cells += fmt::format("<{0} style=\"{1}\">{2}</{0}>", tag, kCell, escaped(text));
  }
  return fmt::format("<tr style=\"background:none\">{}</tr>\n", cells);
}

std::string table(const std::string& rows) {
  return fmt::format("<table style=\"border-collapse:collapse;margin:6px 0;color:inherit\">\n{}</table>\n",
                     rows);
}

std::string piece(const std::string& body) {
  return fmt::format("<div style=\"{}\">\n{}</div>\n", kPiece, body);
}

std::string listed(const std::vector<std::string>& plain) {
  std::string items;
  for (const std::string& text : plain) items += fmt::format("<li>{}</li>\n", escaped(text));
  return fmt::format("<ul style=\"margin:4px 0\">\n{}</ul>\n", items);
}

std::string upper_text(const Bound& bound) { return bound.upper ? rounded_up(*bound.upper) : "none"; }
std::string lower_text(const Bound& bound) { return bound.lower ? rounded_down(*bound.lower) : "-"; }

// Returns the paragraph "epsilon at most 0.5 at delta 1e-05, after 6800 rounds: proven; ...".
std::string sentence(const Statement& statement) {
  const bool asks_epsilon = statement.question.asks_epsilon();
  const char* quantity = asks_epsilon ? "epsilon" : "delta";
  const std::string most = statement.best.upper
                               ? fmt::format("{} at most {}", quantity, upper_text(statement.best))
                               : fmt::format("no finite {} is proven", quantity);
  return fmt::format("<p style=\"margin:4px 0\"><b>{}</b> at {} {}, after {}: {}; {}; {}; at least {}</p>\n",
                     most, asks_epsilon ? "delta" : "epsilon", statement.question.fixed(),
                     count_text(statement.rounds, "round"), name_of(statement.best.validity),
                     name_of(statement.best.neighbouring), name_of(statement.best.view),
                     lower_text(statement.best));
}

std::string rows_of_stated_keys(const protocols::Plan& plan) {
  std::string rows = row("th", {"key", "value"});
  for (const auto& [key, value] : page::keys_of(plan)) {
    if (plan.source().find(key) != nullptr) rows += row("td", {key, value});
  }
  return rows;
}

}  // namespace

std::string notebook_html(const Statement& statement) {
  const char* quantity = statement.question.asks_epsilon() ? "epsilon" : "delta";
  std::string rows =
      row("th", {fmt::format("bound on {}", quantity), "upper", "lower", "validity", "neighbouring", "view"});
  for (const Bound& bound : statement.all) {
    rows += row("td", {bound.id, upper_text(bound), lower_text(bound), name_of(bound.validity),
                       name_of(bound.neighbouring), name_of(bound.view)});
  }
  const std::string local =
      fmt::format("<p style=\"margin:4px 0\">{}: {} {}</p>\n", local_case_over(statement.local_rounds),
                  quantity, statement.local_upper ? rounded_up(*statement.local_upper) : "none");
  return piece(sentence(statement) + table(rows) + local +
               fmt::format("<p style=\"margin:4px 0\">{}</p>\n", escaped(statement.best.citation)) +
               listed(statement.best.assumptions));
}

std::string notebook_html(const protocols::Plan& plan, const std::string& heading) {
  return piece(fmt::format("<p style=\"margin:4px 0\">{}</p>\n", escaped(heading)) +
               table(rows_of_stated_keys(plan)));
}

std::string notebook_html(const simulation::RunRecord& run) {
  std::string figures = "nothing is logged yet";
  if (const auto now = latest(run)) {
    figures = fmt::format("accuracy {:.4f} on the test set, epsilon at most {} at delta {}, after {}",
                          now->accuracy, epsilon_text(now->epsilon), run.plan.delta().value(),
                          count_text(now->rounds, "round"));
  }
  return piece(fmt::format("<p style=\"margin:4px 0\"><b>{}</b>, {}: {}</p>\n", escaped(run.plan.name()),
                           escaped(state_of(run)), figures) +
               table(rows_of_stated_keys(run.plan)));
}

std::string notebook_html(const accounting::PrivacyCurves& curves, const std::string& heading) {
  constexpr std::string_view kOpens = "<svg";
  // The style lets the picture shrink with the page; its viewBox keeps the proportions.
  std::string picture = curve_svg(curves, heading);
  return fmt::format("<div>\n{}</div>\n",
                     picture.insert(kOpens.size(), " style=\"max-width:100%;height:auto\""));
}

}  // namespace muster::reporting

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/core/number_text.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using accounting::Bound;
using accounting::Statement;

bool is_best(const Statement& statement, const Bound& bound) {
  return bound.id == statement.best.id && bound.view == statement.best.view;
}

// The first kAlways columns are always shown, and as many of the others as fit. If there are at least
// kWithValidity columns, one of them is the validity; if there are kWithView, one is the view.
constexpr std::size_t kAlways = 3, kWithValidity = 4, kWithView = 5;

std::vector<TableRow> rows_of(const Statement& statement, const std::string& quantity) {
  std::vector<TableRow> rows = {{"bound on " + quantity, "upper", "lower", "validity", "view"}};
  for (const Bound& bound : statement.all) {
    rows.push_back({bound.id, bound.upper ? rounded_up(*bound.upper) : "none",
                    bound.lower ? rounded_down(*bound.lower) : "-", name_of(bound.validity),
                    name_of(bound.view)});
  }
  return rows;
}

// Drops columns from the right until the table fits; returns how many are left.
std::size_t fit(std::vector<TableRow>& rows) {
  while (width_of(rows) > kTextWidth && rows.front().size() > kAlways) {
    for (TableRow& row : rows) {
      row.pop_back();
    }
  }
  return rows.front().size();
}

// Returns the text of a numerical error: with two significant digits, and with an exponent if it is below
// 0.01, or as an integer if it is at least 100.
std::string error_text(double error) {
  return error < 0.01  ? fmt::format("{:.1e}", error)
         : error < 100 ? fmt::format("{:.2g}", error)
                       : fmt::format("{:.0f}", error);
}

// Returns the properties that the note on a bound lists above its citation: "best; replace-one; took 1.2 ms".
// Properties that have a column in the table are left out.
std::string properties_of(const Statement& statement, const Bound& bound, std::size_t columns,
                          bool with_time) {
  std::vector<std::string> properties;
  if (is_best(statement, bound)) {
    properties.emplace_back("best");
  }
  if (columns < kWithValidity) {
    properties.emplace_back(name_of(bound.validity));
  }
  properties.emplace_back(name_of(bound.neighbouring));
  if (columns < kWithView) {
    properties.emplace_back(name_of(bound.view));
  }
  if (bound.numerical_error > 0) {
    properties.push_back(fmt::format("numerical error {}, included", error_text(bound.numerical_error)));
  }
  if (with_time) {
    properties.push_back(fmt::format("took {:.1f} ms", 1000 * bound.seconds));
  }
  return fmt::format("{}", fmt::join(properties, "; "));
}

std::string listed(const std::string& item) { return wrapped(item, "  - ", "    "); }

// Returns the assumptions that all bounds share; none if there is only one bound.
std::vector<std::string> shared_assumptions(const std::vector<Bound>& bounds) {
  std::vector<std::string> shared;
  if (bounds.size() < 2) {
    return shared;
  }
  for (const std::string& assumption : bounds.front().assumptions) {
    if (std::ranges::all_of(bounds, [&](const Bound& bound) {
          return std::ranges::find(bound.assumptions, assumption) != bound.assumptions.end();
        })) {
      shared.push_back(assumption);
    }
  }
  return shared;
}

}  // namespace

std::string local_case_over(std::uint64_t rounds) {
  std::string text = fmt::format("{}, over {}", kLocalCase, count_text(rounds, "round"));
  text.front() = 'I';
  return text;
}

std::string statement_table(const Statement& statement, bool with_time) {
  const std::string quantity = statement.question.asks_epsilon() ? "epsilon" : "delta";
  std::vector<TableRow> rows = rows_of(statement, quantity);
  const std::size_t columns = fit(rows);
  std::string text = aligned(rows);
  text += fmt::format("\n{}: {} {}\n", local_case_over(statement.local_rounds), quantity,
                      statement.local_upper ? rounded_up(*statement.local_upper) : "none");
  const std::vector<std::string> shared = shared_assumptions(statement.all);
  for (const Bound& bound : statement.all) {
    const std::string head =
        fmt::format("{} ({})", bound.id, properties_of(statement, bound, columns, with_time));
    text += "\n";
    text += wrapped(head, "", "  ");
    text += wrapped(bound.citation, "  ", "  ");
    for (const std::string& assumption : bound.assumptions) {
      if (std::ranges::find(shared, assumption) == shared.end()) {
        text += listed(assumption);
      }
    }
  }
  if (!shared.empty()) {
    text += "\nevery bound\n";
    for (const std::string& assumption : shared) {
      text += listed(assumption);
    }
  }
  return text;
}

}  // namespace muster::reporting

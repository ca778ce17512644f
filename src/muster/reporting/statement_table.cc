#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::Bound;
using accounting::Statement;
using Row = std::vector<std::string>;

std::string printed(double value) { return fmt::format("{:.6g}", value); }
double read_back(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

// One unit of the sixth significant digit.
double last_digit(double value) { return std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 5); }

bool moves(double value) { return value != 0 && std::isfinite(value); }

std::string note_of(const Statement& statement, const Bound& bound) {
  std::string note;
  if (bound.id == statement.best.id && bound.view == statement.best.view) {
    note = "best";
  }
  if (bound.numerical_error > 0) {
    note +=
        fmt::format("{}numerical error {:.1e}, included", note.empty() ? "" : "; ", bound.numerical_error);
  }
  return note;
}

Row row_of(const Statement& statement, const Bound& bound, bool with_time) {
  Row row = {bound.id, bound.upper ? rounded_up(*bound.upper) : "none",
             bound.lower ? rounded_down(*bound.lower) : "-", name_of(bound.validity), name_of(bound.view)};
  if (with_time) {
    row.push_back(fmt::format("{:.1f} ms", 1000 * bound.seconds));
  }
  row.push_back(note_of(statement, bound));
  return row;
}

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += fmt::format("{:<{}}  ", row[column], widths[column]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The assumptions that all bounds share; none if there is only one bound.
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

std::string rounded_up(double value) {
  std::string text = printed(value);
  if (moves(value) && read_back(text) < value) {
    text = printed(read_back(text) + last_digit(value));
  }
  return text;
}

std::string rounded_down(double value) {
  std::string text = printed(value);
  if (moves(value) && read_back(text) > value) {
    text = printed(read_back(text) - last_digit(value));
  }
  return text;
}

std::string statement_table(const Statement& statement, bool with_time) {
  const bool asks_epsilon = statement.question.asks_epsilon();
  const std::string quantity = asks_epsilon ? "epsilon" : "delta";
  std::vector<Row> rows = {{"bound", quantity + " upper", "lower", "validity", "view"}};
  if (with_time) {
    rows.front().emplace_back("time");
  }
  rows.front().emplace_back("note");
  for (const Bound& bound : statement.all) {
    rows.push_back(row_of(statement, bound, with_time));
  }
  std::string text = aligned(rows);
  text += fmt::format("\nIf the shuffler colludes, over {} round{}: {} {}\n", statement.local_rounds,
                      statement.local_rounds == 1 ? "" : "s", quantity,
                      statement.local ? rounded_up(*statement.local) : "none");
  const std::vector<std::string> shared = shared_assumptions(statement.all);
  for (const Bound& bound : statement.all) {
    text += fmt::format("\n{} ({}): {}\n", bound.id, name_of(bound.neighbouring), bound.citation);
    for (const std::string& assumption : bound.assumptions) {
      if (std::ranges::find(shared, assumption) == shared.end()) {
        text += fmt::format("  - {}\n", assumption);
      }
    }
  }
  if (!shared.empty()) {
    text += "\nEvery bound:\n";
    for (const std::string& assumption : shared) {
      text += fmt::format("  - {}\n", assumption);
    }
  }
  return text;
}

}  // namespace muster::reporting

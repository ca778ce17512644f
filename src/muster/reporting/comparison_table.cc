#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/comparison_text.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/seed_spread.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Solves;

// Returns the cells of a row that follow the randomizer's name.
TableRow cells_of(const Row& row, bool with_rate) {
  if (!row.bound) return TableRow(with_rate ? 7 : 6, "-");
  TableRow cells = {number_text(row.value)};
  if (with_rate) cells.push_back(row.rate ? number_text(*row.rate) : "-");
  cells.push_back(row.bound->upper ? rounded_up(*row.bound->upper) : "none");
  cells.push_back(row.bound->lower ? rounded_down(*row.bound->lower) : "-");
  cells.push_back(row.variance ? fmt::format("{:.3g}", *row.variance) : "-");
  cells.push_back(row.bits ? fmt::format("{}", *row.bits) : "-");
  cells.push_back(fmt::format("{:.3g}", row.messages));
  return cells;
}

// Returns the line above the rows of a protocol, as in "shuffle: view shuffler-honest; trusts the shuffler".
std::string heading_of(const Row& row) {
  if (!row.bound) return fmt::format("{}: trusts {}", row.protocol, row.trusted);
  // The reference `central` (comparison.h) has two rows with different neighbouring relations, so the heading
  // names the relation.
  const bool named = row.protocol == comparison::kCentral;
  return fmt::format("{}{}{}: view {}; trusts {}", row.protocol, named ? ", " : "",
                     named ? name_of(row.bound->neighbouring) : "", name_of(row.bound->view), row.trusted);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<Row> all_rows(const Comparison& all) {
  std::vector<Row> rows = all.rows;
  rows.insert(rows.end(), all.references.begin(), all.references.end());
  return rows;
}

// Returns the paragraph below the table that says what the columns mean.
std::string legend(bool with_rate) {
  return wrapped(
      fmt::format("noise: sigma of gaussian, epsilon0 of the others{}; variance: of a round's mean, in "
                  "squared clips, for one number; bits: of one message; messages: in all rounds",
                  with_rate ? "; rate: of a client's coin" : ""));
}

}  // namespace

std::string accuracy_table(const Comparison& all) {
  std::vector<TableRow> cells = {{"", "accuracy", "lowest", "highest", "seeds", "time a run"}};
  std::vector<std::string> protocols;
  for (const Row& row : all_rows(all)) {
    if (row.runs.empty()) continue;
    const SeedSpread spread = spread_of(row.runs);
    cells.push_back({"  " + row.randomizer});
    std::ranges::copy(accuracy_cells(spread), std::back_inserter(cells.back()));
    cells.back().push_back(fmt::format("{} of {}", spread.finished, row.runs.size()));
    cells.back().push_back(spread.finished > 0 ? duration_text(spread.seconds) : "-");
    protocols.push_back(row.protocol);
  }
  if (protocols.empty()) return "nothing is trained: no row has a plan\n";
  const std::vector<std::string> lines = lines_of(aligned(cells));
  std::string text = lines.front() + "\n";
  for (std::size_t i = 0; i < protocols.size(); ++i) {
    if (i == 0 || protocols[i] != protocols[i - 1]) text += protocols[i] + "\n";
    text += lines[i + 1] + "\n";
  }
  return fmt::format("{}\n{}\nfolder    {}\n", text,
                     wrapped("accuracy: on the test set, mean over the finished seeds; central is no plan, "
                             "and is not trained"),
                     all.training->folder);
}

std::string comparison_table(const Comparison& all) {
  const bool with_rate = all.solves == Solves::accuracy;
  const std::vector<Row> rows = all_rows(all);
  TableRow head = {"", "noise"};
  if (with_rate) head.emplace_back("rate");
  for (const char* name : {"upper", "lower", "variance", "bits", "messages"}) head.emplace_back(name);
  std::vector<TableRow> cells = {head};
  for (const Row& row : rows) {
    cells.push_back({"  " + row.randomizer});
    std::ranges::copy(cells_of(row, with_rate), std::back_inserter(cells.back()));
  }
  const std::vector<std::string> lines = lines_of(aligned(cells));
  std::string text = lines.front() + "\n", notes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || heading_of(rows[i]) != heading_of(rows[i - 1])) text += heading_of(rows[i]) + "\n";
    text += lines[i + 1] + "\n";
    if (!rows[i].bound) {
      notes += wrapped(fmt::format("{} with {}: {}", rows[i].protocol, rows[i].randomizer, rows[i].why_not),
                       "", "  ");
    }
  }
  return fmt::format("{}\n{}{}", text, notes, legend(with_rate));
}

std::string comparison_heading(const Comparison& all, const protocols::Plan& plan) {
  const std::string held = records_note(plan);
  return fmt::format("{}, each with the {} that keeps epsilon <= {} at delta {}; {}, {}{}{}", plan.name(),
                     all.solves == Solves::accuracy ? "least variance of a round's mean" : "least noise",
                     all.target.epsilon, all.target.delta, count_text(all.clients, "client"),
                     count_text(all.rounds, "round"), held.empty() ? "" : "; ", held);
}

std::vector<std::string> left_out_notes(const Comparison& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const comparison::LeftOut& left_out : all.left_out) {
    auto found = std::ranges::find(by_reason, left_out.why, [](const auto& reason) { return reason.first; });
    if (found == by_reason.end()) {
      by_reason.push_back({left_out.why, {}});
      found = std::prev(by_reason.end());
    }
    found->second.push_back(left_out.name);
  }
  std::vector<std::string> notes;
  for (const auto& [why, names] : by_reason) {
    notes.push_back(fmt::format("not compared: {}: {}", fmt::join(names, ", "), why));
  }
  return notes;
}

}  // namespace muster::reporting

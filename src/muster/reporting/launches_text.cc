#include "muster/reporting/launches_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/core/number_text.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

std::string upper_text(const std::optional<double>& value) { return value ? rounded_up(*value) : "none"; }

// Returns the aligned rows. If they are too wide, the last column, the bound, moves to notes below the table,
// and if necessary the one before it, the rounds, moves as well.
std::string aligned_with_notes(std::vector<TableRow> rows) {
  constexpr std::size_t kMostMoved = 2;
  const TableRow titles = rows.front();
  std::vector<std::string> notes(rows.size());
  for (std::size_t moved = 0; moved < kMostMoved && width_of(rows) > kTextWidth; ++moved) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      notes[i] = fmt::format("{} {}{}{}", titles[rows[i].size() - 1], rows[i].back(),
                             notes[i].empty() ? "" : "; ", notes[i]);
      rows[i].pop_back();
    }
  }
  std::string text = aligned(rows);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!notes[i].empty()) text += wrapped(fmt::format("{}: {}", rows[i].front(), notes[i]), "  - ", "    ");
  }
  return text;
}

}  // namespace

JsonObject launches_json(const accounting::Statement& all, const std::vector<LaunchShare>& shares) {
  std::vector<JsonObject> launches;
  for (const LaunchShare& share : shares) {
    launches.push_back(
        statement_json(share.alone).text("plan", share.name).number("without", share.upper_without));
  }
  return statement_json(all).objects("launches", launches);
}

std::string launches_heading(const std::vector<protocols::Plan>& plans,
                             const accounting::Question& question) {
  const auto several = std::ranges::find_if(plans, &protocols::Plan::holds_several);
  return fmt::format("{} launches, one after another, for a client who takes part in all; {} = {}{}",
                     plans.size(), question.asks_epsilon() ? "delta" : "epsilon", question.fixed(),
                     several == plans.end() ? "" : "; " + records_note(*several));
}

std::string launches_table(const accounting::Statement& all, const std::vector<LaunchShare>& shares) {
  const bool additive = !shares.front().upper_without.has_value();
  const std::string quantity = all.question.asks_epsilon() ? "epsilon" : "delta";
  std::vector<TableRow> rows = {{quantity + " of", "alone", "rounds", "bound"}};
  if (additive) {
    rows.front()[1] = fmt::format("at delta = {:.4g}", shares.front().alone.question.fixed());
  } else {
    rows.front().insert(rows.front().begin() + 2, "all without it");
  }
  for (const LaunchShare& share : shares) {
    TableRow row = {share.name, upper_text(share.alone.best.upper), fmt::format("{}", share.alone.rounds),
                    share.alone.best.id};
    if (!additive) row.insert(row.begin() + 2, upper_text(share.upper_without));
    rows.push_back(row);
  }
  return aligned_with_notes(rows) + "\n" + statement_table(all);
}

}  // namespace muster::reporting

#include "muster/reporting/launches_text.h"

#include <fmt/format.h>

#include "muster/core/number_text.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

std::string upper_text(const std::optional<double>& value) { return value ? rounded_up(*value) : "none"; }

}  // namespace

JsonObject launches_json(const accounting::Statement& all, const std::vector<LaunchShare>& shares) {
  std::vector<JsonObject> launches;
  for (const LaunchShare& share : shares) {
    launches.push_back(
        statement_json(share.alone).text("plan", share.name).number("without", share.upper_without));
  }
  return statement_json(all).objects("launches", launches);
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
  return aligned(rows) + "\n" + statement_table(all);
}

}  // namespace muster::reporting

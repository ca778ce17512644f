// Makes one web page of a run: charts, tables and the accountant's statement. It loads nothing from outside.
//
// The style follows the reader's light or dark mode, and the page can be printed. All text that comes from a
// file is escaped. Outside the charts every accuracy and epsilon, and most other numbers, stand in <data
// value=".."> elements that carry the full value. Upper values are rounded up and lower values down. All
// functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::reporting {

struct ReportParts {
  const simulation::RunRecord& run;
  const WatchedRun& watched;
  // How many of the epsilons stated in the run's files were larger than today's proven value
  // (stated_epsilon.h). The page shows today's values.
  std::uint64_t larger;
  // The statement for the rounds done; nullopt before the first round.
  std::optional<accounting::Statement> statement;
  // The proven epsilon of the rounds done if every client's rate were the low (or high) end of the estimate
  // in `watched`; nullopt if there is no estimate or no proven epsilon.
  std::optional<double> epsilon_at_low, epsilon_at_high;
};

std::string report_html(const ReportParts& parts);

// Each of these returns a chart of the page, or an empty text if there is nothing to draw.
std::string learning_chart(const simulation::RunRecord& run);
std::string check_in_chart(const simulation::RunRecord& run, const WatchedRun& watched);
std::string time_chart(const simulation::RunRecord& run);

}  // namespace muster::reporting

// Makes one web page that compares several runs: their results in a table, the keys in which their plans
// differ, and charts with a line for each run. It loads nothing from outside.
//
// The page is built like that of one run (report_html.h): it follows light and dark mode, text from files is
// escaped, numbers stand in <data> elements that carry the full value, and epsilons are rounded up. All
// functions are pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/reporting/compared_runs.h"

namespace muster::reporting {

// A key that not all plans state, or whose values differ, with the value of each plan. A plan that does not
// state the key has nullopt.
struct DifferingKey {
  std::string key;
  std::vector<std::optional<std::string>> values;
};
// Returns these keys in alphabetical order, from the canonical texts of the plans.
std::vector<DifferingKey> differing_keys(const std::vector<ComparedRun>& runs);

// Returns the page. `runs` holds 2 to kMostRuns runs.
std::string runs_html(const std::vector<ComparedRun>& runs);

}  // namespace muster::reporting

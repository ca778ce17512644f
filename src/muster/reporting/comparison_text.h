// Formats a comparison of protocols and randomizers for `muster compare`: as a table, one JSON line, CSV, or
// one self-contained SVG picture.
//
// In the table, upper values are rounded up and lower values down, and lines have at most 80 characters;
// Numbers in JSON have 17 digits, and numbers in CSV as many as read back to the same double. A value that is
// unknown or does not exist is "none" or "-" in the table, null in JSON and an empty cell in CSV; the picture
// omits it. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "muster/comparison/comparison.h"
#include "muster/plan/plan.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

// Returns the line above the table: what is compared, at which target, and whom epsilon is for if clients of
// the plan hold several records.
std::string comparison_heading(const comparison::Comparison& all, const protocols::Plan& plan);

// Returns the rows grouped by protocol, with the parties that must be trusted for each guarantee.
std::string comparison_table(const comparison::Comparison& all);

// Returns the accuracy of the rows that were trained, over their seeds, and the folder of the runs. Call it
// only for a comparison whose `training` is set.
std::string accuracy_table(const comparison::Comparison& all);

// If `training` is set, JSON and CSV have the accuracy of each row, too: null or empty where none is known.
JsonObject comparison_json(const comparison::Comparison& all);

// Returns the names of the columns, then one line per row; the references `local` and `central` come last.
std::string comparison_csv(const comparison::Comparison& all);

// Draws the variance of a round's mean, on a logarithmic axis, by protocol and randomizer, and above it, if
// `training` is set, the mean accuracy with whiskers from the lowest to the highest over seeds. In viewers
// that prefer dark pages, the picture is dark.
std::string comparison_svg(const comparison::Comparison& all);

// Returns one note for each reason why something was not compared, such as "not compared: subset: needs
// participation.subset (--subset)".
std::vector<std::string> left_out_notes(const comparison::Comparison& all);

}  // namespace muster::reporting

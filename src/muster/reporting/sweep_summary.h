// Summarises a sweep: for each combination of values, the accuracy over its seeds, and the epsilon. The
// functions are pure.
#pragma once

#include <string>

#include "muster/simulation/sweep.h"

namespace muster::reporting {

// Returns one JSON object on one line, always with the same keys. `--json` prints the line last, and the file
// summary.json contains it.
std::string summary_json(const simulation::Sweep& sweep);
// Returns a table with one line per combination: its values, the accuracy (mean, lowest and highest over
// seeds), epsilon, seeds and time. If a line does not fit into 80 columns, the values are listed below the
// table instead, by the number of the combination.
std::string summary_table(const simulation::Sweep& sweep);
// Draws the accuracy against epsilon, with whiskers from the lowest to the highest accuracy over seeds.
std::string summary_svg(const simulation::Sweep& sweep);

}  // namespace muster::reporting

// The results of a sweep: for each combination, the accuracy over its seeds and the epsilon.
#pragma once

#include <string>

#include "muster/simulation/sweep.h"

namespace muster::reporting {

// One JSON object on one line, always with the same keys. --json prints it last, and
// summary.json contains it.
std::string summary_json(const simulation::Sweep& sweep);
// A table with one line per combination: its values, the accuracy (mean, lowest and highest over seeds),
// epsilon, seeds, time. If the values do not fit into 80 columns, they are listed below the table by number.
std::string summary_table(const simulation::Sweep& sweep);
// A chart of accuracy against epsilon, with whiskers from the lowest to the highest seed.
std::string summary_svg(const simulation::Sweep& sweep);

}  // namespace muster::reporting

// Findings on the claims of Table 1 and of the remarks around it, by the formulas of table_1_rows.h.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// `drawn` is the n of the picture, at which the leading term of a row need not exceed its other terms.
std::vector<Finding> table_1_findings(double drawn);

}  // namespace muster::reproduce

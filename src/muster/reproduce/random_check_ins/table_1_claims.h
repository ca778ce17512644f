// Checks the claims of Table 1 and of the remarks around it, by the formulas of table_1_rows.h. The function
// is pure.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// `drawn` is the n at which the picture of Table 1 is drawn. At this n the leading term of a row's formula
// may still be smaller than the other terms, so slopes in epsilon0 are also computed at a much larger n.
std::vector<Finding> table_1_findings(double drawn);

}  // namespace muster::reproduce

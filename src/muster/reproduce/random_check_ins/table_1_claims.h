// What Table 1 and the remarks around it claim, found on the formulas of table_1_rows.h.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// `drawn`: the n of the picture, where the rows' leading terms need not lead.
std::vector<Finding> table_1_findings(double drawn);

}  // namespace muster::reproduce

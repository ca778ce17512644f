// The charts of the page that shows how a task stands (task_standing.h), each an <svg> element that is narrow
// enough for a telephone. A chart of something that no round has yet is empty text. All functions are pure.
#pragma once

#include <string>

#include "muster/reporting/task_standing.h"

namespace muster::reporting {

std::string accuracy_chart(const TaskStanding& now);
// Epsilon of the rounds charged, and of those opened if shuffler and aggregator collude.
std::string epsilon_chart(const TaskStanding& now);
std::string heard_chart(const TaskStanding& now);      // devices, against those needed and enrolled
std::string check_ins_chart(const TaskStanding& now);  // against their band

}  // namespace muster::reporting

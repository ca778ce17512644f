// Draws the charts of the page that shows how a task stands (task_standing.h), each as an <svg> element that
// is narrow enough for a telephone. A chart is an empty text if no round has anything to show in it. All
// functions are pure.
#pragma once

#include <string>

#include "muster/reporting/task_standing.h"

namespace muster::reporting {

std::string accuracy_chart(const TaskStanding& now);
// Draws the epsilon of the rounds charged, and the epsilon of the rounds opened if shuffler and aggregator
// collude.
std::string epsilon_chart(const TaskStanding& now);
std::string heard_chart(const TaskStanding& now);      // devices heard, with the numbers needed and enrolled
std::string check_ins_chart(const TaskStanding& now);  // check-ins, with the band of the declared rate

}  // namespace muster::reporting

// What an aggregator tells Prometheus: the figures of its status page. The function is pure.
#pragma once

#include <string>

#include "muster/reporting/task_standing.h"

namespace muster::app {

// Epsilons are upper values, and the text is never below them. A figure that is not known yet is left out.
std::string aggregator_metrics(const reporting::TaskStanding& now);

}  // namespace muster::app

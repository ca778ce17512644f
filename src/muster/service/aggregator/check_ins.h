// The check-ins of a task's rounds, as far as its ledger tells of them.
//
// The function is pure.
#pragma once

#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

// A monitor that has watched all rounds whose manifests are in the ledger: how many devices were heard, and
// how many of them reported.
protocols::CheckInMonitor watched_check_ins(const Ledger& ledger, const TaskDocument& task);

}  // namespace muster::service

#include "muster/service/aggregator/check_ins.h"

#include <variant>

#include "muster/service/ledger/entry.h"
#include "muster/wire/manifest.h"

namespace muster::service {

protocols::CheckInMonitor watched_check_ins(const Ledger& ledger, const TaskDocument& task) {
  protocols::CheckInMonitor monitor(task.plan().stages());
  for (const Entry& entry : ledger.entries()) {
    const SignedManifest* bytes = nullptr;
    if (const auto* released = std::get_if<ReleaseEntry>(&entry)) bytes = &released->manifest;
    if (const auto* spent = std::get_if<SpentEntry>(&entry)) bytes = &spent->manifest;
    if (bytes == nullptr) continue;
    // A round that was charged as lost has no manifest.
    const auto manifest = wire::read_manifest(*bytes, task.settings().shuffler);
    if (manifest && manifest->task == task.name()) {
      monitor.watch_round(manifest->heard, manifest->reports);
    }
  }
  return monitor;
}

}  // namespace muster::service

// Ctrl-C, SIGTERM and SIGUSR1 (which mpirun passes on to its ranks at once) as a flag that training looks at.
//
// A run stops after the round under way. A second signal, a second or more later, ends the process at once:
// checkpoints are replaced whole, so the last one stays good.
#pragma once

#include <atomic>

namespace muster::app {

// From now on signals set the flag, instead of ending the process. May be called again.
void catch_signals();
// True once a signal came.
const std::atomic<bool>& interrupted();

}  // namespace muster::app

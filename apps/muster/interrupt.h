// Turns Ctrl-C, SIGTERM and SIGUSR1 (which mpirun passes on to its ranks at once) into a flag that
// training and the roles of a deployment check.
//
// A run then abandons the round under way, writes a checkpoint of the last whole round and stops. A further
// signal ends the process at once if it comes two seconds or more after the first; within the first second it
// is ignored. (Whole seconds of the clock are compared, so in between either may happen.) Ending at once is
// safe because checkpoints are replaced atomically, so the last one stays valid.
#pragma once

#include <atomic>
#include <chrono>

namespace muster::app {

// After this call, signals set the flag instead of ending the process. It may be called repeatedly.
void catch_signals();
// Returns the flag, which is true once a signal has arrived.
const std::atomic<bool>& interrupted();
// Returns after this time, or as soon as a signal arrives. Returns at once if one has arrived before.
void wait_for_signal(std::chrono::milliseconds longest);

}  // namespace muster::app

// Divides the senders of a step among the workers of a team, a few at a time.
//
// A worker takes so few senders at a time that all workers finish at about the same time, and at most as many
// as one pass over the sum of messages adds. Few senders are handled by the caller's thread alone, because
// waking the other workers would take longer. Only one thread at a time may call handle_in_turns() with a
// team. handle() is called concurrently.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "muster/core/interrupt.h"
#include "muster/simulation/message_maker.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

// Up to this many senders are handled by one worker.
inline constexpr std::size_t kFewSenders = 4;

// Calls start(worker) once in each worker that takes part, and then handle(worker, first, last) for disjoint
// ranges of at most MessageMaker::kPass senders that together are [0, senders). Throws Error(interrupted) if
// `interrupt` was requested before all senders were handled. If a worker throws, the exception is rethrown
// after the other workers have handled the remaining senders.
template <typename Start, typename Handle>
void handle_in_turns(WorkerTeam& team, std::size_t senders, const Interrupt& interrupt, const Start& start,
                     const Handle& handle) {
  // Each worker takes senders at least this often if there are enough.
  constexpr std::size_t kTurns = 16;
  const unsigned workers = senders <= kFewSenders ? 1 : team.size();
  const std::size_t taken =
      workers == 1 ? MessageMaker::kPass
                   : std::clamp<std::size_t>(senders / (kTurns * workers), 1, MessageMaker::kPass);
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned worker) {
    start(worker);
    while (!interrupt.requested()) {
      const std::size_t first = next.fetch_add(taken);
      if (first >= senders) break;
      handle(worker, first, std::min(first + taken, senders));
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    team.run(work);
  }
  // Every sender that a worker took has been handled, so all are if no sender is left to take.
  if (next < senders) throw interrupted();
}

}  // namespace muster::simulation

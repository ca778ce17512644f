#include "muster/protocols/roll_call_slots.h"

#include <algorithm>

#include "muster/random/samplers.h"

namespace muster::protocols {
namespace {

// The number of clients whose coins are tossed together. This limit keeps the list of present clients small
// for any population.
constexpr std::uint64_t kTogether = std::uint64_t{1} << 16;

// Calls visit(client, slot, bits) for each client that checks in during this run, in ascending order. `slot`
// is uniform in [0, slots), and `bits` continues the client's own stream. Throws Error(interrupted) before
// the next kTogether clients once `interrupt` is requested.
template <typename Visit>
void each_present(const random::RunKey& key, const CheckInCoins& coins, std::uint64_t run, Range clients,
                  std::uint64_t slots, const Interrupt& interrupt, std::vector<std::uint64_t>& present,
                  const Visit& visit) {
  for (std::uint64_t done = 0; done < clients.count; done += kTogether) {
    interrupt.check();
    present.clear();
    coins.append_reporting(run, clients.first + done, std::min(kTogether, clients.count - done), present);
    for (const std::uint64_t client : present) {
      random::KeyedStream bits(key, {random::Purpose::slot, run, client});
      const std::uint64_t slot = random::uniform_below(bits, slots);
      visit(client, slot, bits);
    }
  }
}

Sender sender_of(const Reservoir& chosen, std::uint64_t round, std::uint64_t clients) {
  return chosen.empty() ? Sender{clients, round, true} : Sender{chosen.client(), round, false};
}

}  // namespace

void Reservoir::offer(std::uint64_t client, random::BitSource& bits) {
  ++offered_;
  if (random::uniform_below(bits, offered_) == 0) client_ = client;
}

void RollCallOfFixedWindow::draw_run(std::uint64_t run) {
  // If drawing throws, no run counts as drawn.
  run_ = 0;
  chosen_.assign(slots_, {});
  each_present(key_, coins_, run, {0, clients_}, slots_, interrupt(), present_,
               [this](std::uint64_t client, std::uint64_t slot, random::BitSource& bits) {
                 chosen_[slot].offer(client, bits);
               });
  run_ = run;
}

void RollCallOfFixedWindow::append_senders(std::uint64_t first_round, Share share,
                                           std::vector<Sender>& senders) {
  const std::uint64_t run = (first_round - 1) / slots_ + 1;
  if (run != run_) draw_run(run);
  const Range range = range_of(batch_, share);
  for (std::uint64_t place = range.first; place < range.first + range.count; ++place) {
    const std::uint64_t round = first_round + place;
    senders.push_back(sender_of(chosen_[(round - 1) % slots_], round, clients_));
  }
}

void RollCallAveraged::draw_run(std::uint64_t run, Share share) {
  run_ = 0;
  present_at_.assign(slots_, {});
  each_present(key_, coins_, run, range_of(clients_, share), slots_, interrupt(), present_,
               [this](std::uint64_t client, std::uint64_t slot, random::BitSource&) {
                 present_at_[slot].push_back(client);
               });
  run_ = run;
  share_ = share;
}

void RollCallAveraged::append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) {
  const std::uint64_t run = (first_round - 1) / slots_ + 1;
  if (run != run_ || share.index != share_.index || share.of != share_.of) draw_run(run, share);
  for (const std::uint64_t client : present_at_[(first_round - 1) % slots_]) {
    senders.push_back({client, first_round, false});
  }
}

// Begins time step `time`. The previous slot is over, and its place in chosen_ is reused for the last slot of
// the new window.
void RollCallOfSlidingWindow::wake(std::uint64_t time) {
  chosen_[(time - 1) % window_] = {};
  each_present(key_, coins_, run_, {time - 1, 1}, window_, interrupt(), present_,
               [this, time](std::uint64_t client, std::uint64_t slot, random::BitSource& bits) {
                 chosen_[(time + slot) % window_].offer(client, bits);
               });
  time_ = time;
}

void RollCallOfSlidingWindow::append_senders(std::uint64_t first_round, Share share,
                                             std::vector<Sender>& senders) {
  const std::uint64_t slots = clients_ - window_ + 1;
  const std::uint64_t run = (first_round - 1) / slots + 1;
  const std::uint64_t time = window_ + (first_round - 1) % slots;
  if (run != run_ || time < time_ || time - time_ > window_) {
    // A client that woke at time - window_ or earlier can no longer be present at `time`.
    chosen_.assign(window_, {});
    run_ = run;
    time_ = time - window_;
  }
  while (time_ < time) wake(time_ + 1);
  if (range_of(1, share).count > 0) {
    senders.push_back(sender_of(chosen_[time % window_], first_round, clients_));
  }
}

}  // namespace muster::protocols

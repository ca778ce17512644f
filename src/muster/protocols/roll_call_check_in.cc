#include "muster/protocols/roll_call_check_in.h"

#include <algorithm>

namespace muster::protocols {
namespace {

// The number of clients whose coins are tossed between two checks of the interrupt. Tossing them takes less
// than a millisecond if the clients share one rate, and some tens of milliseconds if each has its own.
constexpr std::uint64_t kTogether = std::uint64_t{1} << 20;

}  // namespace

void RollCallOfEverybody::append_senders(std::uint64_t first_round, Share share,
                                         std::vector<Sender>& senders) {
  interrupt().check();
  const Range range = range_of(clients_, share);
  senders.reserve(senders.size() + range.count);
  for (std::uint64_t client = range.first; client < range.first + range.count; ++client) {
    senders.push_back({client, first_round, false});
  }
}

void RollCallByCoins::append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) {
  const Range range = range_of(clients_, share);
  std::vector<std::uint64_t> reporting;
  for (std::uint64_t done = 0; done < range.count; done += kTogether) {
    interrupt().check();
    coins_.append_reporting(first_round, range.first + done, std::min(kTogether, range.count - done),
                            reporting);
  }
  senders.reserve(senders.size() + reporting.size());
  for (const std::uint64_t client : reporting) {
    senders.push_back({client, first_round, false});
  }
}

}  // namespace muster::protocols

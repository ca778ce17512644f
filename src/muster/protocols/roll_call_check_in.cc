#include "muster/protocols/roll_call_check_in.h"

namespace muster::protocols {

void RollCallOfEverybody::append_senders(std::uint64_t first_round, Share share,
                                         std::vector<Sender>& senders) {
  const Range range = range_of(clients_, share);
  senders.reserve(senders.size() + range.count);
  for (std::uint64_t client = range.first; client < range.first + range.count; ++client) {
    senders.push_back({client, first_round, false});
  }
}

void RollCallByCoins::append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) {
  const Range range = range_of(clients_, share);
  std::vector<std::uint64_t> reporting;
  coins_.append_reporting(first_round, range.first, range.count, reporting);
  senders.reserve(senders.size() + reporting.size());
  for (const std::uint64_t client : reporting) {
    senders.push_back({client, first_round, false});
  }
}

}  // namespace muster::protocols

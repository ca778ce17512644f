#include "tests/oracle/slot_enumeration.h"

#include <map>
#include <utility>

namespace muster::accounting::oracle {
namespace {

constexpr std::uint64_t kOutcomes = 4096;  // the base in which the outcomes of slots are coded

struct Present {
  int client;  // -1 for the dummy
  int record;
};

// Returns the probability of each outcome of one slot.
std::vector<std::pair<std::uint64_t, long double>> outcomes(const SlotProtocol& protocol, int slot,
                                                            std::uint64_t past,
                                                            const std::vector<Present>& present,
                                                            const Channel& channel) {
  std::map<std::uint64_t, long double> result;
  using Kind = SlotProtocol::Kind;
  if (protocol.kind == Kind::averaged) {
    std::map<std::uint64_t, long double> histograms{{0, 1.0L}};
    for (const Present& one : present) {
      const Law law = channel(slot, past, one.record);
      std::map<std::uint64_t, long double> next;
      for (const auto& [code, mass] : histograms) {
        for (std::size_t y = 0; y < law.size(); ++y)
          next[code + (std::uint64_t{1} << (3 * y))] += mass * law[y];
      }
      histograms = std::move(next);
    }
    return {histograms.begin(), histograms.end()};
  }
  if (present.empty() && protocol.kind == Kind::skipping) return {{kOutcomes - 1, 1.0L}};
  const std::vector<Present> dummy{{-1, protocol.dummy}};
  const std::vector<Present>& pool = present.empty() ? dummy : present;
  for (const Present& one : pool) {
    const Law law = channel(slot, past, one.record);
    const auto shown = static_cast<std::uint64_t>(protocol.kind == Kind::watched ? one.client + 1 : 0);
    for (std::size_t y = 0; y < law.size(); ++y) {
      result[shown * 16 + y] += law[y] / static_cast<long double>(pool.size());
    }
  }
  return {result.begin(), result.end()};
}

using Transcripts = std::map<std::vector<std::uint64_t>, long double>;

// Adds all transcripts for one choice of every client (a slot, or -1 for none), with total weight `weight`.
void play(const SlotProtocol& protocol, const std::vector<int>& choices, const std::vector<int>& records,
          const Channel& channel, std::vector<std::uint64_t>& so_far, std::uint64_t past, long double weight,
          Transcripts& into) {
  const int slot = static_cast<int>(so_far.size());
  if (slot == protocol.slots) {
    into[so_far] += weight;
    return;
  }
  std::vector<Present> present;
  for (std::size_t j = 0; j < choices.size(); ++j) {
    if (choices[j] == slot) present.push_back({static_cast<int>(j), records[j]});
  }
  for (const auto& [code, mass] : outcomes(protocol, slot, past, present, channel)) {
    if (!(mass > 0)) continue;
    so_far.push_back(code);
    play(protocol, choices, records, channel, so_far, past * kOutcomes + code + 1, weight * mass, into);
    so_far.pop_back();
  }
}

Transcripts all(const SlotProtocol& protocol, const std::vector<int>& records, const Channel& channel) {
  Transcripts into;
  std::vector<int> choices(records.size(), -1);
  const std::function<void(std::size_t, long double)> choose = [&](std::size_t client, long double weight) {
    if (client == records.size()) {
      std::vector<std::uint64_t> so_far;
      play(protocol, choices, records, channel, so_far, 0, weight, into);
      return;
    }
    const long double rate = protocol.rates[client];
    if (rate < 1) {
      choices[client] = -1;
      choose(client + 1, weight * (1 - rate));
    }
    const auto& window = protocol.windows[client];
    for (const int slot : window) {
      choices[client] = slot;
      choose(client + 1, weight * rate / static_cast<long double>(window.size()));
    }
  };
  choose(0, 1);
  return into;
}

}  // namespace

SlotProtocol fixed_window(SlotProtocol::Kind kind, int slots, const std::vector<long double>& rates) {
  std::vector<int> window;
  for (int i = 0; i < slots; ++i) window.push_back(i);
  return {kind, slots, std::vector<std::vector<int>>(rates.size(), window), rates};
}

OutputPair transcripts(const SlotProtocol& protocol, const std::vector<int>& others, int x, int x_alternative,
                       const Channel& channel) {
  std::vector<int> records{x};
  records.insert(records.end(), others.begin(), others.end());
  const Transcripts p = all(protocol, records, channel);
  records.front() = x_alternative;
  return aligned(p, all(protocol, records, channel));
}

}  // namespace muster::accounting::oracle

// Compares the adaptive blanket (Theorem 19, docs/theory/adaptive-shuffle.md) with enumeration: clients come
// in random order, and each message's randomizer may depend on the messages before it. Cases with several
// clients in a slot are averaged random check-ins in which everybody takes part, given the sizes of the
// slots.
//
// The law of the transcript is a sum over all orders of the clients and all messages, and shares no formula
// with the bound. For every past (the messages so far) there is a channel, the epsilon0-LDP randomizer that
// the next client uses. The channels are random, or improved for the adversary by hill climbing.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/oracle/domination.h"
#include "tests/oracle/enumeration.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

// The probability of message 1 for every past and record. A past is the number of ones in each slot so far,
// as the base-8 digits of a number that begins with 1.
using Channels = std::map<std::pair<std::uint64_t, int>, long double>;

// Draws an epsilon0-LDP channel for `records` records: for any two records, the probabilities of message 1
// and those of message 0 have ratios of at most e^epsilon0.
void draw(Channels& channels, std::uint64_t past, int records, long double epsilon0,
          std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const long double top = std::exp(epsilon0);
  // An interval [low, high] of probabilities with high <= top low and 1 - low <= top (1 - high).
  const long double low = engine() % 2 ? 1 / (top + 1) : static_cast<long double>(uniform(engine));
  const long double high = std::min(top * low, 1 - (1 - low) / top);
  for (int r = 0; r < records; ++r) {
    const auto where = engine() % 4;
    channels[{past, r}] = where < 2 ? (where ? low : high) : low + (high - low) * uniform(engine);
  }
}

// Returns the probability of each transcript: the average over all orders of the clients of the product of
// conditional probabilities. records[0] is the victim's, and slots[i] is the number of clients in slot i.
// All clients of a slot have the same past, and the transcript shows only the number of ones in each slot.
std::map<std::uint64_t, long double> transcript(const std::vector<int>& records,
                                                const std::vector<int>& slots, const Channels& channels) {
  std::vector<std::size_t> order(records.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::map<std::uint64_t, long double> law;
  long double orders = 0;
  do {
    ++orders;
    std::map<std::uint64_t, long double> front{{1, 1.0L}};
    std::size_t position = 0;
    for (const int size : slots) {
      std::map<std::uint64_t, long double> next;
      for (const auto& [past, mass] : front) {
        std::vector<long double> ones{mass};  // by the number of ones in the slot
        for (int i = 0; i < size; ++i) {
          const int record = records[order[position + static_cast<std::size_t>(i)]];
          const long double chance = channels.at({past, record});
          std::vector<long double> more(ones.size() + 1, 0);
          for (std::size_t k = 0; k < ones.size(); ++k) {
            more[k] += ones[k] * (1 - chance), more[k + 1] += ones[k] * chance;
          }
          ones = more;
        }
        for (std::size_t k = 0; k < ones.size(); ++k) next[past * 8 + k] += ones[k];
      }
      front = next;
      position += static_cast<std::size_t>(size);
    }
    for (const auto& [past, mass] : front) law[past] += mass;
  } while (std::next_permutation(order.begin(), order.end()));
  for (auto& entry : law) entry.second /= orders;
  return law;
}

std::vector<std::uint64_t> pasts(const std::vector<int>& slots) {
  std::vector<std::uint64_t> all, front{1};
  for (const int size : slots) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t past : front) {
      all.push_back(past);
      for (int k = 0; k <= size; ++k) next.push_back(past * 8 + static_cast<std::uint64_t>(k));
    }
    front = next;
  }
  return all;
}

// Returns the hockey-stick divergence at `epsilon` between
// the transcripts if the victim holds record 0 or record 1.
long double divergence(const std::vector<int>& others, const std::vector<int>& slots,
                       const Channels& channels, long double epsilon) {
  std::vector<int> records{0};
  records.insert(records.end(), others.begin(), others.end());
  const auto p = transcript(records, slots, channels);
  records[0] = 1;
  const auto q = transcript(records, slots, channels);
  long double sum = 0;
  for (const auto& [t, mass] : p) sum += std::max(0.0L, mass - std::exp(epsilon) * q.at(t));
  return sum;
}

long double blanket(int n, long double epsilon0, long double epsilon) {
  return swap_sum(pure_law(epsilon0, epsilon), n, 1, epsilon, 0);
}

const Domination kCounted = {.relative = 1e-12L, .absolute = 1e-17L, .negligible = 1e-12L};

const std::vector<std::vector<int>> kShapes = {{1, 1}, {1, 1, 1}, {2, 1}, {1, 2},         {1, 1, 1, 1},
                                               {2, 2}, {1, 3},    {3, 1}, {1, 1, 1, 1, 1}};

TEST(AdaptiveShuffle, BlanketDominatesRandomChannels) {
  std::mt19937_64 engine(41);
  Domination domination = kCounted;
  for (int trial = 0; trial < 60; ++trial) {
    const long double epsilon0 = std::vector<long double>{0.5L, 1, 2, 4}[static_cast<std::size_t>(trial % 4)];
    for (const std::vector<int>& slots : kShapes) {
      int n = 0;
      for (const int size : slots) n += size;
      Channels channels;
      for (const std::uint64_t past : pasts(slots)) draw(channels, past, 3, epsilon0, engine);
      std::vector<int> others;
      for (int j = 1; j < n; ++j) others.push_back(static_cast<int>(engine() % 3));
      for (const long double share : {0.0L, 0.3L, 0.7L, 0.95L, 1.0L}) {
        domination.add(divergence(others, slots, channels, share * epsilon0),
                       blanket(n, epsilon0, share * epsilon0));
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.cases, 2000);
}

// The adversary picks every randomizer, by hill climbing: the channel for one past at a time is redrawn, and
// the new channel is kept if the divergence does not fall.
TEST(AdaptiveShuffle, BlanketDominatesSearchedChannels) {
  std::mt19937_64 engine(42);
  Domination domination = kCounted;
  for (const std::vector<int>& slots : kShapes) {
    int n = 0;
    for (const int size : slots) n += size;
    if (n > 4) continue;
    for (const long double epsilon0 : {1.0L, 3.0L}) {
      for (const long double share : {0.0L, 0.4L, 0.8L}) {
        const long double epsilon = share * epsilon0, bound = blanket(n, epsilon0, epsilon);
        for (int start = 0; start < 3; ++start) {
          Channels channels;
          const std::vector<std::uint64_t> all = pasts(slots);
          for (const std::uint64_t past : all) draw(channels, past, 3, epsilon0, engine);
          std::vector<int> others;
          for (int j = 1; j < n; ++j) others.push_back(static_cast<int>(engine() % 3));
          long double value = divergence(others, slots, channels, epsilon);
          for (int step = 0; step < 60; ++step) {
            Channels changed = channels;
            draw(changed, all[engine() % all.size()], 3, epsilon0, engine);
            const long double candidate = divergence(others, slots, changed, epsilon);
            domination.add(candidate, bound);
            if (candidate >= value) value = candidate, channels = std::move(changed);
          }
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.8L);
  RecordProperty("tightest", std::to_string(static_cast<double>(domination.tightest)));
}

}  // namespace
}  // namespace muster::accounting::oracle

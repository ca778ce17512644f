#include "muster/protocols/participation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "muster/core/types.h"

namespace muster::protocols {
namespace {

// Coins tossed at a time: 32 KiB of words, which stay in the first-level cache.
constexpr std::uint64_t kBlock = 4096;

// The double just below 1 - dropout. The effective rate charged is the rounded product rate * (1 - dropout);
// one unit in the last place here covers that rounding, so the coins never report more often than the
// accountant assumes.
random::Probability stay_probability(double dropout) {
  return random::Probability::at_most(dropout > 0 ? std::nextafter(1 - dropout, 0.0) : 1.0);
}

}  // namespace

CheckInCoins::CheckInCoins(const random::RunKey& key, double rate, double dropout)
    : key_(key),
      check_in_(random::Probability::at_most(Rate::of(rate).value())),
      stay_(stay_probability((static_cast<void>(Rate::effective(rate, dropout)), dropout))),
      drops_(dropout > 0) {}

bool CheckInCoins::stays(std::uint64_t round, std::uint64_t client) const {
  std::array<std::uint64_t, 1> word;
  random::fill_first_words(key_, random::Purpose::dropout, round, client, word);
  return stay_.accepts(word[0]);
}

void CheckInCoins::append_reporting(std::uint64_t round, std::uint64_t first_client, std::uint64_t count,
                                    std::vector<std::uint64_t>& reporting) const {
  std::array<std::uint64_t, kBlock> words;
  for (std::uint64_t done = 0; done < count; done += kBlock) {
    const auto tossed = static_cast<std::size_t>(std::min(kBlock, count - done));
    random::fill_first_words(key_, random::Purpose::check_in, round, first_client + done,
                             std::span(words).first(tossed));
    for (std::size_t i = 0; i < tossed; ++i) {
      const std::uint64_t client = first_client + done + i;
      if (check_in_.accepts(words[i]) && (!drops_ || stays(round, client))) {
        reporting.push_back(client);
      }
    }
  }
}

}  // namespace muster::protocols

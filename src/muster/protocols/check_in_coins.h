// Decides who reports in a round: each client tosses its own check-in coin, then an independent dropout coin.
//
// This is Algorithm 1 of Liew et al., "Shuffled check-in" (2022). A client takes part in a round with
// probability p by its own coin, and then drops out with an independent probability p', so it reports with
// probability p (1 - p'). Each client may have its own p, and p' may change from round to round. All coins
// are functions of (run key, round, client) only and are tossed before any data is touched, because
// participation that depended on private data would break every check-in theorem.
//
// A check-in coin is a 64-bit number; the client checks in if the number is below 2^64 times the rate. The
// first 16 bits of the coins are packed, so that one block of the cipher (random/keyed_stream.h) serves eight
// clients. These bits decide all but one coin in 65,536, and only the undecided coins draw their remaining
// bits. So a coin takes less than a nanosecond on one thread (docs/scale.md), and no table of clients is
// kept.
//
// Example:
//     CheckInCoins coins(key, 0.1, 0.0);
//     std::vector<std::uint64_t> reporting;
//     coins.append_reporting(round, 0, clients, reporting);   // ascending; empty is legal
//
// An object is immutable and may be shared between threads.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/plan/schedule.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/samplers.h"

namespace muster::protocols {

class CheckInCoins {
 public:
  // Throws Error(plan) unless rate is in (0, 1] and dropout is in [0, 1) in every round.
  CheckInCoins(const random::RunKey& key, double rate, const Schedule& dropout)
      : CheckInCoins(key, rate, dropout, rate) {}
  // Every client has its own rate, uniform in [min_rate, rate] and the same in all rounds. Requires 0 <
  // min_rate <= rate.
  CheckInCoins(const random::RunKey& key, double rate, const Schedule& dropout, double min_rate);

  // Appends the clients of [first_client, first_client + count) that report in `round`, in ascending order.
  void append_reporting(std::uint64_t round, std::uint64_t first_client, std::uint64_t count,
                        std::vector<std::uint64_t>& reporting) const;

  // Return the probability that the client checks in, and the probability that it does not drop out
  // afterwards. Their product is exactly the probability of a report, and never above Rate::effective(rate,
  // dropout).
  random::Probability check_in(std::uint64_t client) const {
    return rates_differ_ ? drawn_rate(client) : max_probability_;
  }
  random::Probability stay(std::uint64_t round) const;

 private:
  // Returns the client's own rate, if rates differ. This code is not part of check_in, which is called for
  // every coin that may lead to a report and should be inlined: a function that holds a KeyedStream is too
  // long for that.
  random::Probability drawn_rate(std::uint64_t client) const;
  // Returns whether the coin whose first 16 bits are `beginning` is below the client's rate.
  bool checks_in(std::uint64_t round, std::uint64_t client, std::uint16_t beginning) const;

  random::RunKey key_;
  random::Probability max_probability_;
  bool rates_differ_;
  // The lowest rate times 2^64; 0 unless rates differ. The numerators of the clients' own rates are drawn
  // between this number and the numerator of max_probability_.
  std::uint64_t min_numerator_;
  Schedule dropout_;
};

}  // namespace muster::protocols

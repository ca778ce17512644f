// Counts dummies, which are the messages that the server of a slot protocol makes itself for slots without a
// client. They are counted over simulated runs of the roll call that training uses
// (protocols/roll_call_slots.h), which tosses coins and touches no data. The functions may be called from any
// thread, but a RollCall and a DummyComparison belong to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"

namespace muster::reproduce {

constexpr std::uint64_t kDummyRuns = 10'000;

// Holds the mean number of dummies per run, over kDummyRuns runs of `slots` slots each, and the standard
// error of that mean, estimated from the runs.
struct DummyCount {
  double mean, standard_error;
};
DummyCount count_dummies(protocols::RollCall& roll_call, std::uint64_t slots);

random::RunKey dummy_key();  // a key from a fixed seed, so that the counts are the same every time
protocols::CheckInCoins dummy_coins(double p0);  // no client drops out

// Compares counts with exact expectations, one after another.
class DummyComparison {
 public:
  void add(const DummyCount& count, double expected);
  // Says whether every mean is within 4 standard errors of its expectation.
  bool agrees() const;
  // Returns a part of a sentence, "over 10^4 simulated runs at each of 18 points ...". It states the largest
  // deviation and the probability that chance alone exceeds the limit of 4 standard errors.
  std::string words() const;

 private:
  int points_ = 0;
  double largest_ = 0;  // the largest deviation, in standard errors
};

}  // namespace muster::reproduce

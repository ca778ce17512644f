// Describes who may report in a round, by the three numbers that exact curves and swap bounds need. It is a
// plain value, so there is nothing to call.
#pragma once

namespace muster::accounting {

// `count` of the `clients` may report, each with probability `rate`: (n, n, 1) is the plain shuffle,
// (n, n, g) a check-in at rate g, and (n, k, 1) a secret subset of k clients.
struct RoundShape {
  double clients;
  double count;
  double rate;
};

}  // namespace muster::accounting

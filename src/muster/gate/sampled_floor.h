// The floor (floor.h) for a trusted server that samples clients by coins and adds normal noise to
// the sum of their records, and the check of a proven epsilon against this floor. For the protocols of
// describe/participation.h, Gate (gate.h) does both.
//
// The floor comes from one threshold test on one pair of data sets whose records are single numbers. Let
// sigma be the noise's deviation divided by the clip norm, the largest size of a record. In units of the
// noise's deviation, the victim's record is mu = 1 / sigma, and with probability q = `rate` it is added to
// the sum. The records of all other clients are 0. For every t and E = e^epsilon,
//     delta(epsilon) >= P(sum > t) - E P'(sum > t).
// P is the law of the noisy sum in this data set, and P' its law in the neighbouring data set, where the
// victim is absent or has the record -mu. Any t is valid, so the best of a few is taken. The floor shares
// nothing with the accountant's bounds. Pure functions; call from any thread.
#pragma once

#include <cstdint>

namespace muster::accounting {

// What the neighbouring data set has instead of the victim's record: nothing, or the opposite record.
enum class Instead { nothing, opposite };

// A lower bound of the one-round divergence at epsilon >= 0; at least 0, never NaN. sigma > 0; 0 < rate <= 1.
double sampled_floor_delta(double sigma, double rate, Instead instead, double epsilon);

// Throws Error(internal) if `upper`, an upper value of epsilon at `delta` for any number of rounds >= 1, is
// NaN, negative or below the floor of one round. An infinite value claims nothing and passes.
void check_sampled_epsilon(double sigma, double rate, Instead instead, double delta, double upper);

}  // namespace muster::accounting

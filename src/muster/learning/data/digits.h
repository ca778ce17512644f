// A procedural data set of handwritten-looking digits, 28x28, so that muster needs no download.
//
// A digit is one of several ways of writing it: a skeleton of strokes (digit_skeletons.h), bent by a random
// affine map and a smooth random displacement, drawn with a pen of random width and ink, with noise and
// quantised to bytes. Example i of a set is a function of (seed, set, i) alone: its stream is (digits, round
// 0 train, 1 test or 2 open, client i), so the sets are disjoint in randomness and any n gives a prefix of
// the same sequence. Labels are uniform. Pixels are normalised as MNIST's are. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>

#include "muster/learning/dataset.h"
#include "muster/random/keyed_stream.h"

namespace muster::learning {

// open: digits that belong to nobody, for what is learned without noise before private training.
enum class DigitSet : std::uint8_t { train = 0, test = 1, open = 2 };

// Draws example `index` of a set into `image` (784 bytes, row-major, 0 background to 255 ink); returns its
// label.
std::uint8_t draw_digit(const random::RunKey& key, DigitSet set, std::uint64_t index,
                        std::span<std::uint8_t> image);

// The first `train` and `test` examples of the two sets under RunKey::from_seed(seed).
DataSplit draw_digits(std::uint64_t train, std::uint64_t test, std::uint64_t seed);

// The first `count` examples of one set.
Dataset draw_digit_set(DigitSet set, std::uint64_t count, std::uint64_t seed);

}  // namespace muster::learning

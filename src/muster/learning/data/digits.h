// Draws a data set of digits that look handwritten, 28x28 pixels each, so that muster needs no download.
//
// A digit is one of several variants, each a skeleton of strokes (digit_skeletons.h). The skeleton is
// deformed by a random affine map and a smooth random displacement, drawn with a pen of random width and ink,
// overlaid with noise and quantised to bytes. Example i of a set is a function of (seed, set, i) only: its
// random stream has the address {Purpose::digits, round 0 for train, 1 for test or 2 for open, client i}. So
// the sets use disjoint randomness, and a smaller set is a prefix of a larger one. Labels are uniform. Pixels
// are normalised like those of MNIST. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "muster/learning/dataset.h"
#include "muster/random/keyed_stream.h"

namespace muster::learning {

// `open` digits are public data, for training without noise before the private training.
enum class DigitSet : std::uint8_t { train = 0, test = 1, open = 2 };

// Draws example `index` of a set into `image` (784 bytes, row-major, from 0 for background to 255 for
// ink) and returns its label.
std::uint8_t draw_digit(const random::RunKey& key, DigitSet set, std::uint64_t index,
                        std::span<std::uint8_t> image);

// Returns the first `train` training examples and the first `test` test examples under
// RunKey::from_seed(seed).
DataSplit draw_digits(std::uint64_t train, std::uint64_t test, std::uint64_t seed);

// Returns the first `count` examples of one set under RunKey::from_seed(seed).
Dataset draw_digit_set(DigitSet set, std::uint64_t count, std::uint64_t seed);

}  // namespace muster::learning

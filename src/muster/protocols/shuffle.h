// The shuffler's random permutation, made by the Fisher-Yates algorithm with unbiased integers.
//
// The permutation of n items is uniform over all n! orders if `bits` is uniform. For i = n - 1, ..., 1, item
// i is swapped with item j, where j is uniform on {0, ..., i}. So each of the n! sequences of draws is
// equally likely, and each gives a different order (shuffle_test.cc enumerates them). Privacy requires that
// the order is secret: draw `bits` from a key that nobody else knows and use the key only once, as
// secret_shuffle does. The functions may be called from any thread; `items` and `bits` belong to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "muster/core/interrupt.h"
#include "muster/random/bit_source.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/samplers.h"

namespace muster::protocols {

// Shuffles the items. Checks `interrupt` every 2^15 items, and throws Error(interrupted) if it is requested.
template <typename T>
void shuffle(std::span<T> items, random::BitSource& bits, const Interrupt& interrupt = {}) {
  constexpr std::size_t kTogether = std::size_t{1} << 15;
  for (std::size_t i = items.size(); i > 1;) {
    interrupt.check();
    for (const std::size_t end = i > kTogether ? i - kTogether : 1; i > end; --i) {
      const auto j = static_cast<std::size_t>(random::uniform_below(bits, i));
      std::swap(items[i - 1], items[j]);
    }
  }
}

// Shuffles with a fresh key from the operating system that is wiped on return, so that not even the holder of
// the plan's seed can reverse the shuffle.
template <typename T>
void secret_shuffle(std::span<T> items, std::uint64_t round, const Interrupt& interrupt = {}) {
  random::KeyedStream bits(random::RunKey::fresh(), {random::Purpose::shuffle, round, 0});
  shuffle(items, bits, interrupt);
}

}  // namespace muster::protocols

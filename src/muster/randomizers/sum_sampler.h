// The `sum` fidelity of a randomizer: instead of every message, their sum alone, in one draw of the same law.
//
// A simulation for speed: the clients' vectors are clipped and added up exactly, and only then is the noise
// of all messages together drawn at once. What comes out is what the aggregator would hold after as many
// messages, up to what the derived class states; nobody but the simulation ever sees the exact sum.
//
// Order of calls: exact = make_sum(); add() per client, anywhere and in any order; merge() the threads' sums;
// draw(); then the randomizer's own mean(). Immutable; may be shared between threads.
#pragma once

#include <cstdint>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

class SumSampler {
 public:
  virtual ~SumSampler() = default;

  // An empty sum of clipped vectors.
  virtual MessageSum make_sum() const = 0;

  // Clips one client's vector and adds it. NaN or infinity in it is Error(data), and nothing is added.
  virtual void add(std::span<const float> vector, MessageSum& exact) const = 0;
  // The same for several clients, to the same bits; faster where they can be added in one pass over the sum.
  // NaN or infinity in one of them is Error(data); of VectorRandomizer::kPass or fewer none is added then.
  virtual void add_all(std::span<const std::span<const float>> vectors, MessageSum& exact) const = 0;

  // A sum of exact.count() messages of the randomizer, from the stream (key, {Purpose::sum_noise, round}).
  virtual MessageSum draw(const MessageSum& exact, const random::RunKey& key, std::uint64_t round) const = 0;
};

}  // namespace muster::randomizers

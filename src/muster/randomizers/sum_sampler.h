// The interface of the `sum` fidelity, which draws only the sum of a round's messages, with the same law,
// instead of the messages themselves.
//
// This makes simulations fast: the clients' vectors are clipped and added up exactly, and then the noise of
// all messages is drawn at once. The result has the law of the sum that the aggregator would compute from
// these clients' messages, up to the differences that the header of each sampler states. Only the simulation
// ever sees the exact sum.
//
// Each thread makes a sum with make_sum() and calls add() for each of its clients, in any order. Then
// MessageSum::merge() joins the threads' sums, draw() adds the noise, and the randomizer's mean() decodes the
// result. A sampler is immutable and may be shared between threads.
#pragma once

#include <cstdint>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

class SumSampler {
 public:
  virtual ~SumSampler() = default;

  // Returns an empty sum of clipped vectors.
  virtual MessageSum make_sum() const = 0;

  // Clips one client's vector and adds it. If the vector contains NaN or infinity, or is one that the
  // randomizer refuses (k_rr.h), throws Error(data) and adds nothing.
  virtual void add(std::span<const float> vector, MessageSum& exact) const = 0;
  // Adds the vectors of several clients. The sum has the same bits as after calling add() on each vector.
  // This can be faster, because each pass over the sum takes in as many as VectorRandomizer::kPass vectors.
  // Passes take the vectors in their order. If add() would refuse a vector, throws Error(data), and no vector
  // of its pass or of a later one is added.
  virtual void add_all(std::span<const std::span<const float>> vectors, MessageSum& exact) const = 0;

  // Draws a sum of exact.count() messages of the randomizer. Its bits come from the stream (key,
  // {Purpose::sum_noise, round}) and, for exact normals, from the streams that random/exact_normals.h derives
  // from it.
  virtual MessageSum draw(const MessageSum& exact, const random::RunKey& key, std::uint64_t round) const = 0;
};

}  // namespace muster::randomizers

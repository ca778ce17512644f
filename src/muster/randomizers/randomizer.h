// The interface of a local randomizer: what a client does to its gradient before anything leaves the device,
// and how the aggregator decodes the message. docs/randomizers.md compares the randomizers.
//
// Order of calls: make_sum() and make_scratch() once per thread; randomize() per client; accumulate() per
// message, on any thread and in any order; merge() for the sums of the threads; mean(). A randomizer is
// immutable and may be shared between threads; a Scratch and a MessageSum belong to one thread.
//
// Unless its header states otherwise, a function that makes a randomizer throws Error(plan) if epsilon0 is
// outside [1e-9, 700], clip outside [1e-20, 1e20], or dimension outside [1, 2^31).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/random/bit_source.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/aligned.h"

namespace muster::randomizers {

// ldp-sgd and l2 send the seed of a uniform direction, and the noisy sign of the gradient's projection on it.
struct SignedDirectionMessage {
  std::array<std::uint8_t, 16> seed{};
  bool positive = false;
};

// gaussian and laplace send one integer multiple of the randomizer's step() per coordinate.
struct GridMessage {
  AlignedVector<std::int32_t> steps;
};

// linf and l1 send the index of a coordinate (of the vector or of its Hadamard transform) and one sign.
struct SignedIndexMessage {
  std::uint32_t index = 0;
  bool positive = false;
};

// k-rr sends one of the k answers.
struct AnswerMessage {
  std::uint32_t answer = 0;
};

// The message that leaves a client. It carries no name, round or order.
using Message = std::variant<SignedDirectionMessage, GridMessage, SignedIndexMessage, AnswerMessage>;

// The exact sum of messages. Its entries are 64-bit integer multiples of a power-of-two step, so the sum is
// bit-identical for every order of the messages and every split over threads. It has room for 2^32 messages
// of 32-bit steps. The randomizer decides what an entry sums: a coordinate of the decoded vectors, or signs
// or answers that the randomizer's mean() decodes.
//
// Messages with small steps are first added up in 32 bits, which halves the memory traffic. Every read first
// moves these 32-bit sums into the 64-bit sums. So reading may write, and only one thread at a time may use a
// MessageSum, even for reading.
class MessageSum {
 public:
  MessageSum(std::size_t dimension, double step);

  // Adds another sum. Throws Error(internal) if its dimension or step differs.
  void merge(const MessageSum& other);
  void clear();

  std::uint64_t count() const { return count_; }
  // Overwrites `out` with sum * step / count, or with zeros if count() is 0. Throws Error(internal) unless
  // out.size() == size().
  void mean(std::span<float> out) const;

  std::size_t size() const { return sums_.size(); }
  std::span<std::int64_t> sums() {
    widen();
    return sums_;
  }
  std::span<const std::int64_t> sums() const {
    widen();
    return sums_;
  }

  // Returns size() 32-bit sums with room for one more message whose entries are at most `bound` in
  // magnitude. The caller adds one such message (or several whose bounds add up to `bound`), or undoes what
  // it added. Any other call invalidates the span. Throws Error(internal) unless bound < 2^31.
  std::span<std::int32_t> narrow_sums(std::uint32_t bound);
  // The largest bound for which narrow sums are fast. Add messages with a larger bound to sums(), because too
  // few of them fit into 32 bits.
  static constexpr double kLargestNarrowBound = 0x1p27;

  double step() const { return step_; }
  void count_one() { ++count_; }
  // Sets count(), after sums() has been filled with sums computed elsewhere.
  void set_count(std::uint64_t count) { count_ = count; }
  void count_more(std::uint64_t messages) { count_ += messages; }

 private:
  void widen() const;

  mutable AlignedVector<std::int64_t> sums_;
  mutable AlignedVector<std::int32_t> narrow_;  // the part of the sum in 32 bits; empty until first used
  mutable std::uint64_t narrow_bound_ = 0;      // an upper bound on the magnitude of every narrow sum
  double step_;
  std::uint64_t count_ = 0;
};

// The buffers of one thread. For ldp-sgd and l2 they also hold the last VectorRandomizer::kPass directions
// that were computed from seeds, so that a direction need not be computed again when the thread that made a
// message also aggregates it. Results never depend on this.
class Scratch {
 public:
  virtual ~Scratch() = default;
};

class VectorRandomizer {
 public:
  virtual ~VectorRandomizer() = default;

  virtual std::size_t dimension() const = 0;
  // Returns the mechanism that the accountant charges for one message.
  virtual accounting::Mechanism description() const = 0;
  // Returns the number of bits of a message, in a wire format without names or types.
  virtual std::uint64_t message_bits() const = 0;
  // Returns the variance of one decoded message, summed over its coordinates, if the clipped vector (for a
  // zero vector of k-rr, the vector with 1/k in every entry) has the squared length `squared_norm`.
  virtual double variance(double squared_norm) const = 0;

  // Returns the unit of the sum's entries, a power of two.
  virtual double step() const = 0;
  // Returns the number of entries of the sum.
  virtual std::size_t sum_size() const { return dimension(); }
  MessageSum make_sum() const { return MessageSum(sum_size(), step()); }
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  // The client's side. `gradient` has dimension() floats and is not yet clipped. Throws Error(data) if it
  // contains NaN or infinity; the client must then send the message of the zero vector instead
  // (docs/theory/what-the-system-owes.md). All private bits come from KeyedStream(key, {Purpose::randomize,
  // round, client}) and, where exact normals need further bits, from the streams that random/exact_normals.h
  // derives from the same address. Overwrites `out` and reuses its storage.
  virtual void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                         std::uint64_t client, Scratch& scratch, Message& out) const = 0;

  // The aggregator's side: decodes one anonymous message and adds it to `sum`. What is added depends on the
  // message only. Throws Error(data) for a message of another kind or dimension, and Error(internal) for a
  // sum of another size or step.
  virtual void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const = 0;

  // Accumulates every message, in any order. Randomizers that can add several messages in one pass over the
  // sum do so, which is faster.
  virtual void accumulate_all(std::span<const Message> messages, Scratch& scratch, MessageSum& sum) const {
    for (const Message& message : messages) accumulate(message, scratch, sum);
  }
  // The largest number of messages that one pass adds.
  static constexpr std::size_t kPass = 8;

  // Overwrites `out` (dimension() floats) with the mean of the decoded messages, an unbiased estimate of the
  // mean of the clipped vectors (k_rr.h states an exception, the zero vector), or with zeros if there are no
  // messages. Throws Error(internal) if the sizes of `sum` and `out` do not match.
  virtual void mean(const MessageSum& sum, std::span<float> out) const { sum.mean(out); }
};

// A randomizer whose private bits are consecutive words of one source. Every randomizer except gaussian is of
// this kind. For gaussian, vector kernels compute the words of a stream address and turn them into normals.
class StreamRandomizer : public VectorRandomizer {
 public:
  void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                 std::uint64_t client, Scratch& scratch, Message& out) const final {
    random::KeyedStream bits(key, {random::Purpose::randomize, round, client});
    randomize_from(bits, gradient, scratch, out);
  }

  // Does the same as randomize(), but takes the private bits from `bits`, which may be any source.
  virtual void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch& scratch,
                              Message& out) const = 0;
};

}  // namespace muster::randomizers

// Local randomizers of vectors: what a client does to its gradient before anything leaves it, and how the
// aggregator reads the message. docs/randomizers.md compares them.
//
// Order of calls: sum = make_sum(); per thread one make_scratch(); per client randomize(), then, anywhere and
// in any order, accumulate(); merge() the threads' sums; mean(). A randomizer is immutable and may be shared
// between threads; a Scratch and a MessageSum belong to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/aligned.h"

namespace muster::randomizers {

// ldp-sgd: the seed of a uniform direction, and on which side of it the (noisy) gradient lies.
struct SignedDirectionMessage {
  std::array<std::uint8_t, 16> seed{};
  bool positive = false;
};

// gaussian, laplace: whole multiples of the randomizer's step(), one a coordinate.
struct GridMessage {
  AlignedVector<std::int32_t> steps;
};

// linf, l1: one coordinate, of the vector or of its Hadamard transform, and one sign.
struct SignedIndexMessage {
  std::uint32_t index = 0;
  bool positive = false;
};

// k-rr: one of the answers.
struct AnswerMessage {
  std::uint32_t answer = 0;
};

// What leaves a client: it carries no name, round or order.
using Message = std::variant<SignedDirectionMessage, GridMessage, SignedIndexMessage, AnswerMessage>;

// Exact sum of messages: 64-bit multiples of a power-of-two step, so the order of messages and the split over
// threads cannot change a bit of it. Room for 2^32 messages of 32-bit steps. What an entry counts is the
// randomizer's affair: a coordinate of the decoded vectors, or signs and answers that its mean() decodes.
//
// Messages of small steps are first added up in 32 bits, which moves half the memory; whoever looks at the
// sums finds them widened. Looking may therefore write: one thread at a time, readers included.
class MessageSum {
 public:
  MessageSum(std::size_t dimension, double step);

  // Adds another sum of the same dimension and step, else Error(internal).
  void merge(const MessageSum& other);
  void clear();

  std::uint64_t count() const { return count_; }
  // Sum times step over count, overwriting out (as many floats as entries); zeros when count() is 0.
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

  // size() 32-bit sums with room for one more message whose entries are at most `bound` < 2^31
  // in magnitude. The span is void once anything else is called; the caller adds one such
  // message to it, or undoes what it added.
  std::span<std::int32_t> narrow_sums(std::uint32_t bound);
  // Above this bound so few messages fit that adding to sums() is faster.
  static constexpr double kLargestNarrowBound = 0x1p27;

  double step() const { return step_; }
  void count_one() { ++count_; }
  // For sums() that were added up elsewhere.
  void set_count(std::uint64_t count) { count_ = count; }
  void count_more(std::uint64_t messages) { count_ += messages; }

 private:
  void widen() const;

  mutable AlignedVector<std::int64_t> sums_;
  mutable AlignedVector<std::int32_t> narrow_;  // empty until used; part of the sum
  mutable std::uint64_t narrow_bound_ = 0;      // no narrow sum exceeds it in magnitude
  double step_;
  std::uint64_t count_ = 0;
};

// Buffers of one thread. It also remembers the directions made last, one a message of a pass, so that a
// message just made is not decoded again when the same thread aggregates it; results never depend on it.
class Scratch {
 public:
  virtual ~Scratch() = default;
};

class VectorRandomizer {
 public:
  virtual ~VectorRandomizer() = default;

  virtual std::size_t dimension() const = 0;
  // What the accountant charges for one message.
  virtual accounting::Mechanism description() const = 0;
  // Bits of one message in a wire format that spends none on names or types.
  virtual std::uint64_t message_bits() const = 0;
  // Of one decoded message, summed over its coordinates, when the clipped vector has this squared length.
  virtual double variance(double squared_norm) const = 0;

  // What an entry of the sum is a multiple of: a power of two.
  virtual double step() const = 0;
  // Entries of the sum.
  virtual std::size_t sum_size() const { return dimension(); }
  MessageSum make_sum() const { return MessageSum(sum_size(), step()); }
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;

  // Client side. gradient: dimension() floats, not yet clipped; NaN or infinity in it is Error(data), and the
  // client then owes the message of the zero vector (docs/theory/what-the-system-owes.md). Every private bit
  // comes from KeyedStream(key, {Purpose::randomize, round, client}). Overwrites out, reusing its storage.
  virtual void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                         std::uint64_t client, Scratch& scratch, Message& out) const = 0;

  // Aggregator side: decodes one anonymous message and adds it to sum. Depends on the message alone. A
  // message of another kind or dimension is Error(data).
  virtual void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const = 0;

  // The same for every message, in any order; faster where several can be added in one pass over the sum.
  virtual void accumulate_all(std::span<const Message> messages, Scratch& scratch, MessageSum& sum) const {
    for (const Message& message : messages) accumulate(message, scratch, sum);
  }
  // As many messages as fill a pass.
  static constexpr std::size_t kPass = 8;

  // The mean of the decoded messages, overwriting out (dimension() floats): an unbiased estimate of the mean
  // of the clipped vectors; zeros when there are none.
  virtual void mean(const MessageSum& sum, std::span<float> out) const { sum.mean(out); }
};

}  // namespace muster::randomizers

// Makes one thread's messages of a step: clips and randomizes each vector into a message, and adds the
// messages up, several in one pass.
//
// With a sum sampler (the `sum` fidelity), no message is made: the clipped vectors are added up exactly, and
// the noise of all messages is drawn later. A vector that the randomizer does not take, because it is not
// finite or, for k-rr, no indicator of a category, is either answered like the zero vector, as a client must
// (docs/theory/what-the-system-owes.md), or refused.
//
// Order of calls in a step: begin(), then make() for each sender, flush() and end() once each, and then
// aggregator() for what was added up. A maker belongs to one thread at a time, and the arguments of its
// constructor must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/core/error.h"
#include "muster/protocols/aggregate.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"

namespace muster::simulation {

// What becomes of a vector that the randomizer does not take: one with an entry that is NaN or infinite and,
// for k-rr, one that is neither the indicator of a category nor zero.
enum class BadVector { answered_neutrally, refused };

class MessageMaker {
 public:
  // The number of vectors that one pass adds up.
  static constexpr std::size_t kPass = randomizers::VectorRandomizer::kPass;

  // `sum` is null unless only sums are drawn.
  MessageMaker(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
               const random::RunKey& key, BadVector bad);

  // Starts a step and forgets everything of an earlier step. Does nothing if the step was started already.
  void begin();

  // Takes in the vector of a sender. With a sum sampler, the vector is read only by flush(), so it must not
  // change until then. Throws Error(data), which names the client, for a vector that is to be refused.
  void make(const protocols::Sender& sender, std::span<const float> vector);
  // Does the same, and overwrites `decoded`, whose size is the randomizer's dimension, with what the message
  // decodes to by itself. Must not be called with a sum sampler, because then no messages are made.
  void make_decoded(const protocols::Sender& sender, std::span<const float> vector, std::span<float> decoded);
  // Takes in the zero vector of a dummy.
  void make_dummy(const protocols::Sender& sender) { make(sender, zeros()); }
  // The number of vectors that wait for flush(). As soon as kPass vectors wait, make() calls flush().
  std::size_t waiting() const { return waiting_; }
  void flush();

  // Ends the step that begin() started. Returns false if no step was started.
  bool end();
  // The sum of the messages that were made and flushed.
  protocols::Aggregator& aggregator() { return aggregator_; }
  // The number of vectors that were answered neutrally in this step.
  std::uint64_t neutral() const { return neutral_; }

 private:
  void randomize(const protocols::Sender& sender, std::span<const float> vector);
  void wait();
  void add_vectors();
  // Counts a neutral answer, because the zero vector replaces the sender's vector, for which the randomizer
  // threw `refusal`. Throws Error(data), which names the client, instead if such vectors are refused.
  void replace(const protocols::Sender& sender, std::span<const float> vector, const Error& refusal);
  std::span<const float> zeros();

  const randomizers::VectorRandomizer& randomizer_;
  const randomizers::SumSampler* sum_;
  random::RunKey key_;
  BadVector bad_;
  std::unique_ptr<randomizers::Scratch> scratch_;
  protocols::Aggregator aggregator_;
  std::array<randomizers::Message, kPass> messages_;
  std::array<std::span<const float>, kPass> vectors_;  // with a sum sampler, the vectors that wait
  std::array<protocols::Sender, kPass> senders_;       // with a sum sampler, the senders of these vectors
  std::size_t waiting_ = 0;
  std::vector<float> zeros_;                       // a zero vector; empty until first needed
  std::optional<randomizers::MessageSum> single_;  // the sum of one message; empty until first needed
  std::uint64_t neutral_ = 0;
  bool begun_ = false;
  bool empty_ = true;
};

}  // namespace muster::simulation

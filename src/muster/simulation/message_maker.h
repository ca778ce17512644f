// What one thread does with the vectors of a step: each is clipped and randomized into a message, and
// messages are added up, several in one pass.
//
// With a sum sampler (the `sum` fidelity), no message is made: the clipped vectors are added up exactly, and
// the noise of all messages is drawn later. A vector that is not finite is either answered like the zero
// vector, as a client must (docs/theory/what-the-system-owes.md), or refused.
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

#include "muster/protocols/aggregate.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"

namespace muster::simulation {

// What becomes of a vector that has an entry that is NaN or infinite.
enum class BadVector { answered_neutrally, refused };

class MessageMaker {
 public:
  // As many vectors as one pass adds up.
  static constexpr std::size_t kPass = randomizers::VectorRandomizer::kPass;

  // `sum` is null unless only sums are drawn.
  MessageMaker(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
               const random::RunKey& key, BadVector bad);

  // Starts a step, unless this step has been started. Everything of an earlier step is forgotten.
  void begin();

  // Takes in the vector of a sender. With a sum sampler, the vector is read only by flush(), so it must not
  // change before. Throws Error(data), which names the client, for a vector that is to be refused.
  void make(const protocols::Sender& sender, std::span<const float> vector);
  // The same, and overwrites `decoded` (the randomizer's dimension) with what the message decodes to by
  // itself. Not with a sum sampler, which makes no messages.
  void make_decoded(const protocols::Sender& sender, std::span<const float> vector, std::span<float> decoded);
  // Takes in the zero vector of a dummy.
  void make_dummy(const protocols::Sender& sender) { make(sender, zeros()); }
  // The number of vectors that wait for flush(), which make() calls when they are kPass.
  std::size_t waiting() const { return waiting_; }
  void flush();

  // Ends the step that begin() started; returns whether there was one.
  bool end();
  // The messages taken in, all flushed.
  protocols::Aggregator& aggregator() { return aggregator_; }
  // The number of vectors that were answered neutrally in this step.
  std::uint64_t neutral() const { return neutral_; }

 private:
  void randomize(const protocols::Sender& sender, std::span<const float> vector);
  void wait();
  void add_vectors();
  // Counts, or refuses, the vector of a sender if it is not finite; returns whether it did.
  bool replaces(const protocols::Sender& sender, std::span<const float> vector);
  std::span<const float> zeros();

  const randomizers::VectorRandomizer& randomizer_;
  const randomizers::SumSampler* sum_;
  random::RunKey key_;
  BadVector bad_;
  std::unique_ptr<randomizers::Scratch> scratch_;
  protocols::Aggregator aggregator_;
  std::array<randomizers::Message, kPass> messages_;
  std::array<std::span<const float>, kPass> vectors_;  // with a sum sampler, those that wait, and
  std::array<protocols::Sender, kPass> senders_;       // their senders
  std::size_t waiting_ = 0;
  std::vector<float> zeros_;  // empty until first needed, as is the sum of one message:
  std::optional<randomizers::MessageSum> single_;
  std::uint64_t neutral_ = 0;
  bool begun_ = false;
  bool empty_ = true;
};

}  // namespace muster::simulation

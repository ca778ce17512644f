// Runs rounds of a population whose clients' vectors come from outside, for example from a program that
// trains a model of its own.
//
// All coins are tossed before any vector is seen: open() calls the roll and returns the clients that send, in
// a secret uniform order. Their vectors then come in that order, in any number of pieces; each is clipped,
// randomized and added up exactly as a simulated client's (message_maker.h), and close() decodes the mean.
// The messages of the server's dummies are made here, and nobody outside learns which they are. The estimate
// has the same bits for any number of workers and any division into pieces.
//
// Example:
//     OpenRounds rounds(*randomizer, nullptr, *roll_call, clients, key, team);
//     const std::span<const std::uint64_t> who = rounds.open(1);
//     rounds.send(who, vectors.data(), dimension);   // one row a client
//     rounds.close(estimate);
//
// An OpenRounds belongs to one thread, and the arguments of its constructor must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/open_step.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class OpenRounds {
 public:
  // `sum` is null unless only the sums of messages are drawn.
  OpenRounds(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
             protocols::RollCall& roll_call, std::uint64_t clients, const random::RunKey& key,
             WorkerTeam& team, BadVector bad = BadVector::refused, const Interrupt& interrupt = {});

  // Opens the step that starts at `first_round`, and abandons one that is still open. Returns the clients
  // that send in it, in their secret order; the list is valid until the next call. Throws Error(interrupted)
  // if it is interrupted, and then no step is open.
  std::span<const std::uint64_t> open(std::uint64_t first_round);
  bool is_open() const { return open_; }
  // The number of clients that have sent in this step.
  std::size_t sent() const { return sent_; }
  // The number of messages of the step, including those of the server's dummies.
  std::uint64_t messages() const { return step_.senders().size(); }

  // Throws Error(usage) if no step is open, if all clients have sent, or if another client is next, which the
  // error names. A caller that hands vectors over in several pieces calls this for all of them before the
  // first piece, so that either all or none are taken in.
  void expect_next(std::span<const std::uint64_t> clients) const;

  // Takes in the vectors of `clients`, which must be the next of those that open() returned. The vector of
  // clients[i] begins at rows + i * stride, has as many floats as the randomizer's dimension, and is not
  // copied. Throws what expect_next() throws, and takes in nothing then. Throws Error(data), which names the
  // client, for a vector that the randomizer does not take and that must be refused (BadVector), and
  // Error(interrupted) if it is interrupted; in both cases the step is abandoned.
  void send(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride);

  // Does the same as send(), and overwrites the `dimension` floats that begin at decoded + i * dimension with
  // what the message of clients[i] decodes to by itself. Also throws Error(usage), and takes in nothing, if
  // only sums are drawn.
  void send_decoded(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride,
                    float* decoded);

  // Ends the step, and overwrites `estimate` (the randomizer's dimension) with the mean of the decoded
  // messages, or with zeros if nothing was decoded. Throws Error(usage) if no step is open, or if some
  // clients have not sent yet; the step then stays open. Throws Error(interrupted) if it is interrupted; the
  // step is then abandoned.
  Step close(std::span<float> estimate);
  // Ends the step, if one is open, and destroys its sum without decoding it. What was charged for it stays
  // charged.
  void abandon();

 private:
  // Makes messages in turns; if that fails, abandons the step.
  template <typename Make>
  void make_all(std::size_t senders, const Make& make);

  std::size_t dimension_;
  bool only_sums_;
  WorkerTeam& team_;
  Interrupt interrupt_;
  std::unique_ptr<Ranks> ranks_;
  OpenStep step_;
  std::vector<std::uint64_t> clients_;  // the clients that send in the step, in their secret order
  std::vector<std::uint64_t> rounds_;   // for each of these clients, the round in which it sends
  std::vector<protocols::Sender> dummies_;
  std::size_t sent_ = 0;
  bool open_ = false;
};

}  // namespace muster::simulation

// Describes who takes part in a round, as the accountant sees it, by one immutable description for each
// protocol.
//
// Rates are effective: they include dropout. Where clients' rates differ, `rate` is the largest and
// `min_rate` the smallest. `clients` counts honest, non-colluding clients whose choices are secret.
// Participation must not depend on private data (docs/theory/swap-theorem.md). Every description is valid:
// its constructor throws Error(plan), naming the plan's key, the value and its range. The meaning of an
// alternative of the variant never changes; a new protocol becomes a new alternative.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "muster/core/types.h"
#include "muster/describe/view.h"

namespace muster::accounting {

// Every client reports in every round.
class Shuffle {
 public:
  explicit Shuffle(ClientCount clients) : clients_(clients) {}
  ClientCount clients() const { return clients_; }
  bool operator==(const Shuffle&) const = default;

 private:
  ClientCount clients_;
};

// A uniform secret subset of exactly `subset` clients reports; 1 <= subset <= clients.
class FixedSubset {
 public:
  FixedSubset(ClientCount clients, std::uint64_t subset);
  ClientCount clients() const { return clients_; }
  std::uint64_t subset() const { return subset_; }
  bool operator==(const FixedSubset&) const = default;

 private:
  ClientCount clients_;
  std::uint64_t subset_;
};

// The base of the protocols in which each client decides by a coin. It holds the number of clients and the
// smallest and largest rate, min_rate <= rate.
class WithRates {
 public:
  ClientCount clients() const { return clients_; }
  Rate rate() const { return rate_; }
  const std::optional<Rate>& min_rate() const { return min_rate_; }
  bool operator==(const WithRates&) const = default;

 protected:
  WithRates(ClientCount clients, Rate rate, std::optional<Rate> min_rate);

 private:
  ClientCount clients_;
  Rate rate_;
  std::optional<Rate> min_rate_;
};

// Each client reports in each round with independent probability `rate`.
class ShuffledCheckIn : public WithRates {
 public:
  ShuffledCheckIn(ClientCount clients, Rate rate, std::optional<Rate> min_rate = std::nullopt)
      : WithRates(clients, rate, min_rate) {}
  bool operator==(const ShuffledCheckIn&) const = default;
};

// Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy amplification via random check-ins" (NeurIPS 2020):
// a client checks in with probability `rate`, once in a run, at one of its `slots` slots chosen uniformly.
// The accountant counts one whole run as one round. slots >= 1.
class RandomCheckIn : public WithRates {
 public:
  enum class Kind {
    fixed,     // at each slot, the server asks one client who checked in, or uses a dummy (Algorithm 1)
    averaged,  // everyone who checked in at a slot reports (Algorithm 2)
    // Like fixed, but each client's window of `slots` slots starts at a time of its own (Section 4.2).
    sliding
  };
  RandomCheckIn(Kind kind, ClientCount clients, std::uint64_t slots, Rate rate,
                std::optional<Rate> min_rate = std::nullopt);
  Kind kind() const { return kind_; }
  std::uint64_t slots() const { return slots_; }
  bool operator==(const RandomCheckIn&) const = default;

 private:
  Kind kind_;
  std::uint64_t slots_;
};

// Like a shuffled check-in, but only the sum of a round's messages and their number are seen. A round of
// fewer than `minimum` messages is destroyed without being seen; 1 <= minimum <= clients.
class AggregatedCheckIn : public WithRates {
 public:
  AggregatedCheckIn(ClientCount clients, Rate rate, std::uint64_t minimum = 1,
                    std::optional<Rate> min_rate = std::nullopt);
  std::uint64_t minimum() const { return minimum_; }
  bool operator==(const AggregatedCheckIn&) const = default;

 private:
  std::uint64_t minimum_;
};

using Participation = std::variant<Shuffle, FixedSubset, ShuffledCheckIn, RandomCheckIn, AggregatedCheckIn>;

// The protocol's name in plans, like "shuffled-check-in".
const char* name_of(const Participation& participation);

// A description for human readers, like "60000 clients, each reporting with probability 0.1 in each round".
std::string describe(const Participation& participation);

// What the adversary of this protocol sees, unless the shuffler colludes.
View own_view(const Participation& participation);

// The probability that a given client reports in a round or, for random check-ins, checks in during a run.
// Where rates differ, this is the largest one. That of a subset is a quotient, and is rounded up.
Rate message_rate(const Participation& participation);
// The same probability for the client with the smallest rate: `min_rate` where rates differ.
Rate min_message_rate(const Participation& participation);

ClientCount clients_of(const Participation& participation);

}  // namespace muster::accounting

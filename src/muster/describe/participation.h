// Who takes part in a round, as the accountant sees it: immutable descriptions, one per protocol.
//
// Rates are effective ones, dropout included. Where clients' rates differ, `rate` is the largest and
// `min_rate` the smallest. `clients` counts honest, non-colluding clients whose choices are secret.
// Participation must not depend on private data (docs/theory/swap-theorem.md). The alternatives of the
// variant Participation never change their meaning; a new protocol gets a new alternative.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "muster/core/types.h"
#include "muster/describe/view.h"

namespace muster::accounting {

// Everybody reports in every round.
struct Shuffle {
  ClientCount clients;
  bool operator==(const Shuffle&) const = default;
};

// In each round, a uniform secret subset of exactly `subset` clients reports.
struct FixedSubset {
  ClientCount clients;
  std::uint64_t subset;
  bool operator==(const FixedSubset&) const = default;
};

// Each client reports in each round with independent probability `rate`.
struct ShuffledCheckIn {
  ClientCount clients;
  Rate rate;
  std::optional<Rate> min_rate = std::nullopt;
  bool operator==(const ShuffledCheckIn&) const = default;
};

// Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy amplification via random check-ins" (NeurIPS 2020): a
// client checks in with probability `rate`, at most once in a run, at one of its `slots` slots, drawn
// uniformly. One round of the accountant is one whole run.
struct RandomCheckIn {
  enum class Kind {
    fixed,     // per slot, the server asks one client who checked in, or uses a dummy (Algorithm 1)
    averaged,  // everyone who checked in at a slot reports (Algorithm 2)
    // Like fixed, but each client's window of `slots` slots starts at a time of its own (Section 4.2).
    sliding
  };
  Kind kind;
  ClientCount clients;
  std::uint64_t slots;
  Rate rate;
  std::optional<Rate> min_rate = std::nullopt;
  bool operator==(const RandomCheckIn&) const = default;
};

// Like a shuffled check-in, but only the sum of a round's messages and their number are seen. A round of
// fewer than `minimum` messages is destroyed without being seen.
struct AggregatedCheckIn {
  ClientCount clients;
  Rate rate;
  std::uint64_t minimum = 1;
  std::optional<Rate> min_rate = std::nullopt;
  bool operator==(const AggregatedCheckIn&) const = default;
};

using Participation = std::variant<Shuffle, FixedSubset, ShuffledCheckIn, RandomCheckIn, AggregatedCheckIn>;

// Throws Error(plan) for a subset or minimum outside 1 .. clients, for 0 slots, and for min_rate > rate.
void validate(const Participation& participation);

// The protocol's name in plans, like "shuffled-check-in".
const char* name_of(const Participation& participation);

// A description for human readers, like "60000 clients, each reporting with probability 0.1 in each round".
std::string describe(const Participation& participation);

// What the adversary of this protocol sees, unless the shuffler colludes.
View own_view(const Participation& participation);

// The probability that a given client reports in a round or, for random check-ins, checks in during a run.
// Where rates differ, this is the largest one.
Rate message_rate(const Participation& participation);
// The same for the client with the smallest rate: `min_rate` where rates differ.
Rate min_message_rate(const Participation& participation);

ClientCount clients_of(const Participation& participation);

}  // namespace muster::accounting

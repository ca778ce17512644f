// Who takes part in a round, as the accountant sees it: immutable descriptions, one a protocol.
//
// Rates are effective (dropout included). Where clients' rates differ, `rate` is the largest and
// `least` the smallest; `clients` counts honest, non-colluding clients whose choices are secret.
// Participation must not depend on private data (docs/theory/swap-theorem.md). Meaning never
// changes: a new protocol is a new alternative.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "muster/accounting/statement.h"
#include "muster/core/types.h"

namespace muster::accounting {

// Everybody reports in every round.
struct Shuffle {
  ClientCount clients;
  bool operator==(const Shuffle&) const = default;
};

// A uniform secret subset of exactly `subset` clients reports.
struct FixedSubset {
  ClientCount clients;
  std::uint64_t subset;
  bool operator==(const FixedSubset&) const = default;
};

// Each client reports in each round with independent probability `rate`.
struct ShuffledCheckIn {
  ClientCount clients;
  Rate rate;
  std::optional<Rate> least = std::nullopt;
  bool operator==(const ShuffledCheckIn&) const = default;
};

// Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy amplification via random check-ins" (NeurIPS 2020): a
// client checks in with probability `rate`, once in a run, at a uniform one of its `slots` slots. One round
// of the accountant is one whole run.
struct RandomCheckIn {
  enum class Kind {
    fixed,     // the server asks one checked-in client a slot, or a dummy (their Algorithm 1)
    averaged,  // everyone who checked in at a slot reports (Algorithm 2)
    sliding    // as fixed, each client's window of `slots` slots starting at its own time (Section 4.2)
  };
  Kind kind;
  ClientCount clients;
  std::uint64_t slots;
  Rate rate;
  std::optional<Rate> least = std::nullopt;
  bool operator==(const RandomCheckIn&) const = default;
};

// As a shuffled check-in, but only the sum of a round's messages and their number are seen; a round of fewer
// than `minimum` messages is destroyed unseen.
struct AggregatedCheckIn {
  ClientCount clients;
  Rate rate;
  std::uint64_t minimum = 1;
  std::optional<Rate> least = std::nullopt;
  bool operator==(const AggregatedCheckIn&) const = default;
};

using Participation = std::variant<Shuffle, FixedSubset, ShuffledCheckIn, RandomCheckIn, AggregatedCheckIn>;

// Refuses (Error(plan)) a subset outside 1 .. clients, no slots, a
// minimum outside 1 .. clients, least > rate.
void validate(const Participation& participation);

// "shuffled-check-in", as plans name it.
const char* name_of(const Participation& participation);

// For people: "60000 clients, each reporting with probability 0.1".
std::string describe(const Participation& participation);

// What the adversary sees unless someone colludes.
View own_view(const Participation& participation);

// The chance that a given client sends a message in a round.
Rate message_rate(const Participation& participation);

ClientCount clients_of(const Participation& participation);

}  // namespace muster::accounting

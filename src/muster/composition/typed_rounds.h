// Bounds the composition of any number of rounds, each of which may have any of the given types
// (round_types.h). Tables are built when first needed, and kept.
//
// Up to a certain number of rounds, the recursion over adaptive choices (adaptive_rounds.h) gives the answer.
// More rounds are divided into blocks of this number of consecutive rounds and a shorter block of the
// remaining rounds. The profile of each block is tabulated and turned into a dominating pair
// (dominating_pair.h), and these pairs are composed (different_rounds.h), so every round is charged exactly
// once. The length of a block depends on the types and on the tail, which is the delta at which the tables
// end. Smaller deltas and many more rounds need a smaller tail. Thread rule: const methods may run
// concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "muster/composition/adaptive_rounds.h"
#include "muster/composition/different_rounds.h"
#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_types.h"
#include "muster/describe/question.h"

namespace muster::accounting {

// Makes the types, with losses up to the epsilon at which the worst type's delta is `tail`; larger losses are
// charged as infinite. nullopt if there are no types for the round, or if they cannot be tabulated. `rough`
// types take less work and are looser.
using TypesOf = std::function<std::optional<RoundTypes>(double tail, bool rough)>;

class TypedRounds {
 public:
  explicit TypedRounds(TypesOf types) : types_(std::move(types)) {}

  // The upper bound on the quantity asked for, for `rounds` >= 1. If there are no types, no tail is small
  // enough, or the recursion takes too much work, the answer is an infinite epsilon or a delta of 1.
  double upper(std::uint64_t rounds, const Question& question) const;
  // The upper bound from rough types, to start a search. It is a few per cent larger than upper() and takes a
  // third of the work.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  // The upper bound on delta at `epsilon`, from the tables that upper() uses if `delta` is given.
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  // An estimate, which is neither a proven upper nor a proven lower bound: the value of upper() with the
  // numerical errors of the recursion and of the composition taken with the opposite sign. `upper` is this
  // object's answer to the question.
  double estimate(std::uint64_t rounds, const Question& question, double upper) const;

  // The dominating pairs that are charged for `rounds` consecutive rounds, each with the number of times it
  // is charged. Their lattices are nested (round_curve.h), so they can be composed with pairs of other
  // rounds. The pairs live as long as this object. The result is empty if there are no types, if no tail is
  // small enough, or if the recursion takes too much work.
  struct Charge {
    const LossDistribution* pair;
    std::uint64_t times;
  };
  std::vector<Charge> charges(std::uint64_t rounds, double delta) const;

 private:
  struct Tables {  // all tables that end at the same tail
    RoundTypes types;
    std::uint64_t block = 0;  // the number of rounds of the longest recursion; 0 if there is none
    // The recursions, by the largest number of rounds that each can answer.
    std::map<std::uint64_t, AdaptiveRounds> recursions;
    // The dominating pairs of blocks, by the number of rounds of the block.
    std::map<std::uint64_t, LossDistribution> pairs;
  };
  std::vector<double> profile(Tables& tables, std::uint64_t rounds) const;
  Tables* tables(std::uint64_t rounds, double delta, bool rough) const;
  std::vector<Charge> charges(Tables& tables, std::uint64_t rounds) const;
  DifferentRounds blocks(Tables& tables, std::uint64_t rounds) const;
  double delta_of(Tables& tables, std::uint64_t rounds, double epsilon) const;
  double answer(std::uint64_t rounds, const Question& question, bool rough) const;

  TypesOf types_;
  mutable std::mutex mutex_;
  // The tables, by the index of their tail and by whether their types are rough.
  mutable std::map<std::pair<std::size_t, bool>, std::unique_ptr<Tables>> tables_;
};

}  // namespace muster::accounting

// Composes the types that a round can be (round_types.h) over any number of rounds. Its tables are built when
// first needed, and kept.
//
// Up to the length of a block, the recursion over adaptive choices (adaptive_rounds.h) gives the answer. For
// more rounds, the profile of a block is tabulated and turned into a dominating pair (dominating_pair.h);
// whole blocks, and a shorter one for the remaining rounds, compose (different_rounds.h). Every round is
// charged once: a shorter block is not rounded up to a whole one. How long a block is depends on the types
// and on the tail of the tables, which is smaller for a smaller delta and for many more rounds. Thread rule:
// const methods may run concurrently.
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

// Makes the types, with losses up to where the worst curve falls to `tail`; nullopt where types would gain
// nothing. `rough` types take less work and are looser.
using TypesOf = std::function<std::optional<RoundTypes>(double tail, bool rough)>;

class TypedRounds {
 public:
  explicit TypedRounds(TypesOf types) : types_(std::move(types)) {}

  // The bound on the quantity asked for, for any number of rounds >= 1; infinity, or a delta of 1, if there
  // are no types or no tail is small enough.
  double upper(std::uint64_t rounds, const Question& question) const;
  // The same from rough types, to start a search: a few per cent larger, for a third of the work.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  // The upper bound on delta at an epsilon, from the tables that answer questions at `delta`.
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  // An estimate, on no proven side of the truth: the value of upper() with the numerical errors of the
  // recursion and of the composition turned downward. `upper` is this object's answer to the question.
  double estimate(std::uint64_t rounds, const Question& question, double upper) const;

  // The pairs that `rounds` consecutive rounds are charged as, each with the number of times it counts. Their
  // lattices are nested (round_curve.h), so that they compose with other rounds. They live as long as this
  // object. Empty if there are no types or no tail is small enough.
  struct Charge {
    const LossDistribution* pair;
    std::uint64_t times;
  };
  std::vector<Charge> charges(std::uint64_t rounds, double delta) const;

 private:
  struct Tables {  // for one tail
    RoundTypes types;
    std::uint64_t block = 0;  // the rounds of the longest recursion; 0 if there is none
    std::map<std::uint64_t, AdaptiveRounds>
        // The recursions, by the largest number of rounds for which each is made.
        recursions;
    std::map<std::uint64_t, LossDistribution> pairs;  // by the number of rounds of a block
  };
  std::vector<double> profile(Tables& tables, std::uint64_t rounds) const;
  Tables* tables(std::uint64_t rounds, double delta, bool rough) const;
  std::vector<Charge> charges(Tables& tables, std::uint64_t rounds) const;
  DifferentRounds blocks(Tables& tables, std::uint64_t rounds) const;
  double delta_of(Tables& tables, std::uint64_t rounds, double epsilon) const;
  double answer(std::uint64_t rounds, const Question& question, bool rough) const;

  TypesOf types_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, bool>, std::unique_ptr<Tables>>
      tables_;  // by the index of the tail, and whether rough
};

}  // namespace muster::accounting

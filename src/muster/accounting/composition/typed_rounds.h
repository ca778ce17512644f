// A bound that knows which types a round can be, carried to any number of rounds: the tables are built when
// first needed and kept.
//
// Up to a block of rounds the recursion over adaptive choices answers itself (adaptive_rounds.h). Beyond, the
// profile of a block is the curve of a dominating pair, like any other (dominating_pair.h), and whole blocks
// and a shorter one for what is left compose (different_rounds.h): nothing is charged twice, so more rounds
// never cost less. How long blocks are depends on the bound and on how small delta is, not on the number of
// rounds. Thread rule: const methods may run concurrently.
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

#include "muster/accounting/composition/adaptive_rounds.h"
#include "muster/accounting/composition/different_rounds.h"
#include "muster/accounting/composition/dominating_pair.h"
#include "muster/accounting/composition/round_types.h"
#include "muster/accounting/statement.h"

namespace muster::accounting {

// The types with losses up to where the worst curve falls to `tail`; none where there is nothing to gain.
using TypesOf = std::function<std::optional<RoundTypes>(double tail, bool rough)>;

class TypedRounds {
 public:
  explicit TypedRounds(TypesOf types) : types_(std::move(types)) {}

  // In the quantity asked, for any number of rounds >= 1; infinity, or a
  // delta of 1, where there are no types.
  double upper(std::uint64_t rounds, const Question& question) const;
  // A few per cent larger at a third of the cost, nothing kept: for a search to start with.
  double rough_upper(std::uint64_t rounds, const Question& question) const;
  // The upper delta at an epsilon, on the tables that answer for `delta`.
  double delta_at(std::uint64_t rounds, double delta, double epsilon) const;
  // The same with the recursion's and the composition's arithmetic turned
  // inward, where `upper` answers the question.
  double from_below(std::uint64_t rounds, const Question& question, double upper) const;

  // The pairs that so many consecutive rounds are charged as, each with its number, their lattices nested:
  // for rounds that are not alike. They live as long as this object. Empty where there are no types.
  struct Charge {
    const LossDistribution* pair;
    std::uint64_t times;
  };
  std::vector<Charge> charges(std::uint64_t rounds, double delta) const;

 private:
  struct Tables {  // of one tail
    RoundTypes types;
    std::uint64_t block = 0;                             // the longest recursion; 0: none
    std::map<std::uint64_t, AdaptiveRounds> recursions;  // by the rounds they are made for
    std::map<std::uint64_t, LossDistribution> pairs;     // by the rounds of a block
  };
  std::vector<double> profile(Tables& tables, std::uint64_t rounds) const;
  Tables* tables(std::uint64_t rounds, double delta, bool rough) const;
  std::vector<Charge> charges(Tables& tables, std::uint64_t rounds) const;
  DifferentRounds blocks(Tables& tables, std::uint64_t rounds) const;
  double delta_of(Tables& tables, std::uint64_t rounds, double epsilon) const;
  double answer(std::uint64_t rounds, const Question& question, bool rough) const;

  TypesOf types_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, bool>, std::unique_ptr<Tables>> tables_;  // by tail, rough or not
};

}  // namespace muster::accounting

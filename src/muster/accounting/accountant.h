// The accountant: a mechanism, a participation and a number of rounds in; a two-sided statement out.
//
// Example:
//     ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
//     Accountant accountant(LdpSgdLocal{2.0}, protocol);
//     Statement s = accountant.account(6800, {Question::Kind::epsilon_at_delta, 1e-5});
//     *s.best.upper;   // proven, never too small
//
// The neighbouring relation is replace-one for the life of the object. The first query builds the one-round
// curves (the slow part, cached); later ones, for any number of rounds, reuse them. Thread rule: const
// methods may run concurrently.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/accounting/participation.h"
#include "muster/accounting/result.h"
#include "muster/core/types.h"

namespace muster::accounting {

class Accountant {
 public:
  // Throws Error(uncovered), naming the missing theorem, for a pair no theorem covers.
  Accountant(const Mechanism& mechanism, const ShuffledCheckIn& protocol);
  ~Accountant();
  Accountant(Accountant&&) noexcept;
  Accountant& operator=(Accountant&&) noexcept;

  // Every applicable bound for `rounds` rounds; `as_published` adds the papers' printed formulas (comparison
  // only). `view`: shuffler_honest or shuffler_colludes; others throw Error(uncovered).
  Statement account(std::uint64_t rounds, const Question& question, View view = View::shuffler_honest,
                    bool as_published = false) const;

  // The proven upper epsilon alone: what training prints at every logged round. 0 rounds: 0.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::accounting

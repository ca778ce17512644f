// Computes what a training by LDP-SGD with shuffled check-ins costs, by the accountings of both versions of
// "Shuffled check-in" and by muster's own.
//
// Const methods may run concurrently. The first question to the accountant builds its tables, which takes
// about a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

class LdpSgdAccounting {
 public:
  // `plan` must be of a shuffled check-in with the randomizer ldp-sgd, and state a delta.
  explicit LdpSgdAccounting(const protocols::Plan& plan);

  const accounting::Question& question() const { return question_; }

  // Return epsilon by Theorem 2, as the first version prints it, and with the constants of the later
  // version's appendix.
  accounting::Bound theorem_2_printed(std::uint64_t rounds) const;
  accounting::Bound theorem_2(std::uint64_t rounds) const;
  // Returns epsilon by strong composition of the clones in closed form, as if n gamma of n clients reported.
  // The texts only cite its formula.
  accounting::Bound strong_composition(std::uint64_t rounds) const;
  // Returns epsilon by Theorem 1, where the victim is among k reports with probability k/n.
  accounting::Bound theorem_1(std::uint64_t rounds) const;
  // Returns muster's own statement: the best upper value is proven, and the lower one is of one pair of data
  // sets.
  accounting::Statement ours(std::uint64_t rounds) const;

 private:
  double clients_, rate_, epsilon0_;
  accounting::Question question_;
  accounting::ShuffledCheckIn protocol_;
  accounting::Accountant accountant_;
};

// Returns accuracy against epsilon by the accountings of the later version (theorem_2 and
// strong_composition), by theorem_1, and by ours.
std::vector<Curve> ldp_sgd_curves(const LdpSgdAccounting& accounting, const Trained& trained);

// Compares theorem_2 with strong_composition at the logged rounds of a training: at how many of them the
// first is smaller, and the ratio of the second to the first: its least and its largest value, and that of
// the last round.
struct StrongOverTheorem2 {
  std::size_t smaller = 0, rounds = 0;
  double least = 0, most = 0, last = 0;
};
StrongOverTheorem2 strong_over_theorem_2(const LdpSgdAccounting& accounting, const Trained& trained);

}  // namespace muster::reproduce

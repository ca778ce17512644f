// The losses of many rounds split at a size that some round passes with a small probability: nobody passes
// it, one round does, or several do.
//
// With B the size, p = sum over rounds of P(L > B), and N the event that no loss passes B,
//     delta(eps) = P(N) E[(1 - e^{eps-S})_+ | N]
//                  + sum over rounds t and atoms y > B of w_t(y) P(no other passes B) G_t(y) + R,
//     0 <= R <= P(two or more pass) <= p^2 / 2,
// G_t(y) = E (1 - e^{eps-y-S'})_+ over the other rounds, given that none of them passes B. P(N) stands for
// P(no other passes B) below and 1 above. G is enclosed by moments alone, since e^{-S'} and the moments of S'
// are products and sums over rounds: 1 - e^{eps-y} E e^{-S'} below; above the least of Chernoff's bound,
// Scarf's, and that value plus Chernoff's bound for (e^{eps-y-S'} - 1)_+ (put-call parity). The proof is in
// docs/theory/composition.md. Infinite losses are taken as zero. Immutable; the parts are not kept.
#pragma once

#include <vector>

#include "muster/accounting/composition/loss_integral.h"
#include "muster/numerics/atomic_law.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class RareJump {
 public:
  RareJump(Parts parts, double size);

  // At most half the square of this is the probability that several losses pass the size.
  double chance() const { return chance_; }

  // E (1 - e^{epsilon - S})_+.
  struct Value {
    numerics::Enclosure ends;
    bool summed;  // the losses up to the size by their integral, not by Chernoff's bound
  };
  Value value(double spacing, double epsilon) const;

 private:
  double chance_ = 0;
  double log_none_ = 0;
  std::vector<numerics::AtomicLaw> laws_;  // given that the size is not passed
  std::vector<numerics::AtomicLaw> far_;   // beyond
  std::vector<RepeatedLoss> near_;
};

}  // namespace muster::accounting

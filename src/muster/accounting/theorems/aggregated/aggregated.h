// Aggregated check-in with Gaussian noise: the server sees how many clients report, and the sum of their
// noisy vectors, nothing else (docs/theory/aggregated.md).
//
// Statement. n honest clients report independently with probability g; each vector, of norm at most C,
// carries its own normal noise of deviation sigma C a coordinate; a round of fewer than kmin reports is
// destroyed unseen. For every dataset, dimension and E = e^eps >= 1,
//     delta(eps) <= sum_{k >= kmin} Bin(n, g)(k) lambda_k f_{mu_k}(1 + (E-1)/lambda_k),
//     lambda_k = k/n,  mu_k = D / (sigma sqrt(k)),  D the largest distance of two clipped vectors over C,
// f_mu the Gaussian profile (`Profile::gaussian`). It is attained by one pair of datasets (all others hold
// x', |x - x'| = D C), so it is the exact worst curve; that pair's reverse curve is `reverse`. For any other
// randomizer the sum is a function of the shuffled messages: use the check-in bounds. Replace-one, view: only
// the sum is seen, proven. Immutable; call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// What becomes of a round with few reports.
enum class FewReports {
  destroyed,  // fewer than kmin: nothing is released
  topped_up   // noise of max(k, kmin) reports: what unequal rates need, see below
};

class AggregatedGaussianCurve {
 public:
  // mu = D / sigma, of one message; 1 <= kmin <= n <= 1e12; 0 < g <= 1.
  AggregatedGaussianCurve(double mu, double n, double g, double kmin, FewReports few = FewReports::destroyed);

  // The victim's rate `own`, every other client's g: her share of k reports is
  // lambda_k = own k (1-g) / (own k (1-g) + (1-own) (n-k) g).
  AggregatedGaussianCurve(double mu, double n, double own, double g, double kmin, FewReports few);

  // Exactly k of n clients, a secret uniform subset, report in every round.
  static AggregatedGaussianCurve subset(double mu, double n, double k);

  // Encloses the exact worst curve, which is also the forward curve of the pair.
  numerics::Enclosure delta(double epsilon) const;
  // The pair seen from x': sum_k Bin(n, g)(k) c f_{mu_k}(E lambda_k / c), c = (1 - E (1 - lambda_k))_+ .
  numerics::Enclosure reverse(double epsilon) const;

  // Runs of k, each as its worst one: the least odds (1 - lambda_k) / lambda_k against her being among the
  // reports and the largest mu_k, with the probability that she is among them and that their number is in
  // the run. `bulk` holds nearly all of it in at most `most` runs, `rest` what is left, piece by piece.
  struct Run {
    double odds, mu, weight;
  };
  struct Runs {
    std::vector<Run> bulk, rest;
  };
  Runs runs(std::size_t most) const;

 private:
  AggregatedGaussianCurve() = default;
  struct Block {
    double least_odds, most_odds;  // (1 - lambda_k) / lambda_k over the block
    double least_mu, most_mu;      // mu_k over the block
    double lower, upper;           // enclose the probability of k - 1 others reporting
    double rest;                   // all later blocks: probability times an upper bound of f_{mu_k}(1)
  };
  template <typename Term>
  numerics::Enclosure mixture(const Term& term) const;

  double own_ = 1;             // the victim's rate
  std::vector<Block> blocks_;  // from the largest probability down
};

// Rates known to lie in [lo, hi], 0 < lo <= hi <= 1: the average over N ~ Bin(n-1, lo/hi) of
// the curve of N + 1 clients of rate hi (docs/theory/aggregated.md); about twenty curves a
// point. `lower` is of the same expression.
class AggregatedUnequalCurve {
 public:
  AggregatedUnequalCurve(double mu, double n, double lo, double hi, double kmin);
  numerics::Enclosure delta(double epsilon) const;

 private:
  struct Share {
    double weight;
    AggregatedGaussianCurve curve;
  };
  std::vector<Share> shares_;
  double improbable_ = 0;  // total weight of the blocks whose curve is bounded by 1
};

}  // namespace muster::accounting

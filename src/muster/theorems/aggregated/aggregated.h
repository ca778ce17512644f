// Bounds an aggregated check-in with Gaussian noise, in which the server sees only how many clients report
// and the sum of their noisy vectors (Theorem 10, docs/theory/aggregated.md).
//
// Each of n honest clients reports independently with probability g. Each vector, of norm at most C,
// carries its own normal noise of deviation sigma C per coordinate. A round of fewer than kmin reports is
// destroyed unseen. Let Bin(n, g)(k) be the probability of k reports. For every data set, every dimension
// and E = e^eps >= 1,
//     delta(eps) <= sum_{k >= kmin} Bin(n, g)(k) lambda_k f_{mu_k}(1 + (E-1)/lambda_k),
//     lambda_k = k/n,  mu_k = D / (sigma sqrt(k)),  D the largest distance of two clipped vectors over C,
// where f_mu is the privacy profile of the Gaussian (`Profile::gaussian`). One pair of data sets attains
// this bound, so it is the exact worst curve: the victim holds x or x', all others hold x', and
// |x - x'| = D C. For any other randomizer the sum is a function of the shuffled messages, and the bounds
// of a shuffled check-in apply. The bound is proven for replace-one neighbours, if only the sum and the
// number of reports are seen. Objects are immutable and may be used from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Says how a round of fewer than kmin reports is treated.
enum class FewReports {
  destroyed,  // such a round releases nothing
  topped_up   // the sum has the noise of kmin reports, as AggregatedUnequalCurve needs it
};

class AggregatedGaussianCurve {
 public:
  // mu = D / sigma is the largest distance of two vectors in deviations of one message's noise. Requires
  // mu > 0, 1 <= kmin, 1 <= n <= 1e12 and 0 < g <= 1.
  AggregatedGaussianCurve(double mu, double n, double g, double kmin, FewReports few = FewReports::destroyed);

  // The victim's rate is `own`, and every other client's is g. The probability that she is among k reports is
  // lambda_k = own k (1-g) / (own k (1-g) + (1-own) (n-k) g).
  AggregatedGaussianCurve(double mu, double n, double own, double g, double kmin, FewReports few);

  // Makes the curve for rounds in which exactly k of n clients, a secret uniform subset, report.
  static AggregatedGaussianCurve subset(double mu, double n, double k);

  // Encloses the exact worst curve at epsilon >= 0, which is also the forward curve of the pair.
  numerics::Enclosure delta(double epsilon) const;
  // Encloses the curve of the same pair with x and x' exchanged:
  //     sum_k Bin(n, g)(k) c f_{mu_k}(E lambda_k / c),    c = (1 - E (1 - lambda_k))_+ .
  numerics::Enclosure reverse(double epsilon) const;

  // A mu_k takes three roundings: that of mu, a root and a quotient.
  static constexpr double kRoundingsOfMu = 3;

  // A Run represents a range of consecutive k by its worst case, which is the least odds
  // (1 - lambda_k) / lambda_k against the victim being among the k reports, and the largest mu_k. `weight` is
  // an upper bound of the probability that she reports and that the number of reports is one of these k.
  // runs() puts nearly all of the probability into `bulk`, in at most `most` ranges. `rest` holds the
  // remainder, one range for each block.
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
    double min_odds, max_odds;  // the range of (1 - lambda_k) / lambda_k over the block
    double min_mu, max_mu;      // the range of mu_k over the block
    double lower, upper;        // enclose the probability that k - 1 others report, for some k in the block
    // Over all later blocks, the sum of `upper` times an upper bound of f_{mu_k}(1) for every k in the block.
    double rest;
  };
  template <typename Term>
  numerics::Enclosure mixture(const Term& term) const;

  double own_ = 1;             // the victim's rate
  std::vector<Block> blocks_;  // in decreasing order of probability
};

// Computes the bound for rates that are known only to lie in [lo, hi], 0 < lo <= hi <= 1
// (docs/theory/aggregated.md). The bound is the average over N ~ Bin(n-1, lo/hi) of the curve of N + 1
// clients of rate hi with FewReports::topped_up. Values of N are grouped into blocks, each charged at its
// smallest N, in `estimate` as well as in `upper`. About twenty curves are evaluated per point.
class AggregatedUnequalCurve {
 public:
  AggregatedUnequalCurve(double mu, double n, double lo, double hi, double kmin);
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  struct Share {
    double weight;
    AggregatedGaussianCurve curve;
  };
  std::vector<Share> shares_;
  double improbable_ = 0;  // total weight of the blocks of N charged at delta = 1
};

}  // namespace muster::accounting

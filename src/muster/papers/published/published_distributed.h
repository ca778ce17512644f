// Evaluates Theorem 5 of the later version of "Shuffled check-in" for distributed check-in, by Lemma 5 ("RDP
// comp") and by Lemma 4 ("approx. RDP comp"), as that version's Figure 4 draws it.
//
// Source: Appendices B.1 and C.1. Each of n clients reports with probability g, with noise of deviation sigma
// and records of norm 1; the adversary sees the average of the reports; of two neighbouring data sets, one
// lacks a client of the other. Nothing here is a bound: docs/theory/as-published-check-in.md says what is
// wrong with Theorem 5. Its right side, as printed, has the factor 1/(1 - order) and the powers of g and
// 1 - g the wrong way round, so that it is negative, which no divergence is. `repaired` exchanges both and
// keeps the printed moments, which are below 1 and therefore still wrong. With the right moments it is
// infinite. published_check_in.h sums over the reports themselves, for one order at a time.
//
// Pure functions; a table of 64 orders takes under a second.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting::published_distributed {

struct DistributedRound {
  double clients, rate, sigma;
  // Returns the expected number of the other clients that report.
  double others() const { return (clients - 1) * rate; }
};

// The two ways to sum over the number of reports: Lemma 4 with its slack Delta, and Lemma 5, whose sum ends
// at a largest count.
struct Lemma4 {
  double slack;
};
struct Lemma5 {
  double last_count;
};

class Theorem5 {
 public:
  Theorem5(const DistributedRound& round, Lemma4 lemma);
  Theorem5(const DistributedRound& round, Lemma5 lemma);

  // Return the right side of the theorem at an order from 2 to kLastOrder.
  double printed(std::uint64_t order) const;
  double repaired(std::uint64_t order) const;
  // Returns the epsilon of `rounds` rounds from the repaired right side by the paper's Lemma 2, with orders
  // to kLastOrder. It is no bound.
  double epsilon_repaired(std::uint64_t rounds, const Question& question) const;

  static constexpr std::uint64_t kLastOrder = 64;

 private:
  enum class Powers { printed, exchanged };
  double log_sum(std::uint64_t order, Powers powers) const;

  DistributedRound round_;
  std::uint64_t first_power_;     // the order at which the sum of line 13 (15) begins
  std::vector<double> averaged_;  // at index l, the lemma's approximation of the moment of order l
};

// Returns f(1) e^(-Delta^2 mu / 2) / f((1 - Delta) mu + 1), the weight of the first term of Lemma 4 relative
// to the second one, for the moment f of this order: as printed, and corrected (infinite where f(1) is
// infinite).
struct FirstTerm {
  double printed, corrected;
};
FirstTerm first_term(const DistributedRound& round, Lemma4 lemma, std::uint64_t order);

}  // namespace muster::accounting::published_distributed

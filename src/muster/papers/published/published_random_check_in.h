// Evaluates the bounds of "Privacy amplification via random check-ins" and the shuffling bounds that the
// paper compares them with.
//
// Source: Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy amplification via random check-ins"
// (NeurIPS 2020). There are n clients and m slots, and a client checks in with probability p0 at a uniform
// slot. The adversary sees the released models (the server is trusted) or, for shuffling, the shuffled
// messages (the shuffler is honest). The neighbouring relation is replace-one. The randomizer may be any that
// is epsilon0-LDP, and may depend on the messages of earlier slots.
//   theorem 3.2   fixed window, one client per slot. Proven: docs/theory/as-published-random-check-in.md has
//                 the derivation, constants included.
//   theorem 4.1   averaged updates, p0 = 1: as published; its proof is not in the paper's main text.
//   theorem 4.3   sliding window, p0 = 1. Proven: it has the formula and the proof of 3.2 at p0 = 1.
//   theorem 5.1   shuffling, adaptive: proven in the same way. The paper also states Theorem 7 of Erlingsson
//                 et al. (SODA 2019), which is never below 5.1.
// The versions for (epsilon0, delta0)-LDP randomizers replace epsilon0 by 8 epsilon0; they are as published.
//
// A "round" is one whole run of m slots, or one shuffle. Several rounds are composed optimally
// (papers/optimal_composition.h). A Bound without `upper` says why in `assumptions`. Nothing throws. The
// functions are pure. fixed_window_simplified and the expected numbers of dummies are for comparison with the
// paper; no bound is made from them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/accounting/statement.h"

namespace muster::accounting {

namespace random_check_in {

// Holds a formula of the form epsilon = drift + spread sqrt(log(1/delta)), as Theorems 3.2, 4.1 and 5.1 have
// it. epsilon_as_published() returns the value of the printed formula, rounded up. It is a proven upper bound
// where the theorem is proven (see the list above).
struct SubGaussian {
  double drift, spread;
  double epsilon_as_published(double delta) const;
};

SubGaussian fixed_window(double epsilon0, double slots, double p0);                          // Theorem 3.2
SubGaussian averaged_updates(double epsilon0, double clients, double slots, double delta2);  // Theorem 4.1
SubGaussian shuffling(double epsilon0, double clients);                                      // Theorem 5.1
// Returns the epsilon of Theorem 7 of Erlingsson et al., rounded up. It is an upper bound, because it is
// never below that of Theorem 5.1.
double erlingsson_2019_upper(double epsilon0, double clients, double delta);

// Returns the paper's simplification of Theorem 3.2, 7 p0 epsilon0 sqrt(log(1/delta) / m). The result is
// nullopt unless epsilon0 < 1 and delta < 1/100.
std::optional<double> fixed_window_simplified(double epsilon0, double slots, double p0, double delta);

// These serve the (epsilon0, delta0) versions. least_delta1 returns the least delta1 that the printed
// condition on delta0 allows; nullopt if it allows none up to 1. approximate_epsilon_as_published returns the
// least epsilon' = form.epsilon_as_published(d) with d + uses (e^epsilon' + 1) delta1 = `delta`; nullopt if
// no epsilon' has this property. `form` must be made with 8 epsilon0, and `uses` is the number of slots or
// clients.
std::optional<double> least_delta1(double epsilon0, double delta0);
std::optional<double> approximate_epsilon_as_published(const SubGaussian& form, double uses, double delta1,
                                                       double delta);

// Dummy messages fill the slots in which no client checks in. Their exact expected number is m (1 - p0/m)^n
// for a fixed window (Proposition 3.4), and (n-m+1) (1 - 1/m)^m for sliding windows (Proposition 4.4). The
// printed bound of Proposition 4.4 is (n-m+1) / e.
double expected_dummies_fixed(double clients, double slots, double p0);
double expected_dummies_sliding(double clients, double slots);
double expected_dummies_sliding_printed(double clients, double slots);

}  // namespace random_check_in

// The ids are "balle-2020-theorem-3-2", "balle-2020-theorem-4-3", "balle-2020-theorem-4-1",
// "balle-2020-theorem-5-1" and "erlingsson-2019-theorem-7". For delta0 > 0 the (epsilon0, delta0) version is
// used, and the id ends in "-approximate".
Bound balle_theorem32_bound(double slots, double p0, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question);
Bound balle_theorem43_bound(double slots, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question);
Bound balle_theorem41_bound(double clients, double slots, double epsilon0, double delta0, std::uint64_t runs,
                            const Question& question);
Bound balle_theorem51_bound(double clients, double epsilon0, double delta0, std::uint64_t rounds,
                            const Question& question);
Bound erlingsson_theorem7_bound(double clients, double epsilon0, std::uint64_t rounds,
                                const Question& question);

// Return the bounds above that apply to each protocol; delta0 is 0 for an epsilon0-LDP randomizer.
std::vector<Bound> published_fixed_window_bounds(double slots, double p0, double epsilon0, double delta0,
                                                 std::uint64_t runs, const Question& question);
std::vector<Bound> published_sliding_window_bounds(double slots, double epsilon0, double delta0,
                                                   std::uint64_t runs, const Question& question);
std::vector<Bound> published_averaged_updates_bounds(double clients, double slots, double epsilon0,
                                                     double delta0, std::uint64_t runs,
                                                     const Question& question);
std::vector<Bound> published_shuffle_bounds(double clients, double epsilon0, double delta0,
                                            std::uint64_t rounds, const Question& question);

}  // namespace muster::accounting

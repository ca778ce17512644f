// Computes epsilon of shuffled check-in by the papers' two conversions for an (epsilon0, delta0)-LDP
// randomizer, as literally as Section 4.2 of "Shuffled check-in" describes them, and counts what they
// evaluate.
//
// For every order that is tried, both sum over the number k of reports, by equation (6). Approach 1
// ("shuffling conversion") evaluates Lemma 3 at each order from 2 to the tried one, because Theorem 9 of Wang
// et al. needs these, and Approach 2 ("subsampled shuffling conversion") only at the tried order. Nothing is
// kept from one order to the next. The formulas are those of papers/published/published_check_in.h, which
// says what is wrong with them; their values are no bounds. Those formulas group k into cells; here, k can
// also take each value from 0 to n (CountSum).
//
// The unit of cost is one evaluation of Lemma 3. Counts are the same on every machine; times are not, and no
// finding depends on them. The functions may be called from any thread; they measure that thread's CPU time.
#pragma once

#include <cstdint>
#include <functional>

#include "muster/papers/optimal_composition.h"
#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

enum class Approach { shuffling, subsampled_shuffling };  // Approaches 1 and 2

// How Lemma 2's minimum over the orders from 2 to the last one is searched. The bisection compares epsilon at
// two neighbouring orders in each step. It finds the minimum if epsilon first falls and then rises with the
// order.
enum class OrderSearch { bisection, every_order };

// The values of k in the sum: each from 0 to n, or the middles of cells of half a deviation.
enum class CountSum { every_count, cells };

// Returns the order at which the bisection ends.
std::uint64_t order_by_bisection(const std::function<double(std::uint64_t order)>& epsilon,
                                 std::uint64_t last_order);

struct ConversionTask {
  double clients, rate;
  accounting::Guarantee local;  // of one message
  double delta;                 // at which epsilon is asked for; also the free delta of the shuffling theorem
  std::uint64_t rounds;
  std::uint64_t last_order;  // at least 2
};

struct Converted {
  double epsilon;
  std::uint64_t order;  // the order that gave epsilon
  double evaluations;   // of Lemma 3
};

Converted convert(const ConversionTask& task, Approach approach, OrderSearch search, CountSum sum);

// Evaluates Equation 7, which is Theorem 2 with the constants as printed, term by term, and returns the
// divergence of one round. Adds the number of terms of its sum over j to `terms`.
double equation_7(double epsilon0, double clients, double rate, double slack, std::uint64_t order,
                  double& terms);

// Returns the least and the largest CPU time of several calls of `compute`, in units of the time that one
// evaluation of Lemma 3 takes now.
Spread timed_in_evaluations(const std::function<void()>& compute);

}  // namespace muster::reproduce

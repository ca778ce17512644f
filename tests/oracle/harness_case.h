// One case of the enumeration harness: a randomizer, a protocol, data sets, and the grid on which claims are
// compared with the truth.
//
// A case describes the protocol and refers to no bound. Everything that a claim may assume about the
// randomizer (its epsilon0, that it is in class C, that it is k-RR) is stated in the case and true of its
// laws. The neighbouring relation is replace-one, over the ordered pairs of records in Case::pairs.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

enum class Kind {
  binary,          // randomized response on two messages
  k_rr,            // k-ary randomized response, k = 3, 4
  half_sets,       // class C: 2p/K on half of K equal cells, 2q/K on the rest (half_sets.h)
  class_c,         // class C: densities in [2q, 2p], relative to the uniform law
  smooth,          // random laws of moderate ratios
  extreme,         // each probability is that of a common base or e^s times it, s random; then normalised
  sparse,          // some probabilities are zero, so there may be no finite epsilon0
  binned_normal,   // N(x, 1), x in {-1, 0, 1}, rounded to cells: a post-processing of the Gaussian
  binned_laplace,  // noise of scale 1/epsilon0 on x in {0, 1/2, 1}, rounded to cells
  // The mean of the others' k messages N(0, s^2), either with the victim's message N(1, s^2) or without it;
  // for Renyi divergence only.
  average,
};

struct Participation {
  enum class Kind {
    shuffle,
    subset,
    check_in,
    rates,
    // Random check-in with a fixed window: one client answers in each slot, or a dummy with record 0 if no
    // client is there.
    slots,
    // Random check-in in which everybody at a slot reports; the histogram of each slot is seen.
    averaged,
    aggregated
  };
  Kind kind = Kind::shuffle;
  double rate = 1;  // the check-in rate, for check_in, slots and averaged
  int slots = 1;    // the number of slots, for slots and averaged
  int k = 0;        // for subset: its size; for aggregated: the number of reports without the victim's
  std::vector<double> rates;  // for rates: one per client, the victim's first
  double low = 0, high = 0;   // for rates: an interval that contains the rates; a claim may use it
};

enum class Quantity { hockey_stick, renyi };

struct Case {
  Kind kind = Kind::binary;
  std::vector<Law> laws;                   // the law of a message, by record
  std::vector<std::pair<int, int>> pairs;  // the victim's neighbouring records (x, x')
  int n = 0;
  Participation participation;
  // In each data set, the other clients' records; for unequal rates, in the order of the rates.
  std::vector<std::vector<int>> datasets;
  Quantity quantity = Quantity::hockey_stick;
  std::vector<double> grid;  // epsilons from 0 to the largest log-ratio, or Renyi orders

  double epsilon0 = 0;  // an upper bound of every pair's log-ratio; infinity if supports differ
  double class_c = 0;   // the epsilon0 of class C; 0 if not a member
  // binary, k_rr: the epsilon0 that the laws were made with; binned_laplace: one over the scale.
  double exact = 0;
  double noise = 0;  // for average: the standard deviation s of the noise
};

// Returns a random case with 2 or 3 records, or k for k-RR.
Case random_case(std::mt19937_64& engine);

// Returns a random case of the given kind, participation and n, for claims that apply to few random cases.
Case random_case(Kind kind, Participation::Kind participation, int n, std::mt19937_64& engine);

std::string describe(const Case& c);

}  // namespace muster::accounting::oracle

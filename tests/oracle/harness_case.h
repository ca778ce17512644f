// One case of the enumeration harness: a randomizer, a protocol, datasets, and
// the grid where truth and claims meet.
//
// A case describes the protocol alone, nothing of any bound. Everything a claim may assume of the randomizer
// (its epsilon0, that it is in class C, that it is k-RR) is stated in the case and true of its laws.
// Neighbouring relation: replace-one, over the ordered pairs of records listed.
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
  half_sets,       // class C: 2p/K on half of K equal cells, 2q/K on the rest
  class_c,         // class C: densities inside [2q, 2p] of the uniform law
  smooth,          // random laws of moderate ratios
  extreme,         // ratios at e^{+-s} of a common base
  sparse,          // some probabilities zero: (epsilon0, delta0) alone
  binned_normal,   // N(x, 1), x in {-1, 0, 1}, into cells: a post-processing of the Gaussian
  binned_laplace,  // noise of scale 1/epsilon0 on x in {0, 1/2, 1}, into cells
  average,         // the mean of k or k + 1 messages N(x, s^2), the victim at 1 or away; Renyi alone
};

struct Participation {
  enum class Kind {
    shuffle,
    subset,
    check_in,
    rates,
    slots,     // random check-in, fixed window: one client, or a dummy of record 0, a slot
    averaged,  // random check-in, everybody at a slot reports; each slot's histogram is seen
    aggregated
  };
  Kind kind = Kind::shuffle;
  double rate = 1;            // check_in, slots, averaged
  int slots = 1;              // slots, averaged
  int k = 0;                  // subset; aggregated: the reports averaged, the victim's not among them
  std::vector<double> rates;  // rates: the victim's first
  double low = 0, high = 0;   // rates: what a claim may know of them
};

enum class Quantity { hockey_stick, renyi };

struct Case {
  Kind kind = Kind::binary;
  std::vector<Law> laws;                   // by record
  std::vector<std::pair<int, int>> pairs;  // the victim's neighbouring records (x, x')
  int n = 0;
  Participation participation;
  std::vector<std::vector<int>> datasets;  // the others' records; for unequal rates in the order of rates
  Quantity quantity = Quantity::hockey_stick;
  std::vector<double> grid;  // epsilons up to the largest log-ratio, inclusive; or Renyi orders

  double epsilon0 = 0;  // an upper bound of every pair's log-ratio; infinity when supports differ
  double class_c = 0;   // the epsilon0 of class C; 0: not a member
  double exact = 0;  // binary, k_rr: the epsilon0 the laws were made with; binned_laplace: one over the scale
  double noise = 0;  // average: s
};

// Random laws of the kind. Records: 2 or 3 (k for k-RR).
Case random_case(std::mt19937_64& engine);

// The same with the kind or the participation chosen: for claims that few random cases would meet.
Case random_case(Kind kind, Participation::Kind participation, int n, std::mt19937_64& engine);

std::string describe(const Case& c);

}  // namespace muster::accounting::oracle

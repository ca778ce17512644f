// Gives the rows of Table 1 as formulas: epsilon of n updates of one record each, as a function of epsilon0
// and n, at delta = kTableDelta. The table prints only orders of growth; the formulas behind these orders are
// given here, with their constants and logarithms.
//
//   uniform subsampling    a secret subset of one record in each of n steps, by advanced composition
//   shuffling [19]         Theorem 7 of Erlingsson et al. (SODA 2019) as Section 5 of the paper states it
//   shuffling              Theorem 5.1
//   fixed window           Corollary 3.3: n/m runs of Theorem 3.2 with p0 = m/n and m = sqrt(n), by advanced
//                          composition; half of delta is shared by the runs' own deltas
//
// The functions are pure.
#pragma once

#include <string>
#include <vector>

namespace muster::reproduce {

constexpr double kTableDelta = 1e-10;

struct TableRow {
  std::string name;
  double exponent_of_epsilon0, exponent_of_n;  // of e^epsilon0 and n, as the table prints them
  double (*epsilon)(double epsilon0, double n);
};
// Returns the rows with amplification, in the table's order.
std::vector<TableRow> amplifying_rows();

// Returns the number of slots per run of the fixed window: m = sqrt(n), rounded.
double table_slots(double n);
// Return epsilon of one run: by Theorem 3.2, and by Theorem 4.1 (with p0 = 1), where delta2 is half of delta.
double one_fixed_window(double epsilon0, double slots, double p0, double delta);
double one_averaged(double epsilon0, double n, double slots, double delta);

}  // namespace muster::reproduce

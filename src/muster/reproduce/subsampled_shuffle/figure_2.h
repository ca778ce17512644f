// Computes the points and the curves of the three panels of Figure 2.
//
// Source: Girgis, Data, Diggavi (NeurIPS 2021, arXiv:2107.08763v1), Section 4. The paper draws four curves:
//   (i)   Theorem 1
//   (ii)  Theorem 2
//   (iii) the shuffle of [29] (Girgis et al., CCS 2021) with the subsampling of [43] (Wang et al., AISTATS
//         2019, arXiv:1808.00087v2, Theorem 9)
//   (iv)  the clones of [24] (Feldman et al., FOCS 2021, Theorem 3.1) with a subset and the strong
//         composition theorem of [34] (Kairouz, Oh, Viswanath, ICML 2015)
// docs/theory/as-published.md says what is loose or wrong in each. Pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce::subsampled_shuffle {

struct Setup {
  double clients, subset, epsilon0, rounds, delta;
};

// Holds the name and the points of a panel's x axis, and the parameters at each point.
struct Panel {
  std::string x;
  std::vector<double> xs;
  std::function<Setup(double x)> at;
};
Panel panel_a();  // over the number of rounds; the paper states ratios for the last point
Panel panel_b();  // over the number of rounds, with more clients in each round
Panel panel_c();  // over the number of clients, with the same number in every round

// Holds curves by the formulas of the papers: as this paper draws them, and as the cited theorems state them.
struct PaperCurves {
  // Curves of kind `published`.
  Curve wang_drawn;       // (iii), with one branch of the minimum in [43]
  Curve clones_drawn;     // (iv), composed by the closed form of [34]
  Curve theorem_1;        // (i)
  Curve theorem_2;        // (ii)
  Curve clones_composed;  // (iv), composed optimally
  // Curves of kind `corrected`.
  Curve theorem_1_exact;  // (i) by the exact conversion
  Curve wang;             // (iii) with the minimum
  Curve clones;           // (iv) with the pair of the clones evaluated exactly, composed optimally
};
PaperCurves paper_curves(const Panel& panel);

// Returns the figure of a panel, without findings: the papers' curves, muster's proven upper bounds and a
// lower bound. `settings` are the panel's own; the settings that all panels share are added.
PaperFigure figure_of(const Panel& panel, const PaperCurves& papers, const std::vector<Setting>& settings);

// Says whether the closed form of [24] amplifies at this point if every round gets an equal share of the
// whole delta, which is the largest possible share. Outside the range of its theorem, the closed form does
// not amplify, and only the subset reduces epsilon0.
bool closed_form_amplifies(const Setup& setup);

// Holds the least and the largest quotient of the values of `above` and `below` at the same point.
struct Quotients {
  double least, most;
};
Quotients quotients(const Curve& above, const Curve& below);

}  // namespace muster::reproduce::subsampled_shuffle

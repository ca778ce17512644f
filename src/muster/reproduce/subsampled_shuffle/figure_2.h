// What the three panels of Figure 2 share: their points and their curves.
//
// Source: Girgis, Data, Diggavi (NeurIPS 2021), Section 4. The paper draws four curves:
//   (i)   Theorem 1
//   (ii)  Theorem 2
//   (iii) the shuffle of [29] (Girgis et al., CCS 2021) with the subsampling of [43] (Wang et al., 2019)
//   (iv)  the clones of [24] (Feldman et al., 2021) with a subset and the strong composition theorem of [34]
//         (Kairouz, Oh, Viswanath, 2015)
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

// The points of a panel's x axis, and what each of them stands for.
struct Panel {
  std::string x;
  std::vector<double> xs;
  std::function<Setup(double x)> at;
};
Panel panel_a();  // over the rounds, around the point of the stated ratios, which is the last
Panel panel_b();  // over the rounds, with more clients in a round
Panel panel_c();  // over the clients, with equally many in a round

// Curves by the formulas of papers, as this paper draws them and as the theorems stand.
struct PaperCurves {
  // published
  Curve wang_drawn;       // (iii), with one branch of the minimum in [43]
  Curve clones_drawn;     // (iv), composed by the closed form of [34]
  Curve theorem_1;        // (i)
  Curve theorem_2;        // (ii)
  Curve clones_composed;  // (iv), composed optimally
  // corrected
  Curve theorem_1_exact;  // (i) by the exact conversion
  Curve wang;             // (iii) with the minimum
  Curve clones;           // (iv) with the pair of the clones evaluated exactly, composed optimally
};
PaperCurves paper_curves(const Panel& panel);

// The panel with those curves, with what muster proves and with the lower bound; without findings. `settings`
// are the panel's own; those that all panels share are added.
PaperFigure figure_of(const Panel& panel, const PaperCurves& papers, const std::vector<Setting>& settings);

// Whether the closed form of [24] gains anything at this point, where a round may have as large a share of
// delta as there is: outside the range of the theorem it gives epsilon0 back.
bool closed_form_amplifies(const Setup& setup);

// The least and the largest quotient of two curves over their points.
struct Quotients {
  double least, most;
};
Quotients quotients(const Curve& above, const Curve& below);

}  // namespace muster::reproduce::subsampled_shuffle

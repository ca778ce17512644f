// Reproduces Figure 2c: epsilon as a function of the number of clients, with a fixed number of clients drawn
// in each iteration.
#include <fmt/format.h>

#include <cmath>

#include "muster/reproduce/points.h"
#include "muster/reproduce/subsampled_shuffle/figure_2.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {
namespace {

using subsampled_shuffle::PaperCurves;
using subsampled_shuffle::Quotients;
using subsampled_shuffle::quotients;

Curve smaller_of(const Curve& first, const Curve& second) {
  Curve least = first;
  for (std::size_t i = 0; i < least.points.size(); ++i) {
    least.points[i].value = std::fmin(value_at(first, i), value_at(second, i));
  }
  return least;
}

// Return the smaller of the older bounds, (iii) and (iv) of figure_2.h, divided by Theorem 1: first as the
// paper draws the older bounds, then as their theorems state them.
Quotients drawn_over_own(const PaperCurves& curves) {
  return quotients(smaller_of(curves.clones_composed, curves.wang_drawn), curves.theorem_1);
}
Quotients themselves_over_own(const PaperCurves& curves) {
  return quotients(smaller_of(curves.clones, curves.wang), curves.theorem_1);
}

std::string range(const Quotients& found) { return fmt::format("{:.3g} to {:.3g}", found.least, found.most); }

Finding saving(const PaperCurves& a, const PaperCurves& b, const PaperCurves& c) {
  bool drawn = true, themselves = true;
  for (const PaperCurves* curves : {&a, &b, &c}) {
    drawn = drawn && drawn_over_own(*curves).least > 1;
    themselves = themselves && themselves_over_own(*curves).least > 1;
  }
  const bool never_saves = themselves_over_own(c).most < 1;
  return {
      "004-figure-2c-saving",
      !drawn || never_saves ? Verdict::is_false
      : themselves          ? Verdict::holds
                            : Verdict::holds_with_a_note,
      fmt::format("The smaller of the older bounds as drawn is {} times Theorem 1 in panel a, {} in b, {} "
                  "in c. Evaluated as the theorems stand (Theorem 9 of [43] with its minimum, the pair of "
                  "the clones exactly), it is {} times in panel a, {} in b, {} in c{}.",
                  range(drawn_over_own(a)), range(drawn_over_own(b)), range(drawn_over_own(c)),
                  range(themselves_over_own(a)), range(themselves_over_own(b)), range(themselves_over_own(c)),
                  never_saves ? ": at no drawn n is anything saved" : "")};
}

}  // namespace

PaperFigure subsampled_shuffle_figure_2c() {
  const subsampled_shuffle::Panel panel = subsampled_shuffle::panel_c();
  const PaperCurves papers = subsampled_shuffle::paper_curves(panel);
  const subsampled_shuffle::Setup point = panel.at(panel.xs.back());
  PaperFigure figure = subsampled_shuffle::figure_of(
      panel, papers,
      {{"clients of an iteration", grouped(point.subset), false},
       {"iterations", grouped(point.rounds) + ", as in Figure 2a", true},
       {"epsilon0 =", fmt::format("{}, as in Figure 2a", point.epsilon0), true}});
  figure.findings = {saving(subsampled_shuffle::paper_curves(subsampled_shuffle::panel_a()),
                            subsampled_shuffle::paper_curves(subsampled_shuffle::panel_b()), papers)};
  return figure;
}

}  // namespace muster::reproduce

// Reproduces Figure 2a: epsilon as a function of the number of iterations, up to the point for which the text
// states two ratios.
#include <fmt/format.h>

#include <cmath>

#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/subsampled_shuffle/figure_2.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {
namespace {

using subsampled_shuffle::PaperCurves;

double at_the_point(const Curve& curve) { return value_at(curve, curve.points.size() - 1); }

// Says whether `printed` is `value`, rounded or truncated to this many decimals.
bool states(double printed, double value, int decimals) {
  const double unit = std::pow(10, -decimals);
  return prints_as(value, printed, decimals) || prints_as(std::floor(value / unit) * unit, printed, decimals);
}

Finding factor_14(const PaperCurves& curves, const subsampled_shuffle::Setup& point) {
  const double stated = number_of("004-figure-2a-14"), own = at_the_point(curves.theorem_1);
  const double closed = at_the_point(curves.clones_drawn), composed = at_the_point(curves.clones_composed),
               exact = at_the_point(curves.clones);
  const bool amplifies = subsampled_shuffle::closed_form_amplifies(point);
  Verdict verdict = Verdict::not_reproduced;
  if (prints_as(closed / own, stated, 0)) verdict = Verdict::holds_with_a_note;
  if (prints_as(exact / own, stated, 0)) verdict = Verdict::holds;
  return {"004-figure-2a-factor-14", verdict,
          fmt::format(
              "By the closed forms of [24] and of the composition theorem [34]: {:.2f} / {:.3f} = {:.1f}. "
              "{}Composed optimally the factor is {:.2f} / {:.3f} = {:.1f}, and with the pair of the "
              "clones evaluated exactly {:.2f} / {:.3f} = {:.1f}.",
              closed, own, closed / own,
              amplifies ? ""
                        : "The point is outside the range of the closed form of [24], so that this "
                          "compares with no shuffling at all. ",
              composed, own, composed / own, exact, own, exact / own)};
}

Finding factor_2_5(const PaperCurves& curves) {
  const double stated = number_of("004-figure-2a-2-5"), own = at_the_point(curves.theorem_1);
  const double drawn = at_the_point(curves.wang_drawn), whole = at_the_point(curves.wang);
  Verdict verdict = Verdict::not_reproduced;
  if (states(stated, drawn / own, 1)) verdict = Verdict::holds_with_a_note;
  if (states(stated, whole / own, 1)) verdict = Verdict::holds;
  return {
      "004-figure-2a-factor-2-5", verdict,
      fmt::format(
          "With only the branch 2 e^epsilon(2) of the minimum in Theorem 9 of [43]: {:.3f} / {:.3f} = "
          "{:.2f}. With the minimum, as that theorem says, the older bounds give {:.3f}, {} the {:.3f} of "
          "Theorem 1.",
          drawn, own, drawn / own, whole, whole < own ? "less than" : "at least", own)};
}

}  // namespace

PaperFigure subsampled_shuffle_figure_2a() {
  const subsampled_shuffle::Panel panel = subsampled_shuffle::panel_a();
  const PaperCurves papers = subsampled_shuffle::paper_curves(panel);
  const subsampled_shuffle::Setup point = panel.at(panel.xs.back());
  PaperFigure figure =
      subsampled_shuffle::figure_of(panel, papers,
                                    {{"n =", grouped(point.clients), false},
                                     {"clients of an iteration", grouped(point.subset), false},
                                     {"epsilon0 =", fmt::format("{}", point.epsilon0), false},
                                     {"the point of the stated ratios", "lies in this panel", true}});
  figure.findings = {factor_14(papers, point), factor_2_5(papers)};
  return figure;
}

}  // namespace muster::reproduce

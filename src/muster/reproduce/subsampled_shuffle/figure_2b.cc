// Reproduces Figure 2b: epsilon as a function of the number of iterations, with ten times as many clients per
// iteration as in Figure 2a.
#include <fmt/format.h>

#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/subsampled_shuffle/figure_2.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {
namespace {

using subsampled_shuffle::PaperCurves;
using subsampled_shuffle::quotients;

// Says whether, at every point, curve (i) of figure_2.h lies below (iv), and (iv) below (iii).
bool in_the_papers_order(const Curve& own, const Curve& clones, const Curve& wang) {
  return quotients(clones, own).least > 1 && quotients(wang, own).least > 1 &&
         quotients(wang, clones).least > 1;
}

// Describes curves (iv), (iii) and (i) at one point, evaluated as the theorems state them.
std::string themselves_at(std::size_t index, const PaperCurves& curves) {
  return fmt::format("after {} iterations (iv) {:.4g}, (iii) {:.4g}, Theorem 1 {:.4g}",
                     grouped(curves.theorem_1.points[index].x), value_at(curves.clones, index),
                     value_at(curves.wang, index), value_at(curves.theorem_1, index));
}

Finding order(const PaperCurves& curves) {
  const bool drawn = in_the_papers_order(curves.theorem_1, curves.clones_composed, curves.wang_drawn) &&
                     in_the_papers_order(curves.theorem_1, curves.clones_drawn, curves.wang_drawn);
  const bool themselves = in_the_papers_order(curves.theorem_1, curves.clones, curves.wang);
  const std::size_t last = curves.theorem_1.points.size() - 1;
  return {
      "004-figure-2b-order",
      !drawn       ? Verdict::is_false
      : themselves ? Verdict::holds
                   : Verdict::holds_with_a_note,
      fmt::format(
          "As drawn, {} all {} points; after {} iterations (iv) {:.4g} ({:.4g} composed optimally), (iii) "
          "{:.4g}, Theorem 1 {:.4g}. Evaluated as the theorems stand (Theorem 9 of [43] with its minimum, "
          "the pair of the clones exactly), {} at all points: {}; {}.",
          drawn ? "this order holds at" : "this order does not hold at", last + 1,
          grouped(curves.theorem_1.points[last].x), value_at(curves.clones_drawn, last),
          value_at(curves.clones_composed, last), value_at(curves.wang_drawn, last),
          value_at(curves.theorem_1, last), themselves ? "it holds" : "it does not hold",
          themselves_at(0, curves), themselves_at(last, curves))};
}

}  // namespace

PaperFigure subsampled_shuffle_figure_2b() {
  const subsampled_shuffle::Panel panel = subsampled_shuffle::panel_b();
  const PaperCurves papers = subsampled_shuffle::paper_curves(panel);
  const subsampled_shuffle::Setup point = panel.at(panel.xs.back());
  PaperFigure figure = subsampled_shuffle::figure_of(
      panel, papers,
      {{"clients of an iteration", grouped(point.subset), false},
       {"n =", grouped(point.clients) + ", as in Figure 2a", true},
       {"epsilon0 =", fmt::format("{}, as in Figure 2a", point.epsilon0), true}});
  figure.findings = {order(papers)};
  return figure;
}

}  // namespace muster::reproduce

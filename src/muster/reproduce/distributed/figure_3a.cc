// Reproduces Figure 3a of the later version, which shows the experiment of Figure 3a of the first one. The
// later version prints Theorem 2 with other constants, in its appendix.
#include <fmt/format.h>

#include <string>

#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd_at_90.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

constexpr const char* kFigure = "003-figure-3a";

}  // namespace

std::vector<Training> distributed_figure_3a_trainings() { return shuffled_check_in_trainings_3a(); }

PaperFigure distributed_figure_3a_of(const Trainer& trainer, const std::vector<Trained>& trained) {
  const Trained& only = trained.at(0);
  const protocols::Plan& plan = only.plan;
  const LdpSgdAccounting accounting(plan);
  PaperFigure figure;
  figure.x = {"epsilon at delta = " + power_of_ten(accounting.question().fixed()), true};
  figure.y = {"test accuracy", false};
  figure.settings = {{"n =", grouped(number_of("003-ldp-sgd-clients")), false},
                     {"gamma =", fmt::format("{}", number_of("003-ldp-sgd-parameters", 0)), false},
                     {"epsilon0 =", fmt::format("{}", number_of("003-ldp-sgd-parameters", 1)), false},
                     {"C =", fmt::format("{}", number_of("003-ldp-sgd-parameters", 2)), false},
                     {"Delta =", "0.5, as in the first version", true},
                     {"delta =", power_of_ten(accounting.question().fixed()), true},
                     {"network:", "padding 3, poolings of stride 1", true}};
  add_training(figure, trainer, only);
  figure.curves = ldp_sgd_curves(accounting, only);
  figure.curves.insert(figure.curves.begin(), stated_at_90(kFigure));
  figure.findings = epsilons_at_90(trainer, accounting, only, kFigure, &LdpSgdAccounting::theorem_2,
                                   "Theorem 2 with this appendix's constants");
  figure.findings.insert(figure.findings.begin(), reaches_90(trainer, only, kFigure));
  return figure;
}

PaperFigure distributed_figure_3a(Trainer& trainer) {
  return distributed_figure_3a_of(trainer, train_all(trainer, distributed_figure_3a_trainings()));
}

}  // namespace muster::reproduce

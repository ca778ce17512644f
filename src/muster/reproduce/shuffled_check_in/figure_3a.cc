// Reproduces Figure 3a: the accuracy of LDP-SGD as a function of epsilon, by several accountings.
#include <fmt/format.h>

#include <cmath>

#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd_at_90.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

using accounting::Bound;

constexpr const char* kFigure = "000-figure-3a";
constexpr std::uint64_t kSeeds = 3;
constexpr double kNear = 0.5;  // the tolerance for a ratio of 3

std::vector<Curve> curves(const LdpSgdAccounting& accounting, const Trained& trained) {
  const auto by = [&](const char* name, Kind kind, Bound (LdpSgdAccounting::*bound)(std::uint64_t) const) {
    return accuracy_against_epsilon(name, kind, trained,
                                    [&](std::uint64_t rounds) { return (accounting.*bound)(rounds); });
  };
  const std::vector<Curve> own =
      accuracy_against_own("LDP-SGD's randomizer", "one pair of data sets", trained,
                           [&](std::uint64_t rounds) { return accounting.ours(rounds); });
  return {stated_at_90(kFigure),
          by("Theorem 2 as printed, Lemma 2", Kind::published, &LdpSgdAccounting::theorem_2_printed),
          by("strong composition: clones in closed form, n gamma of n", Kind::published,
             &LdpSgdAccounting::strong_composition),
          by("Theorem 2 with 2 e^epsilon0 and 8 e^epsilon0", Kind::corrected, &LdpSgdAccounting::theorem_2),
          by("Theorem 1, inclusion probability k/n given k reports", Kind::corrected,
             &LdpSgdAccounting::theorem_1),
          own[0],
          own[1]};
}

// The ratio depends on formulas alone, so it is judged after all rounds of the paper, whatever was trained.
Finding ratio(const LdpSgdAccounting& accounting) {
  const std::uint64_t rounds = whole(number_of("000-figure-3a-rounds"));
  const double stated = number_of("000-figure-3a-ratio", 1) / number_of("000-figure-3a-ratio", 0);
  const double strong = upper_of(accounting.strong_composition(rounds)),
               printed = upper_of(accounting.theorem_2_printed(rounds));
  return {"000-figure-3a-1-to-3",
          std::fabs(strong / printed - stated) <= kNear ? Verdict::holds : Verdict::not_reproduced,
          fmt::format("At round {}: strong composition {:.4g}, Theorem 2 as printed {:.4g}, a ratio of "
                      "{:.3g}. The formula of strong composition is only cited in the text.",
                      rounds, strong, printed, strong / printed)};
}

}  // namespace

std::vector<Training> shuffled_check_in_trainings_3a() { return {{.plan = "000-ldp-sgd", .seeds = kSeeds}}; }

PaperFigure shuffled_check_in_figure_3a(Trainer& trainer) {
  const Trained trained = trainer.train(shuffled_check_in_trainings_3a().front());
  const LdpSgdAccounting accounting(trained.plan);
  PaperFigure figure;
  figure.x = {"epsilon at delta = " + power_of_ten(accounting.question().fixed()), true};
  figure.y = {"test accuracy"};
  figure.settings = {{"n =", grouped(number_of("000-ldp-sgd-clients")), false},
                     {"gamma =", fmt::format("{}", number_of("000-ldp-sgd-rate")), false},
                     {"epsilon0 =", fmt::format("{}", number_of("000-ldp-sgd-epsilon0")), false},
                     {"C =", fmt::format("{}", number_of("000-ldp-sgd-clip")), false},
                     {"Delta =", fmt::format("{}", number_of("000-remark-1-slack")), false},
                     {"delta =", power_of_ten(accounting.question().fixed()), true},
                     {"network:", "padding 3, poolings of stride 1", true}};
  add_training(figure, trainer, trained);
  figure.curves = curves(accounting, trained);
  figure.findings = {reaches_90(trainer, trained, kFigure)};
  for (const Finding& finding :
       epsilons_at_90(trainer, accounting, trained, kFigure, &LdpSgdAccounting::theorem_2_printed,
                      "Theorem 2 as printed")) {
    figure.findings.push_back(finding);
  }
  figure.findings.push_back(ratio(accounting));
  return figure;
}

}  // namespace muster::reproduce

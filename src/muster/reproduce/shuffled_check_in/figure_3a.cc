// Reproduces Figure 3a: the accuracy of LDP-SGD as a function of epsilon, by several accountings.
#include <fmt/format.h>

#include <limits>

#include "muster/core/number_text.h"
#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

using accounting::Bound;

constexpr std::uint64_t kSeeds = 3;
constexpr double kAround = 0.005;  // what "around 90%" allows: an accuracy that rounds to it
constexpr double kNear = 0.5;      // the tolerance for an epsilon of about 1 or 3, and for their ratio

double upper_of(const Bound& bound) { return bound.upper.value_or(std::numeric_limits<double>::infinity()); }

bool near(double value, double stated) { return value >= stated - kNear && value <= stated + kNear; }

Curve as_stated() {
  const double accuracy = number_of("000-figure-3a-epsilon-ours", 1);
  return {"90% by the paper's bound, and by strong composition",
          Kind::reported,
          {{number_of("000-figure-3a-epsilon-ours"), accuracy, ""},
           {number_of("000-figure-3a-epsilon-strong"), accuracy, ""}}};
}

std::vector<Curve> curves(const LdpSgdAccounting& accounting, const Trained& trained) {
  const auto by = [&](const char* name, Kind kind, Bound (LdpSgdAccounting::*bound)(std::uint64_t) const) {
    return accuracy_against_epsilon(name, kind, trained,
                                    [&](std::uint64_t rounds) { return (accounting.*bound)(rounds); });
  };
  return {as_stated(),
          by("Theorem 2 as printed, Lemma 2", Kind::published, &LdpSgdAccounting::theorem_2_printed),
          by("strong composition: clones in closed form, n gamma of n", Kind::published,
             &LdpSgdAccounting::strong_composition),
          by("Theorem 2 with 2 e^epsilon0 and 8 e^epsilon0", Kind::corrected, &LdpSgdAccounting::theorem_2),
          by("Theorem 1, inclusion probability k/n given k reports", Kind::corrected,
             &LdpSgdAccounting::theorem_1),
          accuracy_against_proven("LDP-SGD's randomizer", trained),
          by("one pair of data sets", Kind::lower, &LdpSgdAccounting::ours)};
}

Finding reaches_90(const Trainer& trainer, const Trained& trained) {
  const TrainedRound& last = trained.rounds.back();
  const double wanted = number_of("000-figure-3a-accuracy");
  return finding_on_accuracy(
      trainer, "000-figure-3a-90-percent", last.mean() >= wanted - kAround,
      fmt::format("The mean accuracy at round {} is {:.4f}.", last.round, last.mean()));
}

// Returns the findings about the epsilons at the first logged round with an accuracy of 90 %.
std::vector<Finding> epsilons_at_90(const Trainer& trainer, const LdpSgdAccounting& accounting,
                                    const Trained& trained) {
  const double wanted = number_of("000-figure-3a-epsilon-ours", 1);
  const TrainedRound* round = first_reaching(trained, wanted);
  if (round == nullptr) {
    const std::string none = fmt::format("No logged round has a mean accuracy of {}.", wanted);
    return {finding_on_accuracy(trainer, "000-figure-3a-epsilon-1", false, none),
            finding_on_accuracy(trainer, "000-figure-3a-epsilon-3", false, none)};
  }
  const double printed = upper_of(accounting.theorem_2_printed(round->round));
  const double strong = upper_of(accounting.strong_composition(round->round));
  const std::string when =
      fmt::format("At round {}, the first logged one with a mean accuracy of {}", round->round, wanted);
  return {
      finding_on_accuracy(
          trainer, "000-figure-3a-epsilon-1", near(printed, number_of("000-figure-3a-epsilon-ours")),
          fmt::format("{}: Theorem 2 as printed {:.4g}, with its constants corrected {:.4g}; proven at "
                      "most {}, and at least {}.",
                      when, printed, upper_of(accounting.theorem_2(round->round)), rounded_up(round->epsilon),
                      rounded_down(accounting.ours(round->round).lower.value_or(0)))),
      finding_on_accuracy(
          trainer, "000-figure-3a-epsilon-3", near(strong, number_of("000-figure-3a-epsilon-strong")),
          fmt::format("{}: strong composition {:.4g}. Its formula is only cited in the text; the nearest "
                      "is taken.",
                      when, strong))};
}

// The ratio is one of formulas alone, so it is judged at all rounds of the paper, whatever was trained.
Finding ratio(const LdpSgdAccounting& accounting) {
  const std::uint64_t rounds = whole(number_of("000-figure-3a-rounds"));
  const double stated = number_of("000-figure-3a-ratio", 1) / number_of("000-figure-3a-ratio", 0);
  const double strong = upper_of(accounting.strong_composition(rounds)),
               printed = upper_of(accounting.theorem_2_printed(rounds));
  return {"000-figure-3a-1-to-3", near(strong / printed, stated) ? Verdict::holds : Verdict::not_reproduced,
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
  figure.findings = {reaches_90(trainer, trained)};
  for (const Finding& finding : epsilons_at_90(trainer, accounting, trained)) {
    figure.findings.push_back(finding);
  }
  figure.findings.push_back(ratio(accounting));
  return figure;
}

}  // namespace muster::reproduce

// Reproduces Figure 3b: the accuracy of Federated DP-SGD as a function of epsilon, by several accountings.
#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/core/number_text.h"
#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/federated.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

using accounting::Bound;

constexpr std::uint64_t kSeeds = 3;
// How far a ratio of two noise multipliers, of six digits each, may be from the ratio that they stand for.
constexpr double kRounding = 1e-5;

std::vector<Curve> curves(const Federated& experiment, const Trained& trained) {
  const double delta = trained.plan.delta().value();
  const accounting::Accountant accountant(trained.plan.mechanism(), trained.plan.participation());
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, delta};
  const auto by = [&](const char* name, Kind kind, Bound (Federated::*bound)(std::uint64_t, double) const) {
    return accuracy_against_epsilon(name, kind, trained,
                                    [&](std::uint64_t rounds) { return (experiment.*bound)(rounds, delta); });
  };
  const std::vector<Curve> own =
      accuracy_against_own("Gaussian messages, any dimension", "one pair of data sets", trained,
                           [&](std::uint64_t rounds) { return accountant.account(rounds, question); });
  return {by("Approach 2, with Lemma 3 (false)", Kind::published, &Federated::approach_2),
          by("baseline, with Lemma 3 (false)", Kind::published, &Federated::baseline),
          by("Approach 1, with Lemma 3 (false)", Kind::published, &Federated::approach_1),
          by("baseline, composed optimally", Kind::corrected, &Federated::corrected_baseline),
          own[0],
          own[1]};
}

// Both formulas rest on a false lemma, so the claim never holds without a note.
Finding tighter(const Trainer& trainer, const Federated& experiment, const Trained& trained) {
  const double delta = trained.plan.delta().value();
  bool shown = true;
  for (const TrainedRound& round : trained.rounds) {
    shown = shown && upper_of(experiment.approach_2(round.round, delta)) <
                         upper_of(experiment.baseline(round.round, delta));
  }
  const TrainedRound& last = trained.rounds.back();
  Finding finding = finding_on_epsilons(
      trainer, "000-figure-3b-tighter", shown,
      fmt::format("At round {}: Approach 2 {}, baseline {}; {} at every logged round. Both rest on "
                  "Lemma 3, which is false: the baseline without it is {}. Proven at most {}.",
                  last.round, upper_text(experiment.approach_2(last.round, delta)),
                  upper_text(experiment.baseline(last.round, delta)),
                  shown ? "Approach 2 is smaller" : "Approach 2 is not smaller",
                  upper_text(experiment.corrected_baseline(last.round, delta)), rounded_up(last.epsilon)));
  if (finding.verdict == Verdict::holds) finding.verdict = Verdict::holds_with_a_note;
  return finding;
}

Finding sensitivity(const Federated& experiment) {
  const double replaced = experiment.noise_multiplier(2), absent = experiment.noise_multiplier(1);
  const double stated = number_of("000-federated-sensitivity");
  const bool holds = std::fabs(replaced / absent - stated) <= kRounding * stated;
  return {"000-figure-3b-sensitivity", holds ? Verdict::holds : Verdict::is_false,
          fmt::format("The noise multiplier for ({}, {:.3g})-LDP is {} where a record is replaced, and {} "
                      "where it may be absent.",
                      experiment.epsilon0, experiment.message().delta, replaced, absent)};
}

}  // namespace

std::vector<Training> shuffled_check_in_trainings_3b() {
  return {{.plan = "000-federated-dp-sgd", .seeds = kSeeds}};
}

PaperFigure shuffled_check_in_figure_3b(Trainer& trainer) {
  const Trained trained = trainer.train(shuffled_check_in_trainings_3b().front());
  const Federated experiment = federated_of("000-federated-first");
  const double delta = trained.plan.delta().value();
  PaperFigure figure;
  figure.x = {"epsilon at delta = " + power_of_ten(delta), true};
  figure.y = {"test accuracy"};
  add_settings(figure, experiment, delta);
  add_training(figure, trainer, trained);
  figure.curves = curves(experiment, trained);
  figure.findings = {tighter(trainer, experiment, trained), sensitivity(experiment)};
  return figure;
}

}  // namespace muster::reproduce

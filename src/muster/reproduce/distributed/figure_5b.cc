// Reproduces Figure 5b: the accuracy of LDP-SGD at a constant learning rate, and at one that falls late in
// training.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/significance.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

constexpr const char* kPlan = "003-varying-rates";

// Returns the learning rate that the text describes, as a plan states it. An epoch has 1 / rate rounds, in
// which a client is expected to report once.
std::string falling_rate() {
  const protocols::Plan plan = protocols::Plan::validate(paper_plan(kPlan), protocols::Command::train);
  const double initial = plan.learning_rate()->at(1);
  const auto& schedule = numbers_of("003-figure-5b-schedule");  // two epochs, two fractions
  const auto first_round_after = [&](double epoch) { return 1 + whole(epoch / plan.rate()); };
  return fmt::format("[[1, {}], [{}, {}], [{}, {}]]", initial, first_round_after(schedule.at(0)),
                     initial * schedule.at(2), first_round_after(schedule.at(1)), initial * schedule.at(3));
}

Finding no_improvement(const Trainer& trainer, const Trained& constant, const Trained& falling) {
  const TrainedRound &before = constant.rounds.back(), &after = falling.rounds.back();
  const PairedDifference difference = paired_difference(before.accuracies, after.accuracies);
  return finding_on_accuracy(
      trainer, "003-figure-5b-no-improvement", !difference.rises(),
      fmt::format(
          "After {} rounds the falling rate has mean accuracy {:.4f} and the constant one {:.4f} over "
          "{} seeds. The difference {:.4f} is {} the threshold {:.4f} of Student's test of pairs at "
          "{:g} % false alarms.",
          after.round, after.mean(), before.mean(), difference.pairs, difference.mean,
          difference.rises() ? "above" : "not above", difference.threshold, 100 * kFalseAlarm));
}

}  // namespace

std::vector<Training> distributed_figure_5b_trainings() {
  const Training constant{.plan = kPlan, .seeds = whole(number_of("003-figure-5b-seeds"))};
  Training falling = constant;
  falling.set = {{"rounds.learning_rate", falling_rate()}};
  return {constant, falling};
}

PaperFigure distributed_figure_5b_of(const Trainer& trainer, const std::vector<Trained>& trained) {
  const Trained &constant = trained.at(0), &falling = trained.at(1);
  const protocols::Plan& plan = constant.plan;
  PaperFigure figure;
  figure.x = {.label = "round", .counts = true};
  figure.y = {"test accuracy", false};
  figure.settings = {{"n =", grouped(static_cast<double>(plan.clients())), false},
                     {"gamma =", fmt::format("{}", plan.rate()), false},
                     {"epsilon0 =", fmt::format("{}", *plan.epsilon0()), false},
                     {"C =", fmt::format("{}", *plan.clip()), false},
                     {"rounds of an epoch:", fmt::format("{:.0f}", 1 / plan.rate()), true},
                     {"delta =", fmt::format("{}", *plan.delta()), true}};
  add_training(figure, trainer, constant, {.seeds = true});
  figure.curves = {
      accuracy_by_round("constant learning rate " + constant.plan.learning_rate()->canonical(), constant),
      accuracy_by_round("falling learning rate " + falling.plan.learning_rate()->canonical(), falling)};
  figure.findings = {no_improvement(trainer, constant, falling)};
  return figure;
}

PaperFigure distributed_figure_5b(Trainer& trainer) {
  return distributed_figure_5b_of(trainer, train_all(trainer, distributed_figure_5b_trainings()));
}

}  // namespace muster::reproduce

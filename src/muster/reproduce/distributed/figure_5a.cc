// Reproduces Figure 5a: the accuracy of LDP-SGD at several check-in rates. What a rate costs is compared both
// after equally many rounds and after equally many check-ins.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "muster/accounting/accountant.h"
#include "muster/core/number_text.h"
#include "muster/papers/published/published.h"
#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/significance.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

using accounting::Question;

// The factor from each rate to the next, which is also the least ratio of two epsilons that contradicts the
// words "does not affect much".
constexpr double kFactor = 2;
// The text states no number of rounds. Less than a quarter of Figure 3a's rounds, with three seeds for each
// of three rates, takes a little less time than Figure 3a.
constexpr std::uint64_t kRounds = 1600, kLogEvery = 100, kSeeds = 3;

double stated_rate() { return number_of("003-ldp-sgd-parameters", 0); }
double stated_rounds() { return number_of("003-figure-3a-rounds"); }
std::vector<double> rates() { return {stated_rate() / kFactor, stated_rate(), stated_rate() * kFactor}; }

struct Epsilons {
  double published, proven;  // by Theorem 2, and by muster's accountant
};

Epsilons epsilons_of(const protocols::Plan& plan, double rate, double rounds) {
  const accounting::ShuffledCheckIn protocol{ClientCount::of(plan.clients()), Rate::of(rate)};
  const Question question{Question::Kind::epsilon_at_delta, *plan.delta()};
  const auto value = [](const std::optional<double>& upper) {
    return upper.value_or(std::numeric_limits<double>::infinity());
  };
  return {value(accounting::liew_theorem2_bound(protocol, *plan.epsilon0(), whole(rounds), question,
                                                accounting::Conversion::canonne)
                    .upper),
          value(accounting::Accountant(plan.mechanism(), protocol).upper(whole(rounds), question))};
}

// The epsilons at all rates, and the ratio of the largest to the smallest, by each of the two accountings.
struct Comparison {
  std::vector<Epsilons> epsilons;
  Epsilons ratio;

  bool hardly_differ() const { return ratio.published < kFactor && ratio.proven < kFactor; }
  std::string words() const {
    std::string published, proven;
    for (const Epsilons& each : epsilons) {
      published += fmt::format("{}{:.3f}", published.empty() ? "" : ", ", each.published);
      proven += fmt::format("{}{}", proven.empty() ? "" : ", ", epsilon_text(each.proven));
    }
    return fmt::format("by Theorem 2 {} (a factor of {:.3g}), proven at most {} (a factor of {:.3g})",
                       published, ratio.published, proven, ratio.proven);
  }
};

Comparison compare(const protocols::Plan& plan, const std::function<double(double rate)>& rounds) {
  Comparison comparison;
  for (const double rate : rates()) comparison.epsilons.push_back(epsilons_of(plan, rate, rounds(rate)));
  const auto spread = [&](double Epsilons::*which) {
    const auto [low, high] = std::ranges::minmax(comparison.epsilons, {}, which);
    return high.*which / low.*which;
  };
  comparison.ratio = {spread(&Epsilons::published), spread(&Epsilons::proven)};
  return comparison;
}

// The text compares batch sizes, and does not say whether the rounds or the check-ins are kept equal.
// Epsilons are those of the paper's number of rounds, whatever was trained.
Finding privacy(const Trainer& trainer, const protocols::Plan& plan) {
  const Comparison rounds = compare(plan, [](double) { return stated_rounds(); });
  const Comparison check_ins =
      compare(plan, [](double rate) { return stated_rounds() * stated_rate() / rate; });
  const bool both = rounds.hardly_differ() && check_ins.hardly_differ();
  const bool either = rounds.hardly_differ() || check_ins.hardly_differ();
  return {"003-figure-5a-privacy",
          both && trainer.full_length() ? Verdict::holds
          : either                      ? Verdict::holds_with_a_note
                                        : Verdict::not_reproduced,
          fmt::format("Epsilons at rates {}: after equally many check-ins, as in {} rounds at rate {}, {}; "
                      "after {} rounds each, {}.",
                      fmt::join(rates(), ", "), grouped(stated_rounds()), stated_rate(), check_ins.words(),
                      grouped(stated_rounds()), rounds.words())};
}

Finding larger_rates(const Trainer& trainer, const std::vector<Trained>& trained) {
  bool rises = true, significantly = true;
  std::string differences, means;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    means += fmt::format("{}{:.4f}", i == 0 ? "" : ", ", trained[i].rounds.back().mean());
    if (i == 0) continue;
    const PairedDifference difference =
        paired_difference(trained[i - 1].rounds.back().accuracies, trained[i].rounds.back().accuracies);
    rises = rises && difference.mean > 0;
    significantly = significantly && difference.rises();
    differences +=
        fmt::format("{}{:.4f} against {:.4f}", i == 1 ? "" : ", ", difference.mean, difference.threshold);
  }
  Finding finding = finding_on_accuracy(
      trainer, "003-figure-5a-larger-rates", rises,
      fmt::format("Mean accuracy after {} rounds at rates {}: {}. From rate to rate it rises by {}, the "
                  "threshold of Student's test of pairs at {:g} % false alarms.",
                  trained.front().rounds.back().round, fmt::join(rates(), ", "), means, differences,
                  100 * kFalseAlarm));
  if (!significantly && finding.verdict == Verdict::holds) finding.verdict = Verdict::holds_with_a_note;
  return finding;
}

}  // namespace

std::vector<Training> distributed_figure_5a_trainings() {
  std::vector<Training> trainings;
  for (const double rate : rates()) {
    trainings.push_back({.plan = "000-ldp-sgd",
                         .seeds = kSeeds,
                         .set = {{"participation.rate", fmt::format("{}", rate)},
                                 {"rounds.count", std::to_string(kRounds)},
                                 {"rounds.log_every", std::to_string(kLogEvery)}}});
  }
  return trainings;
}

PaperFigure distributed_figure_5a_of(const Trainer& trainer, const std::vector<Trained>& trained) {
  const protocols::Plan plan = trainer.full_plan(trained.front().training);
  PaperFigure figure;
  figure.x = {.label = "round", .counts = true};
  figure.y = {"test accuracy", false};
  figure.settings = {{"n =", grouped(static_cast<double>(plan.clients())), false},
                     {"epsilon0 =", fmt::format("{}", *plan.epsilon0()), false},
                     {"C =", fmt::format("{}", *plan.clip()), false},
                     {"gamma =", fmt::format("{}", fmt::join(rates(), ", ")), true},
                     {"rounds", grouped(static_cast<double>(plan.rounds())), true},
                     {"delta =", fmt::format("{}", *plan.delta()), true}};
  add_training(figure, trainer, trained.front());
  for (const Trained& each : trained) {
    figure.curves.push_back(accuracy_by_round(fmt::format("gamma = {}", each.plan.rate()), each));
  }
  figure.findings = {larger_rates(trainer, trained), privacy(trainer, plan)};
  return figure;
}

PaperFigure distributed_figure_5a(Trainer& trainer) {
  return distributed_figure_5a_of(trainer, train_all(trainer, distributed_figure_5a_trainings()));
}

}  // namespace muster::reproduce

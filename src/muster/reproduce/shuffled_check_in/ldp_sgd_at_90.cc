#include "muster/reproduce/shuffled_check_in/ldp_sgd_at_90.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/number_text.h"
#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/training_findings.h"

namespace muster::reproduce {
namespace {

constexpr double kAround = 0.005;  // what "around 90%" allows: an accuracy that rounds to it
constexpr double kNear = 0.5;      // the tolerance for an epsilon of about 1 or 3

bool near(double value, double stated) { return std::fabs(value - stated) <= kNear; }

}  // namespace

Curve stated_at_90(const std::string& figure) {
  const double accuracy = number_of(figure + "-epsilon-ours", 1);
  return {"90% by the paper's bound, and by strong composition",
          Kind::reported,
          {{number_of(figure + "-epsilon-ours"), accuracy, ""},
           {number_of(figure + "-epsilon-strong"), accuracy, ""}}};
}

Finding reaches_90(const Trainer& trainer, const Trained& trained, const std::string& figure) {
  const TrainedRound& last = trained.rounds.back();
  return finding_on_accuracy(
      trainer, figure + "-90-percent", last.mean() >= number_of(figure + "-accuracy") - kAround,
      fmt::format("The mean accuracy at round {} is {:.4f}.", last.round, last.mean()));
}

std::vector<Finding> epsilons_at_90(const Trainer& trainer, const LdpSgdAccounting& accounting,
                                    const Trained& trained, const std::string& figure,
                                    accounting::Bound (LdpSgdAccounting::*theorem_2)(std::uint64_t) const,
                                    const std::string& its_name) {
  const std::string ours = figure + "-epsilon-1", strong = figure + "-epsilon-3";
  const double wanted = number_of(figure + "-epsilon-ours", 1);
  const TrainedRound* round = first_reaching(trained, wanted);
  if (round == nullptr) {
    const std::string none = fmt::format("No logged round has a mean accuracy of {}.", wanted);
    return {finding_on_accuracy(trainer, ours, false, none),
            finding_on_accuracy(trainer, strong, false, none)};
  }
  const double by_theorem_2 = upper_of((accounting.*theorem_2)(round->round));
  const double by_strong_composition = upper_of(accounting.strong_composition(round->round));
  const std::string when =
      fmt::format("At round {}, the first logged one with a mean accuracy of {}", round->round, wanted);
  return {
      finding_on_accuracy(trainer, ours, near(by_theorem_2, number_of(figure + "-epsilon-ours")),
                          fmt::format("{}, {} gives {:.4g}; proven are at most {} and at least {}.", when,
                                      its_name, by_theorem_2, rounded_up(round->epsilon),
                                      rounded_down(accounting.ours(round->round).best.lower.value_or(0)))),
      finding_on_accuracy(trainer, strong, near(by_strong_composition, number_of(figure + "-epsilon-strong")),
                          fmt::format("{}, strong composition gives {:.4g}. Its formula is only cited in "
                                      "the text; the nearest is taken.",
                                      when, by_strong_composition))};
}

}  // namespace muster::reproduce

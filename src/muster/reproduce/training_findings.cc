#include "muster/reproduce/training_findings.h"

#include <fmt/format.h>

#include "muster/reproduce/points.h"

namespace muster::reproduce {

namespace {

std::string shortened_note(const Trainer& trainer) {
  return trainer.full_length() ? ""
                               : fmt::format(" Trained for a fraction {} of the rounds.", trainer.scale());
}

std::string images_note(const Trainer& trainer) {
  const std::string other = trainer.other_images();
  return other.empty() ? "" : fmt::format(" Trained on {}, not on the paper's data.", other);
}

std::string learning_text(const protocols::Plan& plan) {
  std::string text = plan.learning_rate() ? plan.learning_rate()->canonical() : "none";
  if (plan.momentum() > 0) text += fmt::format(", momentum {}", plan.momentum());
  if (plan.average() > 0) text += fmt::format(", averaging weight {}", plan.average());
  if (plan.weight_decay() > 0) text += fmt::format(", weight decay {}", plan.weight_decay());
  return text;
}

}  // namespace

void add_training(PaperFigure& figure, const Trainer& trainer, const Trained& trained,
                  const StatedTraining& stated) {
  const std::uint64_t seeds = trained.training.seeds;
  figure.settings.push_back({"learning rate", learning_text(trained.plan), !stated.learning_rate});
  figure.settings.push_back({"seeds:", std::to_string(seeds), !stated.seeds});
  if (seeds > 1 && stated.band == Band::range) {
    figure.settings.push_back({"bands:", "from the lowest to the highest accuracy of the seeds", true});
  } else if (seeds > 1) {
    figure.settings.push_back({"bands:", "one standard deviation of the seeds to both sides", false});
  }
  if (!trainer.full_length()) {
    const auto all = static_cast<double>(trainer.full_plan(trained.training).rounds());
    figure.differences.push_back(fmt::format("{} of {} rounds (--scale {})",
                                             grouped(static_cast<double>(trained.plan.rounds())),
                                             grouped(all), trainer.scale()));
  }
  if (const std::string other = trainer.other_images(); !other.empty()) {
    figure.differences.push_back(other + " in place of its data");
  }
}

Finding finding_on_accuracy(const Trainer& trainer, const std::string& claim, bool shown,
                            const std::string& found) {
  const bool as_in_the_paper = trainer.full_length() && trainer.other_images().empty();
  const Verdict verdict = !shown            ? Verdict::not_reproduced
                          : as_in_the_paper ? Verdict::holds
                                            : Verdict::holds_with_a_note;
  return {claim, verdict, found + shortened_note(trainer) + images_note(trainer)};
}

Finding finding_on_epsilons(const Trainer& trainer, const std::string& claim, bool shown,
                            const std::string& found) {
  const bool full = trainer.full_length();
  const Verdict verdict = shown ? (full ? Verdict::holds : Verdict::holds_with_a_note)
                                : (full ? Verdict::is_false : Verdict::not_reproduced);
  return {claim, verdict, found + shortened_note(trainer)};
}

}  // namespace muster::reproduce

// Says under which conditions a figure was trained, and limits the verdicts on claims accordingly.
//
// A shortened training, or one on the built-in digits in place of the paper's data, is not the paper's
// experiment. What such a training shows holds with a note at most; and what it does not show is not
// reproduced, but never false. What the paper's text leaves out, such as the learning rate, was chosen, so
// neither is an accuracy that is missed ever false. Pure functions.
#pragma once

#include <string>

#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// What the paper's text states of a training, and the bands that its figure shows. What it does not state was
// chosen.
struct StatedTraining {
  bool learning_rate = false;
  bool seeds = false;
  Band band = Band::range;  // chosen, unless it is the deviation
};

// Adds to the figure what all figures with trainings say: among the settings, how many seeds, the rule of the
// bands, and what the plan states about learning; among the differences, a shortened training and data other
// than the paper's.
void add_training(PaperFigure& figure, const Trainer& trainer, const Trained& trained,
                  const StatedTraining& stated = {});

// Returns the finding about a claim on accuracies: whether the computed values show it, and the sentence
// with them, to which the conditions are added.
Finding finding_on_accuracy(const Trainer& trainer, const std::string& claim, bool shown,
                            const std::string& found);

// Returns the finding about a claim on the epsilons of the trained rounds, which do not depend on the data.
// At full length, values that do not show the claim contradict it.
Finding finding_on_epsilons(const Trainer& trainer, const std::string& claim, bool shown,
                            const std::string& found);

}  // namespace muster::reproduce

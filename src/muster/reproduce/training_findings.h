// Says under which conditions a figure was trained, and limits the verdicts on claims accordingly.
//
// A shortened training is not the paper's experiment, and for accuracies neither is one on other images than
// the paper's. A claim that such a training supports holds with a note at most, and one that it does not
// support counts as not reproduced, but never as false. Nor does any claim about accuracies ever count as
// false, because what the paper's text leaves out, such as the learning rate, was chosen here. Pure
// functions.
#pragma once

#include <string>

#include "muster/reproduce/accuracy_curves.h"
#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// What the paper's text states about a training, and the bands that the figure shows. What the text does not
// state was chosen here.
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

// Reproduces figures and tables of Liew and Takahashi, "Shuffle Gaussian mechanism for differential privacy"
// (2022, arXiv 2206.09569).
//
// Each of n clients adds Gaussian noise of standard deviation sigma to a record, and a shuffler removes the
// senders' names. In the paper two records are at distance at most 1; clipping to norm 1 allows distance 2,
// for which muster's own bounds hold. For the figure that shows accuracies, one function lists the trainings,
// and another one, which takes a Trainer, trains them and returns the figure. The other functions are pure.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

PaperFigure shuffle_gaussian_table_1();
PaperFigure shuffle_gaussian_figure_1a();

std::vector<Training> shuffle_gaussian_trainings_1b();
PaperFigure shuffle_gaussian_figure_1b(Trainer& trainer);

}  // namespace muster::reproduce

// Reproduces figures and tables of Liew and Takahashi, "Shuffle Gaussian mechanism for differential privacy"
// (2022, arXiv 2206.09569).
//
// Each of n clients adds Gaussian noise of standard deviation sigma to a record, and a shuffler removes the
// senders' names. In the paper two records are at distance at most 1; clipping to norm 1 allows distance 2,
// for which muster's own bounds hold. The functions are pure.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

PaperFigure shuffle_gaussian_table_1();
PaperFigure shuffle_gaussian_figure_1a();

}  // namespace muster::reproduce

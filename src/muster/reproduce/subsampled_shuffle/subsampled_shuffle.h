// Reproduces figures and tables of Girgis, Data, Diggavi, "Renyi differential privacy of the subsampled
// shuffle model in distributed learning" (NeurIPS 2021, arXiv 2107.08763v1).
//
// In each of T rounds k of n clients are drawn uniformly and secretly. Each sends its record through an
// epsilon0-LDP randomizer, and a shuffler removes the senders' names. Neighbouring data sets differ in one
// record. The functions are pure.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

PaperFigure subsampled_shuffle_figure_2a();
PaperFigure subsampled_shuffle_figure_2b();
PaperFigure subsampled_shuffle_figure_2c();
PaperFigure subsampled_shuffle_table_1();

}  // namespace muster::reproduce

// Reproduces figures and tables of Girgis, Data, Diggavi, "Renyi differential privacy of the subsampled
// shuffle model in distributed learning" (NeurIPS 2021, arXiv 2107.08763v1).
//
// In each of T rounds k of n clients are drawn uniformly and secretly. Each sends its record through an
// epsilon0-LDP randomizer, and a shuffler removes the senders' names. Neighbouring data sets differ in one
// record. The functions are pure.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// Figure 3 needs training: its recipe, which runs on the Trainer's thread, trains what the first function
// lists, and the last one computes the figure from that.
std::vector<Training> subsampled_shuffle_figure_3_trainings();
PaperFigure subsampled_shuffle_figure_3(Trainer& trainer);
PaperFigure subsampled_shuffle_figure_3_of(const Trainer& trainer, const std::vector<Trained>& trained);

PaperFigure subsampled_shuffle_figure_2a();
PaperFigure subsampled_shuffle_figure_2b();
PaperFigure subsampled_shuffle_figure_2c();
PaperFigure subsampled_shuffle_table_1();

}  // namespace muster::reproduce

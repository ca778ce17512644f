// Reproduces figures and tables of Liew, Hasegawa, Takahashi, "Shuffled check-in: privacy amplification
// towards practical distributed learning" (2022, arXiv:2206.03151v1).
//
// Each of n clients reports with probability gamma through an epsilon0-LDP randomizer, and a shuffler removes
// the senders' names. The paper bounds the Renyi divergence of one round (Theorem 2 from above, Theorem 3
// from below) and converts the bounds to epsilon (Lemma 2). For each figure that shows accuracies, one
// function lists the trainings, and another one, which takes a Trainer, trains them and returns the figure.
// The other functions are pure, but that of Table 1 also measures CPU times, on which no finding depends.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

PaperFigure shuffled_check_in_figure_1a();
PaperFigure shuffled_check_in_figure_1b();
PaperFigure shuffled_check_in_figure_1c();
PaperFigure shuffled_check_in_figure_2();
PaperFigure shuffled_check_in_table_1();
PaperFigure shuffled_check_in_table_2();

std::vector<Training> shuffled_check_in_trainings_3a();
PaperFigure shuffled_check_in_figure_3a(Trainer& trainer);
std::vector<Training> shuffled_check_in_trainings_3b();
PaperFigure shuffled_check_in_figure_3b(Trainer& trainer);
std::vector<Training> shuffled_check_in_trainings_4();
PaperFigure shuffled_check_in_figure_4(Trainer& trainer);

}  // namespace muster::reproduce

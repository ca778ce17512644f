// Reproduces those figures and tables of Liew, Hasegawa, Takahashi, "Shuffled check-in: privacy amplification
// towards practical distributed learning" (2022, arXiv:2206.03151v1), that need no training.
//
// Each of n clients reports with probability gamma through an epsilon0-LDP randomizer, and a shuffler removes
// the senders' names. The paper bounds the Renyi divergence of one round (Theorem 2 from above, Theorem 3
// from below) and converts the bounds to epsilon (Lemma 2). The functions are pure, but that of Table 1 also
// measures CPU times, on which no finding depends.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

PaperFigure shuffled_check_in_figure_1a();
PaperFigure shuffled_check_in_figure_1b();
PaperFigure shuffled_check_in_figure_1c();
PaperFigure shuffled_check_in_figure_2();
PaperFigure shuffled_check_in_table_1();
PaperFigure shuffled_check_in_table_2();

}  // namespace muster::reproduce

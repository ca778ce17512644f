// Reproduces figures, tables and propositions of Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy
// amplification via random check-ins" (NeurIPS 2020).
//
// Each of n clients checks in with probability p0, once in a run, at one of m slots that it draws uniformly.
// In the fixed and the sliding window, the server asks one of the clients that checked in at a slot, and uses
// a dummy if there is none. Every client's randomizer is epsilon0-LDP, and the paper assumes nothing else
// about it; neighbouring data sets differ in one record. The functions are pure.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

PaperFigure random_check_ins_figure_2();
PaperFigure random_check_ins_table_1();
PaperFigure random_check_ins_proposition_3_4();
PaperFigure random_check_ins_proposition_4_4();
PaperFigure random_check_ins_theorem_3_5();
PaperFigure random_check_ins_theorem_4_2();

}  // namespace muster::reproduce

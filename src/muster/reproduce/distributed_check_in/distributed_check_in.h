// Reproduces those figures and tables of the appendix of a later version of "Shuffled check-in" (Liew,
// Hasegawa, Takahashi), which adds distributed check-in, that need no training.
//
// Its version is not known: docs/theory/references.md. The protocol of Table 1 is that of
// shuffled_check_in/shuffled_check_in.h. The function is pure but for the CPU times that it measures.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

PaperFigure distributed_check_in_table_1();

}  // namespace muster::reproduce

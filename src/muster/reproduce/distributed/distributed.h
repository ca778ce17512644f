// Reproduces figures and a table of the appendix of a later version of Liew, Hasegawa, Takahashi, "Shuffled
// check-in" (2022), which adds distributed check-in. It also has the experiment of that version's Figure 6
// with data that need no download.
//
// Every figure here needs training. For each there are the list of its trainings, its recipe, and the
// function from the trainings to the figure, which computes everything else. Only the recipes train; they run
// on the Trainer's thread. The other functions are pure, but that of Table 1 also measures CPU times, on
// which no finding depends.
#pragma once

#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// Table 1: the cost of the conversions. Table 1 of the first version is in shuffled_check_in/table_1.cc.
PaperFigure distributed_table_1();

// Figures 3a and 3b: LDP-SGD, and Federated DP-SGD with ten million clients; the experiments of Figures 3a
// and 4 of the first version.
std::vector<Training> distributed_figure_3a_trainings();
PaperFigure distributed_figure_3a(Trainer& trainer);
PaperFigure distributed_figure_3a_of(const Trainer& trainer, const std::vector<Trained>& trained);
std::vector<Training> distributed_figure_3b_trainings();
PaperFigure distributed_figure_3b(Trainer& trainer);
// Returns Figure 3b, given the figure of the first version that shows the same experiment.
PaperFigure distributed_figure_3b_of(const PaperFigure& first_version);

// Figure 4: distributed check-in, accuracy against epsilon for two values of sigma. `trained` is in the order
// of the trainings, here and below.
std::vector<Training> distributed_figure_4_trainings();
PaperFigure distributed_figure_4(Trainer& trainer);
PaperFigure distributed_figure_4_of(const Trainer& trainer, const std::vector<Trained>& trained);

// Figure 5a: LDP-SGD at several check-in rates.
std::vector<Training> distributed_figure_5a_trainings();
PaperFigure distributed_figure_5a(Trainer& trainer);
PaperFigure distributed_figure_5a_of(const Trainer& trainer, const std::vector<Trained>& trained);

// Figure 5b: LDP-SGD at a constant and at a falling learning rate.
std::vector<Training> distributed_figure_5b_trainings();
PaperFigure distributed_figure_5b(Trainer& trainer);
PaperFigure distributed_figure_5b_of(const Trainer& trainer, const std::vector<Trained>& trained);

// Figure 6: LDP-SGD of the last layer on CIFAR-10, after learning from CIFAR-100 without noise.
std::vector<Training> distributed_figure_6_trainings();
PaperFigure distributed_figure_6(Trainer& trainer);
PaperFigure distributed_figure_6_of(const Trainer& trainer, const std::vector<Trained>& trained);

// The experiment of Figure 6 on digits, which is no figure of the paper.
std::vector<Training> transfer_trainings();
PaperFigure transfer(Trainer& trainer);
PaperFigure transfer_of(const Trainer& trainer, const std::vector<Trained>& trained);

}  // namespace muster::reproduce

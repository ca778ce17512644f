// Lists the figures and tables that can be reproduced, with one recipe for each.
//
// A recipe computes its figure and prints nothing. If the figure shows no accuracies, the recipe reads no
// files, and any thread may call it; otherwise it gets them from a Trainer. The settings of the figure say
// which parameters were chosen because the paper's text does not state them. The list is made once, on the
// first call, and never changes, so any thread may call the functions.
#pragma once

#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

struct Recipe {
  const char* id;          // the figure's id in the papers' texts
  const char* what;        // a few words for the list of figures
  const char* parameters;  // for example "n = 60,000, sigma 9.48, 1 to 7 rounds"
  const char* data;        // data sets that must be present, or "none"
  const char* time;  // the time that the recipe takes on two cores, with all the rounds of its trainings
  // A recipe has either `compute` or, for a figure that needs training, the other two: `train` may ask the
  // Trainer for what `trainings` lists.
  PaperFigure (*compute)() = nullptr;
  std::vector<Training> (*trainings)() = nullptr;
  PaperFigure (*train)(Trainer& trainer) = nullptr;
};

// Returns all recipes, paper by paper, in the order of the figures in each paper.
const std::vector<Recipe>& recipes();

// Returns the recipe with this id. Throws Error(usage) for an unknown id, naming the nearest figure if one is
// close.
const Recipe& recipe_named(const std::string& id);

}  // namespace muster::reproduce

// Lists the figures and tables that can be reproduced, with one recipe for each.
//
// A recipe computes its figure; it reads no files and prints nothing. The settings of the figure say which
// parameters were chosen because the paper's text does not state them. The list is made once, on the first
// call, and never changes, so any thread may call the functions and the recipes.
#pragma once

#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

struct Recipe {
  const char* id;          // the figure's id in the papers' texts
  const char* what;        // a few words for the list of figures
  const char* parameters;  // for example "n = 60,000, sigma 9.48, 1 to 7 rounds"
  const char* data;        // data sets that must be present, or "none"
  const char* time;        // the time that `compute` takes on two cores
  PaperFigure (*compute)();
};

// Returns all recipes, paper by paper, in the order of the figures in each paper.
const std::vector<Recipe>& recipes();

// Returns the recipe with this id. Throws Error(usage) for an unknown id, naming the nearest figure if one is
// close, and for a figure without a recipe.
const Recipe& recipe_named(const std::string& id);

}  // namespace muster::reproduce

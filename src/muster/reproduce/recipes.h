// The figures and tables that can be reproduced, and how: one recipe each.
//
// A recipe computes; it reads no files and prints nothing. The settings of the figure that it returns say
// which parameters were chosen because the paper's text does not state them. recipe_named refuses a figure
// that has no recipe.
#pragma once

#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

struct Recipe {
  const char* id;          // as in the papers' texts
  const char* what;        // in a few words, for the list
  const char* parameters;  // "n = 60,000, sigma 9.48, 1 to 7 rounds"
  const char* data;        // data that must be there, or "none"
  const char* time;        // at full scale, on two cores
  PaperFigure (*compute)();
};

// By paper, in the papers' order.
const std::vector<Recipe>& recipes();

// Throws Error(usage) for an id of no figure, naming the nearest if one is close, or of a figure without a
// recipe.
const Recipe& recipe_named(const std::string& id);

}  // namespace muster::reproduce

// Draws a computed figure: one panel with its curves, a legend that names the kind of each curve, and the
// parameters that were chosen because the paper's text does not state them.
//
// Each kind of curve has one colour, the same in all pictures; curves of one kind differ in their dashes.
// Pure function.
#pragma once

#include <string>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/paper_texts.h"

namespace muster::reproduce {

enum class Theme {
  light,
  dark,
  viewer,  // light or dark, as the program that shows the picture prefers
};

std::string figure_svg(const PaperFigure& figure, const FigureText& text, Theme theme);

}  // namespace muster::reproduce

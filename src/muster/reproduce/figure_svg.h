// Draws a computed figure: one panel with its curves, a legend that names the kind of each curve, and the
// parameters that were chosen because the paper's text does not state them.
//
// Each kind of curve has one colour, the same in all pictures; curves of one kind differ in their dashes. The
// spread of a value is a whisker at a mark, or a band around a line. Where its lower end cannot be drawn,
// because it is not positive on a logarithmic axis, it reaches down to the bottom of the panel.
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

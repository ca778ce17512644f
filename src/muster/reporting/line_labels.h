// Names the lines of a chart at their right ends, so that no reader has to look a colour up in a legend.
//
// The labels stand to the right of the panel, in the order of the ends of their lines. Labels that would
// overlap are moved apart, and a thin leader joins each to the end of its line. The functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "muster/reporting/chart_svg.h"

namespace muster::reporting {

struct LineLabel {
  DataPoint end;  // where the line ends, in the units of the data
  std::string words;
  Stroke stroke;
  MarkShape shape;
};

// Returns the labels of the lines of `panel`.
std::string line_labels(const ChartPanel& panel, const std::vector<LineLabel>& labels);

// Returns how many pixels the labels need to the right of the panel.
double label_width(const std::vector<LineLabel>& labels);

// Moves positions apart: returns positions in `low` .. `high` that are at least `gap` apart, in the order of
// `wanted`, with the least sum of squared moves. If there is not enough room, they are evenly spaced over it.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

// Returns the text with at most `most` >= 3 characters. A longer one loses its middle, because names of runs
// often differ at their end.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace muster::reporting

// Draws several runs in one chart, a line for each: accuracy by round or by epsilon, and accuracy by client.
//
// Each run has a colour (line_inks.h) and a mark of its own. Labels at the ends of the lines name the runs.
// All functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "muster/reporting/chart_svg.h"
#include "muster/reporting/compared_runs.h"
#include "muster/reporting/line_inks.h"

namespace muster::reporting {

static_assert(kLineInks.size() == kMostRuns);  // the i-th run has the i-th colour
// Returns the rules that colour the runs' lines on a page.
std::string runs_style();

// Returns a small picture of the mark of the i-th run, for a line of text.
std::string run_swatch(std::size_t i);

enum class RunAxis { step, epsilon };
// With by_client, a run has two lines: the mean over its clients is solid, and the mean over the worst tenth
// of them is dashed.
enum class RunMeasure { accuracy, by_client };

// Returns a chart for a page, or an empty text if no run has anything to draw. Points without a proven
// epsilon are left out of a chart by epsilon.
std::string runs_chart(const std::vector<ComparedRun>& runs, RunAxis axis, RunMeasure measure);

// Returns the main picture of the runs as a file: accuracy by client, if all runs logged it, and otherwise
// the accuracy on the test set by round. Accuracy by client is drawn by epsilon where all logged rounds have
// a proven one. Below the chart, the picture has the cautions and notes of compared_runs.h. Its colours
// follow the reader's light or dark mode.
std::string main_picture(const std::vector<ComparedRun>& runs);
// Returns whether `text` is a picture that main_picture() made, in this version or an older one.
bool is_main_picture(std::string_view text);

}  // namespace muster::reporting

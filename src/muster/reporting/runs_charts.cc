#include "muster/reporting/runs_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "muster/core/number_text.h"
#include "muster/reporting/line_labels.h"
#include "muster/reporting/run_figures.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using simulation::Measurement;

constexpr double kWidth = 960, kLeft = 72, kHeight = 262;
constexpr double kPageTop = 42, kFileTop = 74;  // the upper edge of the panel; a file has a heading above it
constexpr double kBelow = 56;                   // the height of the ticks and the title of the x axis
constexpr double kNoteLine = 18;                // pixels from one line of the notes to the next
constexpr double kEdge = 12;                    // pixels that stay free on the right
constexpr std::size_t kFewPoints = 16;          // lines with at most this many points have a mark at each
constexpr std::size_t kLongestName = 26;        // characters of a run's name
constexpr std::string_view kBeginning = "<svg xmlns=";
constexpr std::string_view kMarker = "<metadata>muster report</metadata>\n";

// A line of the chart: one measure of one run.
struct RunLine {
  std::size_t run;
  std::string suffix;  // follows the run's name in the label
  bool dashed;
  std::vector<DataPoint> points;
};

Stroke stroke_of(const RunLine& line) {
  const LineInk& ink = kLineInks[line.run % kLineInks.size()];
  return {ink.css, ink.light, line.dashed ? 1.8 : 2.6, line.dashed ? "7 4" : ""};
}

MarkShape shape_of(std::size_t run) { return static_cast<MarkShape>(run % kMarkShapes); }

// Returns the points whose value is known and whose place on the axis is finite.
template <typename Value>
std::vector<DataPoint> points_of(const simulation::RunRecord& run, RunAxis axis, const Value& value) {
  std::vector<DataPoint> points;
  for (const std::size_t i : drawn(run.logged.size())) {
    const Measurement& line = run.logged[i];
    const std::optional<double> y = value(line);
    const double x = axis == RunAxis::step ? static_cast<double>(line.step()) : line.epsilon;
    if (y && std::isfinite(x)) points.push_back({x, *y});
  }
  return points;
}

std::vector<RunLine> lines_of(const std::vector<ComparedRun>& runs, RunAxis axis, RunMeasure measure) {
  std::vector<RunLine> lines;
  const auto add = [&](std::size_t i, const char* name, bool dashed, auto value) {
    const std::vector<DataPoint> points = points_of(runs[i].run, axis, value);
    if (points.empty()) return;
    lines.push_back({i, fmt::format("{} {:.4f}", name, points.back().y), dashed, points});
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (measure == RunMeasure::accuracy) {
      add(i, "", false, [](const Measurement& line) { return std::optional(line.accuracy); });
    } else {
      add(i, ", mean", false, [](const Measurement& line) { return line.client_accuracy; });
      add(i, ", worst tenth", true, [](const Measurement& line) { return line.worst_decile; });
    }
  }
  return lines;
}

std::vector<LineLabel> labels_of(const std::vector<ComparedRun>& runs, const std::vector<RunLine>& lines) {
  std::vector<LineLabel> labels;
  for (const RunLine& line : lines) {
    labels.push_back({line.points.back(), shortened(runs[line.run].label, kLongestName) + line.suffix,
                      stroke_of(line), shape_of(line.run)});
  }
  return labels;
}

std::string axis_title(const std::vector<ComparedRun>& runs, RunAxis axis) {
  const auto agree = [&](auto value) {
    return std::ranges::all_of(runs, [&](const auto& each) { return value(each) == value(runs.front()); });
  };
  if (axis == RunAxis::step) {
    const bool alike = agree([](const ComparedRun& each) { return each.run.plan.has_slots(); });
    return alike ? step_word(runs.front().run.plan) : "round, or slot in a protocol with slots";
  }
  std::string title = "epsilon, proven, at each run's delta";
  if (agree([](const ComparedRun& each) { return each.run.plan.delta().value(); })) {
    title = fmt::format("epsilon, proven, at delta {}", runs.front().run.plan.delta().value());
  }
  const auto holds_several = [](const ComparedRun& each) { return each.run.plan.holds_several(); };
  return title + (std::ranges::all_of(runs, holds_several) ? ", for one client, all its records" : "");
}

Scale scale_of_x(const std::vector<RunLine>& lines, RunAxis axis, double right) {
  double least = std::numeric_limits<double>::infinity(), first_end = least, most = 0;
  for (const RunLine& line : lines) {
    least = std::min(least, line.points.front().x);
    first_end = std::min(first_end, line.points.back().x);
    most = std::max(most, line.points.back().x);
  }
  if (axis == RunAxis::step) return Scale::whole_numbers(0, most, kLeft, right);
  // If the largest epsilon exceeds this many times the smallest at which a run ends, the axis is logarithmic.
  constexpr double kWide = 20;
  if (least > 0 && most > kWide * first_end) return Scale::logarithmic(least / 1.1, most, kLeft, right);
  return Scale::linear(0, most > 0 ? most : 1, kLeft, right);
}

Scale scale_of_y(const std::vector<RunLine>& lines, double top) {
  double low = 1, high = 0;
  for (const RunLine& line : lines) {
    for (const DataPoint& point : line.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  return Scale::around(low, high, top + kHeight, top);
}

const char* title_of(RunMeasure measure) {
  return measure == RunMeasure::by_client
             ? "mean over clients (solid) and over the worst tenth of the clients (dashed)"
             : "accuracy on the test set";
}

// Returns the panel and its labels; an empty text if there is nothing to draw.
std::string panel_of(const std::vector<ComparedRun>& runs, RunAxis axis, RunMeasure measure, double top) {
  const std::vector<RunLine> lines = lines_of(runs, axis, measure);
  if (lines.empty()) return "";
  const std::vector<LineLabel> labels = labels_of(runs, lines);
  const double right = kWidth - kEdge - label_width(labels);
  ChartPanel panel(scale_of_x(lines, axis, right), scale_of_y(lines, top), title_of(measure),
                   axis_title(runs, axis));
  for (std::size_t i = lines.size(); i-- > 0;) {  // the first run is drawn last, on top of the others
    const RunLine& line = lines[i];
    panel.line(line.points, stroke_of(line));
    for (const DataPoint& point : line.points) {
      const bool is_last = &point == &line.points.back();
      if (is_last || line.points.size() <= kFewPoints) {
        panel.mark(point, shape_of(line.run), stroke_of(line), line.dashed ? 3.2 : 4);
      }
    }
  }
  return panel.svg() + line_labels(panel, labels);
}

std::string heading_of(const std::vector<ComparedRun>& runs, RunMeasure measure) {
  const std::string& name = runs.front().run.plan.name();
  const bool alike =
      std::ranges::all_of(runs, [&](const auto& each) { return each.run.plan.name() == name; });
  return (alike ? name + ": " : "") +
         (measure == RunMeasure::by_client ? "accuracy by client" : "accuracy on the test set");
}

// Returns the rules that make a picture in a file dark for a reader in dark mode.
std::string file_style() {
  std::string rules =
      "svg>rect,.open{fill:#14181d}text{fill:#9aa7b4}.ink{fill:#e6eaee}.grid{stroke:#2c343d}"
      ".axis{stroke:#9aa7b4}";
  for (const LineInk& ink : kLineInks) {
    rules += fmt::format(".{0}{{stroke:{1}}}.{0}-dot{{fill:{1}}}", ink.css, ink.dark);
  }
  return fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", rules);
}

bool logged_by_client(const ComparedRun& each) {
  return !each.run.logged.empty() && each.run.logged.back().client_accuracy.has_value();
}

bool has_epsilons(const ComparedRun& each) {
  return std::ranges::all_of(each.run.logged, [](const auto& line) { return std::isfinite(line.epsilon); });
}

// Returns the text below a picture, and adds its height to `height`.
std::string notes_below(const std::vector<ComparedRun>& runs, RunMeasure measure, double& height) {
  std::vector<std::string> notes;
  for (const auto& found : {cautions(runs), notes_on(runs)}) {
    for (const RunsNote& note : found) notes.push_back(note.words);
  }
  if (measure == RunMeasure::by_client) {
    notes.emplace_back("accuracy by client tells of the clients' records, and no epsilon covers it");
  }
  constexpr std::size_t kColumns = 124;
  std::string svg;
  for (const std::string& note : notes) {
    std::istringstream lines(wrapped(note + ".", "", "", kColumns));
    for (std::string line; std::getline(lines, line); height += kNoteLine) {
      svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft, height, escaped(line));
    }
  }
  return svg;
}

}  // namespace

std::string runs_style() {
  std::string light, dark;
  for (const LineInk& ink : kLineInks) {
    light += fmt::format("svg .{0}{{stroke:{1}}}svg .{0}-dot{{fill:{1}}}", ink.css, ink.light);
    dark += fmt::format("svg .{0}{{stroke:{1}}}svg .{0}-dot{{fill:{1}}}", ink.css, ink.dark);
  }
  return fmt::format(
      "{}svg .open{{fill:var(--paper)}}svg.swatch{{display:inline-block;margin:0 7px 0 "
      "0;vertical-align:-2px}}\n"
      "@media screen and (prefers-color-scheme:dark){{{}}}\n",
      light, dark);
}

std::string run_swatch(std::size_t i) {
  std::string mark = mark_svg({7, 7}, shape_of(i), stroke_of({i, "", false, {}}), 4.5);
  mark.pop_back();  // the end of the line, because the picture stands in a line of text
  return fmt::format(
      "<svg class=\"swatch\" width=\"14\" height=\"14\" viewBox=\"0 0 14 14\" aria-hidden=\"true\">{}</svg>",
      mark);
}

std::string runs_chart(const std::vector<ComparedRun>& runs, RunAxis axis, RunMeasure measure) {
  const std::string panel = panel_of(runs, axis, measure, kPageTop);
  if (panel.empty()) return "";
  return svg_picture({kWidth, kPageTop + kHeight + kBelow}, heading_of(runs, measure), panel,
                     PictureFor::page);
}

std::string main_picture(const std::vector<ComparedRun>& runs) {
  const bool by_client = std::ranges::all_of(runs, logged_by_client);
  const RunMeasure measure = by_client ? RunMeasure::by_client : RunMeasure::accuracy;
  const RunAxis axis =
      by_client && std::ranges::all_of(runs, has_epsilons) ? RunAxis::epsilon : RunAxis::step;
  const std::string panel = panel_of(runs, axis, measure, kFileTop);
  double height = kFileTop + (panel.empty() ? 0 : kHeight + kBelow) + kNoteLine;
  const std::string notes = notes_below(runs, measure, height);
  const std::string heading = heading_of(runs, measure) + (panel.empty() ? "; no round is logged" : "");
  return svg_picture({kWidth, height}, heading, std::string(kMarker) + file_style() + panel + notes);
}

bool is_main_picture(std::string_view text) {
  return text.starts_with(kBeginning) && text.find(kMarker) != text.npos;
}

}  // namespace muster::reporting

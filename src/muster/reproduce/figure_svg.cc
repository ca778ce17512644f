#include "muster/reproduce/figure_svg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "muster/reporting/chart_svg.h"
#include "muster/reporting/text_layout.h"

namespace muster::reproduce {
namespace {

using reporting::DataPoint;
using reporting::Scale;
using reporting::Stroke;

constexpr double kWidth = 960, kLeft = 76, kRight = 936, kTop = 84, kBottom = 424;
constexpr double kLegend = 490;         // the y of the first line below the panel, in pixels
constexpr double kLine = 19;            // pixels from one line of text to the next
constexpr std::size_t kFewPoints = 16;  // lines with at most this many points have a mark at each

// The style class of a kind of curve, and its colours in light and dark pictures. kColours has one entry for
// each Kind, in the order of its enumerators.
struct KindColours {
  const char* css;
  const char* light;
  const char* dark;
};
constexpr std::array<KindColours, 6> kColours = {{{"k-reported", "#7a3db8", "#c79bf2"},
                                                  {"k-published", "#c2571a", "#f0935a"},
                                                  {"k-corrected", "#8f7200", "#e3c04b"},
                                                  {"k-proven", "#0b5fa5", "#6cb2f2"},
                                                  {"k-lower", "#23855c", "#6fcf9f"},
                                                  {"k-simulated", "#b0306a", "#f07aa8"}}};
// The first curve of a kind has the first of these dashes, the second curve the second, and so on.
constexpr std::array<const char*, 7> kDashes = {"", "8 4", "2 3", "10 3 2 3", "4 3", "1 5", "14 3 2 3 2 3"};

std::string style(Theme theme) {
  if (theme == Theme::light) return "";
  std::string rules =
      "svg>rect{fill:#14181d}text{fill:#9aa7b4}.ink{fill:#e6eaee}.grid{stroke:#2c343d}.axis{stroke:#9aa7b4}";
  for (const KindColours& kind : kColours) {
    rules += fmt::format(".{0}{{stroke:{1}}}.{0}-dot,.{0}-area{{fill:{1}}}", kind.css, kind.dark);
  }
  return theme == Theme::dark
             ? fmt::format("<style>{}</style>\n", rules)
             : fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", rules);
}

// Returns one stroke for each curve; the strokes of a kind differ in their dashes.
std::vector<Stroke> strokes_of(const std::vector<Curve>& curves) {
  std::array<std::size_t, kColours.size()> seen{};
  std::vector<Stroke> strokes;
  for (const Curve& curve : curves) {
    const auto kind = static_cast<std::size_t>(curve.kind);
    const double width = curve.kind == Kind::proven ? 2.6 : 1.8;
    strokes.push_back(
        {kColours[kind].css, kColours[kind].light, width, kDashes[seen[kind]++ % kDashes.size()]});
  }
  return strokes;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void hold(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Says whether a value can be drawn on the axis: it must be finite, and positive if the axis is logarithmic.
bool drawable(double value, const Axis& axis) {
  return std::isfinite(value) && (!axis.logarithmic || value > 0);
}

Range range_of_x(const PaperFigure& figure) {
  Range range;
  for (const Curve& curve : figure.curves) {
    for (const Point& point : curve.points) range.hold(point.x);
  }
  return range;
}

Range range_of_y(const PaperFigure& figure) {
  Range range;
  for (const Curve& curve : figure.curves) {
    for (const Point& point : curve.points) {
      if (point.value && drawable(*point.value, figure.y)) range.hold(*point.value);
      if (!point.spread) continue;
      for (const double end : {point.spread->low, point.spread->high}) {
        if (drawable(end, figure.y)) range.hold(end);
      }
    }
  }
  return range.low <= range.high ? range : Range{figure.y.logarithmic ? 0.1 : 0, 1};
}

Scale scale_of(const Axis& axis, Range range, double from, double to, bool exact) {
  if (axis.logarithmic) {
    const double margin = exact && range.low < range.high ? 1 : 1.15;
    return Scale::logarithmic(range.low / margin, range.high * margin, from, to);
  }
  if (!exact || range.low == range.high) return Scale::around(range.low, range.high, from, to);
  return axis.counts ? Scale::whole_numbers(range.low, range.high, from, to)
                     : Scale::linear(range.low, range.high, from, to);
}

// Says whether a curve is drawn as single marks, which no line joins.
bool drawn_as_marks(const Curve& curve) {
  return (curve.kind == Kind::reported || curve.kind == Kind::simulated) && !curve.joined;
}

// Draws the spreads of a curve's points, as whiskers or as one band.
void draw_spreads(const Curve& curve, const Stroke& stroke, const Axis& y, reporting::ChartPanel& panel) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<DataPoint> upper, lower;
  bool any = false;
  for (const Point& point : curve.points) {
    const bool drawn = point.spread && drawable(point.spread->high, y);
    const bool positive = drawn && drawable(point.spread->low, y);
    upper.push_back({point.x, drawn ? point.spread->high : none});
    lower.push_back({point.x, positive ? point.spread->low : panel.y().low()});
    any = any || drawn;
    if (drawn && drawn_as_marks(curve)) panel.whisker(point.x, lower.back().y, upper.back().y, stroke);
  }
  if (any && !drawn_as_marks(curve)) panel.band(upper, lower, stroke);
}

void draw(const Curve& curve, const Stroke& stroke, const Axis& y, reporting::ChartPanel& panel) {
  draw_spreads(curve, stroke, y, panel);
  std::vector<DataPoint> line;
  for (const Point& point : curve.points) {
    const bool drawn = point.value && drawable(*point.value, y);
    line.push_back({point.x, drawn ? *point.value : std::numeric_limits<double>::quiet_NaN()});
  }
  const bool marks = drawn_as_marks(curve);
  if (!marks) panel.line(line, stroke);
  if (!marks && line.size() > kFewPoints) return;
  for (const DataPoint& point : line) {
    if (std::isfinite(point.y)) panel.dot(point, "", false, stroke, marks ? 5 : 2.6);
  }
}

std::string words_at(double x, double y, const std::string& words) {
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y, reporting::escaped(words));
}

std::string legend(const std::vector<Curve>& curves, const std::vector<Stroke>& strokes) {
  std::string svg;
  double y = kLegend;
  for (std::size_t i = 0; i < curves.size(); ++i, y += kLine) {
    const std::string name = fmt::format("{}: {}", name_of(curves[i].kind), curves[i].name);
    if (drawn_as_marks(curves[i])) {
      svg += fmt::format("<circle class=\"{}-dot\" cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/>\n",
                         strokes[i].css, kLeft + 15, y - 4, strokes[i].colour);
      svg += words_at(kLeft + 38, y, name);
    } else {
      svg += reporting::legend_row({{name, strokes[i]}}, {kLeft, y - 4});
    }
  }
  return svg;
}

// Returns the paper, then one sentence with the settings that its text states, one with those chosen, and one
// with what the user changed.
std::vector<std::string> footnotes(const PaperFigure& figure, const FigureText& text) {
  std::vector<std::string> notes = {text.paper + "."};
  for (const bool chosen : {false, true}) {
    std::string words;
    for (const Setting& setting : figure.settings) {
      if (setting.chosen == chosen) {
        words += fmt::format("{}{} {}", words.empty() ? "" : "; ", setting.name, setting.value);
      }
    }
    if (!words.empty()) {
      notes.push_back(
          (chosen ? "Chosen, because the paper's text does not state it: " : "As the paper states it: ") +
          words + ".");
    }
  }
  if (!figure.differences.empty()) {
    notes.push_back(fmt::format("Other than in the paper: {}.", fmt::join(figure.differences, "; ")));
  }
  return notes;
}

}  // namespace

std::string figure_svg(const PaperFigure& figure, const FigureText& text, Theme theme) {
  const Scale x = scale_of(figure.x, range_of_x(figure), kLeft, kRight, true);
  const Scale y = scale_of(figure.y, range_of_y(figure), kBottom, kTop, false);
  reporting::ChartPanel panel(x, y, figure.y.label, figure.x.label);
  const std::vector<Stroke> strokes = strokes_of(figure.curves);
  // The last kinds are drawn first, so that the paper's own marks, of the first kind, lie on top.
  for (std::size_t i = figure.curves.size(); i-- > 0;) draw(figure.curves[i], strokes[i], figure.y, panel);
  std::string below = legend(figure.curves, strokes);
  double at = kLegend + kLine * static_cast<double>(figure.curves.size()) + 8;
  for (const std::string& note : footnotes(figure, text)) {
    std::istringstream lines(reporting::wrapped(note));
    for (std::string line; std::getline(lines, line); at += kLine) below += words_at(kLeft, at, line);
  }
  return reporting::svg_picture({kWidth, at + 8}, fmt::format("{}, {}", text.id, text.where),
                                style(theme) + panel.svg() + below);
}

}  // namespace muster::reproduce

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/comparison_text.h"
#include "muster/reporting/line_inks.h"
#include "muster/reporting/seed_spread.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;

constexpr double kWidth = 960, kLeft = 84, kRight = 936, kTop = 96, kLegend = 50;
constexpr double kPanel = 308, kBetween = 52;  // the height of a panel, and the pixels between two of them
constexpr double kNames = 96;                  // the height of the columns' names below the last panel
constexpr double kLine = 15;                   // the pixels between two lines of a column's name
constexpr double kDot = 5.5;                   // the radius of a dot

std::string style() {
  std::string rules =
      "svg>rect{fill:#14181d}text{fill:#9aa7b4}.ink{fill:#e6eaee}.grid{stroke:#2c343d}.axis{stroke:#9aa7b4}";
  for (const LineInk& ink : kLineInks) {
    rules += fmt::format(".{0}{{stroke:{1}}}.{0}-dot{{fill:{1}}}", ink.css, ink.dark);
  }
  return fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", rules);
}

bool has_variance(const Row& row) { return row.variance && *row.variance > 0; }

// A row in the picture.
struct Mark {
  const Row* row;
  SeedSpread spread;       // of its runs
  std::size_t column;      // counted from the left
  std::size_t randomizer;  // its place in the legend
};

// The rows that have a variance or an accuracy. Each protocol has a column, and in a column each randomizer
// has a place of its own.
struct Layout {
  std::vector<std::vector<std::string>> columns;  // the lines of each column's name
  std::vector<std::string> randomizers;
  std::vector<Mark> marks;

  // Returns the x of a mark: 0 is the left end of the first column, 1 its right end, 2 the right end of the
  // second column, and so on. A column of `central` has one mark, in its middle.
  double x_of(const Mark& mark) const {
    if (mark.row->protocol == comparison::kCentral) return static_cast<double>(mark.column) + 0.5;
    const double step = 0.8 / static_cast<double>(randomizers.size());
    return static_cast<double>(mark.column) + 0.1 + step * (static_cast<double>(mark.randomizer) + 0.5);
  }
};

// Returns the lines of a column's name: a line for each word, where "check-in" counts as one word. The two
// rows of `central` have the same randomizer, so each has a column, which is named after the relation, too.
std::vector<std::string> column_name(const Row& row) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < row.protocol.size(); ++i) {
    lines.back() += row.protocol[i];
    if (row.protocol[i] == '-' && row.protocol.compare(i + 1, 2, "in") != 0) lines.emplace_back();
  }
  if (row.protocol == comparison::kCentral && row.bound) lines.emplace_back(name_of(row.bound->neighbouring));
  return lines;
}

Layout layout_of(const Comparison& all) {
  Layout layout;
  for (const std::vector<Row>* rows : {&all.rows, &all.references}) {
    for (const Row& row : *rows) {
      const SeedSpread spread = spread_of(row.runs);
      if (!has_variance(row) && spread.finished == 0) continue;
      const std::vector<std::string> name = column_name(row);
      if (layout.columns.empty() || layout.columns.back() != name) layout.columns.push_back(name);
      const auto known = std::ranges::find(layout.randomizers, row.randomizer);
      const auto place = static_cast<std::size_t>(known - layout.randomizers.begin());
      if (known == layout.randomizers.end()) layout.randomizers.push_back(row.randomizer);
      layout.marks.push_back({&row, spread, layout.columns.size() - 1, place});
    }
  }
  return layout;
}

Stroke stroke_of(std::size_t randomizer) {
  const LineInk& ink = kLineInks[randomizer % kLineInks.size()];
  return {ink.css, ink.light, 3, ""};
}

// Writes the names of the columns below a panel that ends at the pixel `bottom`.
std::string names_below(const Layout& layout, const Scale& x, double bottom) {
  std::string svg;
  for (std::size_t column = 0; column < layout.columns.size(); ++column) {
    for (std::size_t i = 0; i < layout.columns[column].size(); ++i) {
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                         x.at(static_cast<double>(column) + 0.5),
                         bottom + 20 + kLine * static_cast<double>(i), escaped(layout.columns[column][i]));
    }
  }
  return svg;
}

// Returns the panel of accuracies from the pixel `top` on; "" if no run is finished.
std::string accuracy_panel(const Layout& layout, const Scale& x, double top) {
  double lowest = 1, highest = 0;
  for (const Mark& mark : layout.marks) {
    if (mark.spread.finished == 0) continue;
    lowest = std::min(lowest, mark.spread.lowest);
    highest = std::max(highest, mark.spread.highest);
  }
  if (lowest > highest) return "";
  ChartPanel panel(x, Scale::around(lowest, highest, top + kPanel, top),
                   "accuracy on the test set, mean and range over seeds; central is not trained", "", false);
  for (const Mark& mark : layout.marks) {
    const Stroke stroke = stroke_of(mark.randomizer);
    if (mark.spread.finished > 1) {
      panel.whisker(layout.x_of(mark), mark.spread.lowest, mark.spread.highest, stroke);
    }
    if (mark.spread.finished > 0) panel.dot({layout.x_of(mark), mark.spread.mean}, "", false, stroke, kDot);
  }
  return panel.svg();
}

// Returns the panel of variances from the pixel `top` on; "" if no row has a variance.
std::string variance_panel(const Layout& layout, const Scale& x, double top) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Mark& mark : layout.marks) {
    if (!has_variance(*mark.row)) continue;
    least = std::min(least, *mark.row->variance);
    most = std::max(most, *mark.row->variance);
  }
  if (least > most) return "";
  ChartPanel panel(x, Scale::logarithmic(least / 2, most * 2, top + kPanel, top),
                   "variance, in squared clips, for one number", "", false);
  for (const Mark& mark : layout.marks) {
    if (!has_variance(*mark.row)) continue;
    panel.dot({layout.x_of(mark), *mark.row->variance}, "", false, stroke_of(mark.randomizer), kDot);
  }
  return panel.svg();
}

}  // namespace

std::string comparison_svg(const Comparison& all) {
  const Layout layout = layout_of(all);
  const std::string heading =
      fmt::format("{}he noise of a round's mean at epsilon {}, delta {}, {}, {}",
                  all.training ? "Accuracy, and t" : "T", all.target.epsilon, all.target.delta,
                  count_text(all.clients, "client"), count_text(all.rounds, "round"));
  const Scale x =
      Scale::linear(0, static_cast<double>(std::max<std::size_t>(1, layout.columns.size())), kLeft, kRight);
  std::string body;
  double bottom = kTop - kBetween;
  for (const auto panel : {accuracy_panel, variance_panel}) {
    const std::string svg = panel(layout, x, bottom + kBetween);
    if (svg.empty()) continue;
    body += svg;
    bottom += kBetween + kPanel;
  }
  const PictureSize size{kWidth, std::max(bottom, kTop + kPanel) + kNames};
  if (body.empty()) return svg_picture(size, heading + "; nothing has a variance", "");
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < layout.randomizers.size(); ++i) {
    legend.push_back({layout.randomizers[i], stroke_of(i)});
  }
  return svg_picture(size, heading,
                     style() + names_below(layout, x, bottom) + legend_row(legend, {kLeft, kLegend}) + body);
}

}  // namespace muster::reporting

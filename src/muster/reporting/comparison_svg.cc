#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "muster/reporting/chart_svg.h"
#include "muster/reporting/comparison_text.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;

constexpr PictureSize kSize{960, 500};
constexpr double kLeft = 84, kRight = 936, kTop = 96, kBottom = 404, kLegend = 50;
constexpr double kLine = 15;  // the pixels between two lines of a protocol's name

// The colours of a randomizer on light and on dark pages.
struct Ink {
  const char* css;
  const char* light;
  const char* dark;
};
constexpr std::array<Ink, 8> kInks = {{{"c1", "#0b5fa5", "#6cb2f2"},
                                       {"c2", "#23855c", "#6fcf9f"},
                                       {"c3", "#c2571a", "#f0935a"},
                                       {"c4", "#7a3db8", "#c79bf2"},
                                       {"c5", "#8f7200", "#e3c04b"},
                                       {"c6", "#b0306a", "#f07aa8"},
                                       {"c7", "#52606d", "#b4c0cc"},
                                       {"c8", "#11768a", "#5fd0e6"}}};

std::string style() {
  std::string rules =
      "svg>rect{fill:#14181d}text{fill:#9aa7b4}.ink{fill:#e6eaee}.grid{stroke:#2c343d}.axis{stroke:#9aa7b4}";
  for (const Ink& ink : kInks) {
    rules += fmt::format(".{0}{{stroke:{1}}}.{0}-dot{{fill:{1}}}", ink.css, ink.dark);
  }
  return fmt::format("<style>@media (prefers-color-scheme:dark){{{}}}</style>\n", rules);
}

// The rows that have a variance, by protocol, and the names of their randomizers.
struct Columns {
  std::vector<std::pair<std::string, std::vector<Row>>> protocols;
  std::vector<std::string> randomizers;
};

Columns columns_of(const Comparison& all) {
  Columns columns;
  for (const std::vector<Row>* rows : {&all.rows, &all.references}) {
    for (const Row& row : *rows) {
      if (!row.variance || !(*row.variance > 0)) continue;
      if (columns.protocols.empty() || columns.protocols.back().first != row.protocol) {
        columns.protocols.push_back({row.protocol, {}});
      }
      columns.protocols.back().second.push_back(row);
      if (std::ranges::find(columns.randomizers, row.randomizer) == columns.randomizers.end()) {
        columns.randomizers.push_back(row.randomizer);
      }
    }
  }
  return columns;
}

// Writes a protocol's name below its column, with a line for each word; "check-in" counts as one word.
std::string name_below(double x, const std::string& name) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    lines.back() += name[i];
    if (name[i] == '-' && name.compare(i + 1, 2, "in") != 0) lines.emplace_back();
  }
  std::string svg;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x,
                       kBottom + 20 + kLine * static_cast<double>(i), escaped(lines[i]));
  }
  return svg;
}

Scale variance_scale(const Columns& columns) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& [protocol, rows] : columns.protocols) {
    for (const Row& row : rows) {
      least = std::min(least, *row.variance);
      most = std::max(most, *row.variance);
    }
  }
  return Scale::logarithmic(least / 2, most * 2, kBottom, kTop);
}

}  // namespace

std::string comparison_svg(const Comparison& all) {
  const Columns columns = columns_of(all);
  const std::string heading =
      fmt::format("The noise of a round's mean at epsilon {}, delta {}, {} clients, {} round{}",
                  all.target.epsilon, all.target.delta, all.clients, all.rounds, all.rounds == 1 ? "" : "s");
  if (columns.protocols.empty()) return svg_picture(kSize, heading + "; nothing has a variance", "");
  const Scale x = Scale::linear(0, static_cast<double>(columns.protocols.size()), kLeft, kRight);
  ChartPanel panel(x, variance_scale(columns), "variance, in squared clips, for one number", "", false);
  std::string body = style();
  std::vector<std::pair<std::string, Stroke>> legend;
  for (std::size_t i = 0; i < columns.randomizers.size(); ++i) {
    const Ink& ink = kInks[i % kInks.size()];
    legend.emplace_back(columns.randomizers[i], Stroke{ink.css, ink.light, 3, ""});
  }
  const double step = 0.8 / static_cast<double>(columns.randomizers.size());
  for (std::size_t column = 0; column < columns.protocols.size(); ++column) {
    const auto& [protocol, rows] = columns.protocols[column];
    body += name_below(x.at(static_cast<double>(column) + 0.5), protocol);
    for (const Row& row : rows) {
      const auto place = std::ranges::find(columns.randomizers, row.randomizer) - columns.randomizers.begin();
      const double at = static_cast<double>(column) + 0.1 + step * (static_cast<double>(place) + 0.5);
      panel.dot({at, *row.variance}, "", false, legend[static_cast<std::size_t>(place)].second, 5.5);
    }
  }
  return svg_picture(kSize, heading, body + legend_row(legend, {kLeft, kLegend}) + panel.svg());
}

}  // namespace muster::reporting

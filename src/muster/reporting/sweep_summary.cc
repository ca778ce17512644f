#include "muster/reporting/sweep_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/json.h"
#include "muster/reporting/line_inks.h"
#include "muster/reporting/seed_spread.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using simulation::Combination;
using simulation::Sweep;
using simulation::SweptKey;
using simulation::SweptRun;

// Returns the part of a key after the dot, such as "epsilon0", which suffices in a table.
std::string short_name(const std::string& key) { return key.substr(key.find('.') + 1); }

// Returns the names of the columns, and then one row for each combination. The first columns hold the values
// of the swept keys or, if `numbered`, one column holds the number of the combination, counted from 1.
std::vector<TableRow> summary_rows(const Sweep& sweep, bool numbered) {
  TableRow head;
  if (numbered) {
    head.emplace_back("values");
  }
  for (std::size_t k = 0; !numbered && k < sweep.keys.size(); ++k) {
    head.push_back(short_name(sweep.keys[k].key));
  }
  for (const char* column : {"accuracy", "lowest", "highest", "epsilon", "seeds", "time a run"}) {
    head.emplace_back(column);
  }
  std::vector<TableRow> rows = {head};
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    TableRow row;
    if (numbered) {
      row.push_back(fmt::format("{}", i + 1));
    }
    for (std::size_t k = 0; !numbered && k < sweep.keys.size(); ++k) {
      row.push_back(sweep.combinations[i].set[k].second);
    }
    const SeedSpread spread = spread_of(sweep.runs[i]);
    std::ranges::copy(accuracy_cells(spread), std::back_inserter(row));
    row.push_back(spread.finished == 0 ? "-" : epsilon_text(spread.epsilon));
    row.push_back(fmt::format("{} of {}", spread.finished, sweep.runs[i].size()));
    row.push_back(spread.finished > 0 ? duration_text(spread.seconds) : "-");
    rows.push_back(row);
  }
  return rows;
}

// A combination as a point of the picture. A line connects the combinations that differ only in the first
// swept key.
struct Mark {
  double epsilon;
  SeedSpread spread;
  std::string label;
};

std::map<std::string, std::vector<Mark>> marks_by_line(const Sweep& sweep) {
  std::map<std::string, std::vector<Mark>> lines;
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    const SeedSpread spread = spread_of(sweep.runs[i]);
    if (spread.finished == 0 || !std::isfinite(spread.epsilon)) {
      continue;
    }
    const auto& set = sweep.combinations[i].set;
    std::string line;
    for (std::size_t k = 1; k < set.size(); ++k) {
      line += fmt::format("{}{} = {}", k == 1 ? "" : ", ", short_name(set[k].first), set[k].second);
    }
    lines[line].push_back({spread.epsilon, spread, set.empty() ? "" : set[0].second});
  }
  for (auto& [line, marks] : lines) {
    std::ranges::stable_sort(marks, {}, &Mark::epsilon);
  }
  return lines;
}

}  // namespace

std::string summary_json(const Sweep& sweep) {
  std::vector<JsonObject> combinations;
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    const Combination& combination = sweep.combinations[i];
    JsonObject set;
    for (const auto& [key, value] : combination.set) {
      set.text(key, value);
    }
    const SeedSpread spread = spread_of(sweep.runs[i]);
    std::vector<std::string> folders;
    std::ranges::transform(sweep.runs[i], std::back_inserter(folders), &SweptRun::folder);
    combinations.push_back(JsonObject()
                               .object("set", set)
                               .unsigned_integer("first_seed", combination.plans.front().seed())
                               .unsigned_integer("seeds", combination.plans.size())
                               .unsigned_integer("finished", spread.finished)
                               .object("accuracy", accuracy_json(spread))
                               .number("epsilon", if_any(spread, spread.epsilon))
                               .number("delta", combination.plans.front().delta())
                               .number("seconds", if_any(spread, spread.seconds))
                               .texts("runs", folders)
                               .unsigned_integer("neutral", spread.neutral));
  }
  std::vector<std::string> keys;
  std::ranges::transform(sweep.keys, std::back_inserter(keys), &SweptKey::key);
  RunCounts counts;
  for (const std::vector<SweptRun>& runs : sweep.runs) counts.add(runs);
  return JsonObject()
      .texts("sweep", keys)
      .objects("combinations", combinations)
      .unsigned_integer("runs", counts.runs)
      .unsigned_integer("finished", counts.finished)
      .unsigned_integer("failed", counts.failed)
      .text("stopped", sweep.interrupted ? "interrupted" : "done")
      .text("out", sweep.folder)
      .str();
}

std::string summary_table(const Sweep& sweep) {
  const std::vector<TableRow> rows = summary_rows(sweep, false);
  if (width_of(rows) <= kTextWidth) {
    return aligned(rows, Align::right);
  }
  std::string text = aligned(summary_rows(sweep, true), Align::right) + "\n";
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    std::vector<std::string> values;
    for (const auto& [key, value] : sweep.combinations[i].set) {
      values.push_back(fmt::format("{} = {}", short_name(key), value));
    }
    text += wrapped(fmt::format("{}", fmt::join(values, ", ")), fmt::format("{}: ", i + 1), "   ");
  }
  return text;
}

std::string summary_svg(const Sweep& sweep) {
  constexpr PictureSize kSize{720, 440};
  constexpr double kLeft = 72, kRight = 690, kTop = 92, kBottom = 376, kLegendTop = 47;
  const std::map<std::string, std::vector<Mark>> lines = marks_by_line(sweep);
  const std::string name = sweep.combinations.front().plans.front().name();
  const std::string heading = fmt::format("{}: accuracy against epsilon, mean and range over seeds", name);
  double lowest = 1, highest = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& [line, marks] : lines) {
    for (const Mark& mark : marks) {
      lowest = std::min(lowest, mark.spread.lowest);
      highest = std::max(highest, mark.spread.highest);
      least = std::min(least, mark.epsilon);
      most = std::max(most, mark.epsilon);
    }
  }
  if (lines.empty()) {
    return svg_picture(kSize, heading + "; no run is finished", "");
  }
  // If the largest epsilon exceeds this many times the smallest, the axis is logarithmic.
  constexpr double kWide = 20;
  const Scale x = least > 0 && most > kWide * least
                      ? Scale::logarithmic(least / 1.3, most * 1.3, kLeft, kRight)
                      : Scale::linear(0, most > 0 ? most * 1.08 : 1, kLeft, kRight);
  ChartPanel panel(
      x, Scale::around(lowest, highest, kBottom, kTop),
      sweep.keys.empty() ? "accuracy on the test set"
                         : fmt::format("accuracy on the test set, by {}", short_name(sweep.keys[0].key)),
      fmt::format("epsilon, proven, at delta {}", sweep.combinations.front().plans.front().delta().value()));
  std::vector<LegendEntry> legend;
  const bool told_apart = lines.size() <= kLineInks.size();
  std::size_t next = 0;
  for (const auto& [line, marks] : lines) {
    const LineInk& colour = kLineInks[told_apart ? next++ : 0];
    const Stroke ink{colour.css, colour.light, 2, ""};
    if (told_apart) {
      std::vector<DataPoint> means;
      for (const Mark& mark : marks) {
        means.push_back({mark.epsilon, mark.spread.mean});
      }
      panel.line(means, ink);
      if (!line.empty()) {
        legend.push_back({line, ink});
      }
    }
    constexpr std::size_t kMaxLabels = 12;
    for (const Mark& mark : marks) {
      if (mark.spread.finished > 1) {
        panel.whisker(mark.epsilon, mark.spread.lowest, mark.spread.highest, ink);
      }
      const bool leftward = x.at(mark.epsilon) > kRight - 60;
      panel.dot({mark.epsilon, mark.spread.mean}, marks.size() <= kMaxLabels ? mark.label : "", leftward, ink,
                3.5);
    }
  }
  return svg_picture(kSize, heading, legend_row(legend, {kLeft, kLegendTop}) + panel.svg());
}

}  // namespace muster::reporting

#include "muster/reporting/standing_charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/run_figures.h"

namespace muster::reporting {
namespace {

constexpr PictureSize kSize{440, 300};
constexpr double kTop = 36, kBottom = 214, kLeft = 64, kRight = 424;
constexpr DataPoint kLegend{kLeft, 278};
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewPoints = 40;  // up to this many points are drawn as dots of the full size

using Points = std::vector<DataPoint>;
using Legend = std::vector<LegendEntry>;

// Returns a point for each round that is drawn; `value` may return kGap.
template <typename Value>
Points by_round(const TaskStanding& now, const Value& value) {
  Points points;
  for (const std::size_t i : drawn(now.past.size())) {
    points.push_back({static_cast<double>(now.past[i].round), value(now.past[i])});
  }
  return points;
}

Points without_gaps(Points points) {
  std::erase_if(points, [](const DataPoint& point) { return !std::isfinite(point.y); });
  return points;
}

std::pair<double, double> range_of(const Points& points) {
  const auto [low, high] = std::ranges::minmax(points, {}, &DataPoint::y);
  return {low.y, high.y};
}

Scale round_scale(const TaskStanding& now) {
  const auto last = static_cast<double>(now.past.back().round);
  return Scale::whole_numbers(0, std::max(1.0, last), kLeft, kRight);
}

// Returns a scale for counts. Counts are at least 0, and so is the low end of the scale.
Scale count_scale(const Points& points) {
  const auto [low, high] = range_of(points);
  if (high <= 5) return Scale::whole_numbers(0, std::max(1.0, high), kBottom, kTop);
  return Scale::around(low, high, kBottom, kTop);
}

void dots(ChartPanel& panel, const Points& points, const Stroke& stroke) {
  for (const DataPoint& point : points) {
    panel.dot(point, "", false, stroke, points.size() > kFewPoints ? 1.8 : 3.5);
  }
}

void level(ChartPanel& panel, double y, const Stroke& stroke) {
  panel.line({{panel.x().low(), y}, {panel.x().high(), y}}, stroke);
}

std::string picture(const std::string& heading, const ChartPanel& panel, const Legend& legend = {}) {
  return svg_picture(kSize, heading, panel.svg() + legend_row(legend, kLegend), PictureFor::page);
}

}  // namespace

std::string accuracy_chart(const TaskStanding& now) {
  const Points points =
      without_gaps(by_round(now, [](const StandingRound& round) { return round.accuracy.value_or(kGap); }));
  if (points.empty()) return "";
  const auto [low, high] = range_of(points);
  ChartPanel panel(round_scale(now), Scale::around(low, high, kBottom, kTop), "accuracy on the test set",
                   "round");
  panel.line(points, kFirst);
  dots(panel, points, kFirst);
  return picture("accuracy by round", panel);
}

std::string epsilon_chart(const TaskStanding& now) {
  // The scale is logarithmic, so that both curves can be read. While nothing has been charged, epsilon is 0
  // and its curve has a gap.
  const auto positive = [](double epsilon) { return epsilon > 0 ? epsilon : kGap; };
  const Points honest = by_round(now, [&](const StandingRound& round) { return positive(round.epsilon); });
  const Points colluding = by_round(now, [&](const StandingRound& round) { return positive(round.local); });
  Points all = honest;
  all.insert(all.end(), colluding.begin(), colluding.end());
  all = without_gaps(all);
  if (all.empty()) return "";
  constexpr double kMargin = 1.6;  // leaves room for the labels above and below the lines
  const auto [low, high] = range_of(all);
  ChartPanel panel(round_scale(now), Scale::logarithmic(low / kMargin, high * kMargin, kBottom, kTop),
                   "epsilon so far, proven (logarithmic)", "round");
  const auto draw = [&](const Points& points, const Stroke& stroke) {
    panel.line(points, stroke);
    const Points seen = without_gaps(points);
    if (!seen.empty()) panel.dot(seen.back(), epsilon_text(seen.back().y), true, stroke);
  };
  draw(honest, kFirst);
  draw(colluding, kThird);
  return picture("epsilon by round", panel, {{"shuffler honest", kFirst}, {"collusion", kThird}});
}

std::string heard_chart(const TaskStanding& now) {
  const auto heard_of = [](const StandingRound& round) {
    return round.counted ? static_cast<double>(round.counted->heard) : kGap;
  };
  const Points heard = without_gaps(by_round(now, heard_of));
  if (heard.empty()) return "";
  Points all = heard;
  all.push_back({0, static_cast<double>(now.needed)});
  if (now.enrolled) all.push_back({0, static_cast<double>(*now.enrolled)});
  ChartPanel panel(round_scale(now), count_scale(all), "devices heard", "round");
  Legend legend = {{"heard", kFirst}, {"needed", kThird}};
  level(panel, static_cast<double>(now.needed), kThird);
  if (now.enrolled) {
    level(panel, static_cast<double>(*now.enrolled), kSecond);
    legend.push_back({"enrolled now", kSecond});
  }
  panel.line(heard, {kFirst.css, kFirst.colour, 1.4, ""});
  dots(panel, heard, kFirst);
  return picture("devices heard by round, against those needed", panel, legend);
}

std::string check_ins_chart(const TaskStanding& now) {
  const auto if_shown = [](auto value) {
    return [value](const StandingRound& round) {
      return round.shows_check_ins() && round.counted->band ? static_cast<double>(value(*round.counted))
                                                            : kGap;
    };
  };
  using Counted = StandingRound::Counted;
  const Points low = by_round(now, if_shown([](const Counted& counted) { return counted.band->low; }));
  const Points high = by_round(now, if_shown([](const Counted& counted) { return counted.band->high; }));
  const Points counts = without_gaps(by_round(now, [](const StandingRound& round) {
    return round.shows_check_ins() ? static_cast<double>(round.counted->check_ins) : kGap;
  }));
  if (counts.empty()) return "";
  Points all = counts;
  for (const Points* more : {&low, &high}) all.insert(all.end(), more->begin(), more->end());
  all = without_gaps(all);
  ChartPanel panel(round_scale(now), count_scale(all), "check-ins", "round");
  panel.band(high, low, kSecond);
  panel.line(high, kSecond);
  panel.line(low, kSecond);
  dots(panel, counts, kFirst);
  return picture("check-ins by round, against the band of the declared rate", panel,
                 {{"check-ins", kFirst, true}, {"band of the declared rate", kSecond}});
}

}  // namespace muster::reporting

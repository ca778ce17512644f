#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/report_html.h"
#include "muster/reporting/run_figures.h"

namespace muster::reporting {
namespace {

using simulation::RunRecord;

constexpr PictureSize kSize{960, 320};
constexpr double kTop = 42, kBottom = 264;
constexpr double kLeft = 64, kMiddle = 450, kSecondLeft = 550, kRight = 936;

// More check-in counts than this number are drawn as a line, fewer as dots.
constexpr std::size_t kMaxDots = 150;

double last_step(const RunRecord& run) { return static_cast<double>(run.logged.back().step()); }

Scale step_scale(const RunRecord& run, double from, double to) {
  return Scale::linear(0, last_step(run), from, to);
}

// Returns a scale that includes `least` and every finite y of the points.
Scale value_scale(const std::vector<DataPoint>& points, double least, double from = kBottom,
                  double to = kTop) {
  double low = least, high = least;
  for (const DataPoint& point : points) {
    if (std::isfinite(point.y)) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  return Scale::around(low, high, from, to);
}

}  // namespace

std::string learning_chart(const RunRecord& run) {
  if (run.logged.empty()) {
    return "";
  }
  const auto accuracy = [&](std::size_t i) { return run.logged[i].accuracy; };
  const std::vector<DataPoint> by_step = points_over(run, accuracy);
  const auto by_accuracy = [](const DataPoint& a, const DataPoint& b) { return a.y < b.y; };
  const double least = std::ranges::min_element(by_step, by_accuracy)->y;
  const Scale y = value_scale(by_step, least);
  ChartPanel left(step_scale(run, kLeft, kMiddle), y, fmt::format("accuracy by {}", step_word(run.plan)),
                  step_word(run.plan));
  left.line(by_step, kFirst);
  left.dot(by_step.back(), fmt::format("{:.4f}", by_step.back().y), true, kFirst);

  std::vector<DataPoint> by_epsilon;
  for (const std::size_t i : drawn(run.logged.size())) {
    if (const double epsilon = run.logged[i].epsilon; std::isfinite(epsilon)) {
      by_epsilon.push_back({epsilon, run.logged[i].accuracy});
    }
  }
  std::string body = left.svg();
  if (by_epsilon.empty()) {
    return svg_picture(kSize, "accuracy", body, PictureFor::page);
  }
  const double most = std::max(by_epsilon.back().x, 1e-300);
  ChartPanel right(Scale::linear(0, most * 1.04, kSecondLeft, kRight), y, "accuracy by epsilon",
                   fmt::format("epsilon, proven, at delta {}", run.plan.delta().value()));
  right.line(by_epsilon, kFirst);
  right.dot(by_epsilon.back(), epsilon_text(by_epsilon.back().x), true, kFirst);
  return svg_picture(kSize, "accuracy by round and by epsilon", body + right.svg(), PictureFor::page);
}

std::string check_in_chart(const RunRecord& run, const WatchedRun& watched) {
  if (run.logged.empty()) {
    return "";
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<DataPoint> counts =
      points_over(run, [&](std::size_t i) { return static_cast<double>(run.logged[i].check_ins); });
  const auto end_of_band = [&](auto end) {
    return points_over(run, [&, end](std::size_t i) {
      return watched.bands[i] ? static_cast<double>(*watched.bands[i].*end) : none;
    });
  };
  const std::vector<DataPoint> high = end_of_band(&protocols::CountBand::high);
  const std::vector<DataPoint> low = end_of_band(&protocols::CountBand::low);
  std::vector<DataPoint> all = counts;
  all.insert(all.end(), high.begin(), high.end());
  all.insert(all.end(), low.begin(), low.end());
  ChartPanel panel(step_scale(run, kLeft + 8, kRight), value_scale(all, counts.front().y),
                   fmt::format("check-ins of the logged {}s", step_word(run.plan)), step_word(run.plan));
  const bool as_dots = counts.size() <= kMaxDots;
  std::vector<LegendEntry> legend = {{"check-ins", kFirst, as_dots}};
  const bool has_band = std::ranges::any_of(watched.bands, [](const auto& band) { return band.has_value(); });
  if (has_band) {
    panel.band(high, low, kSecond);
    panel.line(high, kSecond);
    panel.line(low, kSecond);
    legend.push_back({"band of the declared rate", kSecond});
  }
  if (as_dots) {
    for (const DataPoint& count : counts) {
      panel.dot(count, "", false, kFirst, counts.size() > 40 ? 2.5 : 3.5);
    }
  } else {
    panel.line(counts, {kFirst.css, kFirst.colour, 1.2, ""});
  }
  constexpr double kLegendLeft = 600, kLegendTop = 26;
  return svg_picture(kSize, "check-ins and the band of the declared rate",
                     legend_row(legend, {kLegendLeft, kLegendTop}) + panel.svg(), PictureFor::page);
}

std::string time_chart(const RunRecord& run) {
  if (run.logged.empty()) {
    return "";
  }
  std::vector<DataPoint> seconds = points_over(run, [&](std::size_t i) { return run.logged[i].seconds; });
  ChartPanel left(step_scale(run, kLeft, kMiddle), value_scale(seconds, 0),
                  fmt::format("seconds by {}", step_word(run.plan)), step_word(run.plan));
  left.line(seconds, kFirst);
  left.dot(seconds.back(), duration_text(seconds.back().y), true, kFirst);

  const auto messages_a_second = [&](std::size_t i) {
    const double messages =
        static_cast<double>(run.logged[i].messages - (i == 0 ? 0 : run.logged[i - 1].messages));
    const double spent = run.logged[i].seconds - (i == 0 ? 0 : run.logged[i - 1].seconds);
    return spent > 0 ? messages / spent : std::numeric_limits<double>::quiet_NaN();
  };
  const std::vector<DataPoint> rates = points_over(run, messages_a_second);
  ChartPanel right(step_scale(run, kSecondLeft, kRight), value_scale(rates, 0),
                   "messages a second, since the line before", step_word(run.plan));
  right.line(rates, kFirst);
  return svg_picture(kSize, "time", left.svg() + right.svg(), PictureFor::page);
}

}  // namespace muster::reporting

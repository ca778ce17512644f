// Draws panels with logarithmic axes: the bounds over the fixed quantity (delta or epsilon), and over rounds,
// side by side; or one wide panel, if there is only one curve. The true value lies in the band between the
// lower and the upper curve; a dot marks the values that were asked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/curve_text.h"
#include "muster/reporting/statement_text.h"

namespace muster::reporting {
namespace {

using accounting::CurvePoint;
using accounting::PrivacyCurves;

constexpr double kTop = 92, kBottom = 396, kPanelWidth = 384, kWideWidth = 864;
constexpr double kLabelWidth = 90;
constexpr std::array kLefts = {72.0, 552.0};

constexpr Stroke kUpper = kFirst, kLower = kSecond, kLocal = kThird;

struct Span {
  double low, high;  // the ends of the shown range; high is 0 if there is nothing to show
};

class Panel {
 public:
  Panel(const PrivacyCurves& curves, bool over_rounds, double left, double width)
      : width_(width),
        curves_(curves),
        points_(over_rounds ? curves.by_rounds : curves.by_fixed),
        over_rounds_(over_rounds),
        asks_epsilon_(curves.question.asks_epsilon()),
        chart_(x_scale(left), y_scale(), title(), at(), x_value(points_.front()) > 0) {}

  std::string draw() {
    const std::vector<DataPoint> upper = line(&CurvePoint::upper), lower = line(&CurvePoint::lower);
    chart_.band(upper, lower, kUpper);
    if (local_fits_) {
      chart_.line(line(&CurvePoint::local_upper), kLocal);
    } else {
      const Span local = span_of(&CurvePoint::local_upper);
      chart_.note(
          fmt::format("\u2191 {}: {} to {}", kLocalCase, rounded_up(local.low), rounded_up(local.high)),
          kLocal);
    }
    chart_.line(lower, kLower);
    chart_.line(upper, kUpper);
    mark_what_was_asked();
    return chart_.svg();
  }

 private:
  Span span_of(std::optional<double> CurvePoint::*side) const {
    Span span{std::numeric_limits<double>::infinity(), 0};
    for (const CurvePoint& point : points_) {
      if (const std::optional<double>& value = point.*side; value && *value > 0 && std::isfinite(*value)) {
        span = {std::min(span.low, *value), std::max(span.high, *value)};
      }
    }
    return span;
  }

  Scale x_scale(double left) const {
    Span shown{x_value(points_.front()), x_value(points_.back())};
    if (!(shown.low > 0)) {
      shown = {1, 1};  // a panel without ticks
    }
    if (shown.low == shown.high) {
      shown = {shown.low / 2, shown.high * 2};
    }
    return Scale::logarithmic(shown.low, shown.high, left, left + width_);
  }

  // Returns the scale of the y axis, and sets local_fits_. The curve for a colluding shuffler may lie far
  // above the others, and is drawn only if it does not compress them.
  Scale y_scale() {
    Span shown = span_of(&CurvePoint::upper);
    const Span lower = span_of(&CurvePoint::lower), local = span_of(&CurvePoint::local_upper);
    shown = {std::min(shown.low, lower.low), std::max(shown.high, lower.high)};
    if (shown.high == 0) {
      shown = local.high == 0 ? Span{1, 1} : local;
    }
    constexpr double kMaxDecades = 12;
    shown.low = std::max(shown.low, shown.high * std::pow(10.0, -kMaxDecades));
    const double decades = std::max(std::log10(shown.high / shown.low), 0.3);
    local_fits_ = local.high == 0 || std::log10(local.high / shown.high) <= 1.5 * decades;
    if (local_fits_) {
      shown.high = std::max(shown.high, local.high);
    }
    if (constexpr double kMinRatio = 5; shown.high < kMinRatio * shown.low) {
      const double wider = std::sqrt(kMinRatio * shown.low / shown.high);
      shown = {shown.low / wider, shown.high * wider};
    }
    const double margin = std::pow(shown.high / shown.low, 0.06) * 1.05;
    return Scale::logarithmic(shown.low / margin, shown.high * margin * (local_fits_ ? 1 : margin), kBottom,
                              kTop);
  }

  std::string at() const { return over_rounds_ ? "rounds" : asks_epsilon_ ? "delta" : "epsilon"; }

  std::string title() const {
    const char* quantity = asks_epsilon_ ? "epsilon" : "delta";
    return over_rounds_
               ? fmt::format("{} over rounds, at {} {}", quantity, asks_epsilon_ ? "delta" : "epsilon",
                             curves_.question.fixed())
               : fmt::format("{} over {}, after {}", quantity, at(), count_text(curves_.rounds, "round"));
  }

  double x_value(const CurvePoint& point) const {
    return over_rounds_ ? static_cast<double>(point.rounds) : point.fixed;
  }

  // Returns the x at which a point is drawn. An epsilon of 0 has no place on a logarithmic axis; here it can
  // only be the sole point, which is drawn in the middle.
  double x_shown(const CurvePoint& point) const {
    return x_value(point) > 0 ? x_value(point) : std::sqrt(chart_.x().low() * chart_.x().high());
  }

  double y_shown(std::optional<double> value) const {
    return value && *value > 0 && std::isfinite(*value) ? std::max(*value, chart_.y().low())
                                                        : std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<DataPoint> line(std::optional<double> CurvePoint::*side) const {
    std::vector<DataPoint> curve;
    for (const CurvePoint& point : points_) {
      curve.push_back({x_shown(point), y_shown(point.*side)});
    }
    // Of the points at the bottom, only those next to a visible point stay, so that lines end at the bottom.
    const auto on_floor = [&](std::size_t i) {
      return i >= curve.size() || !(curve[i].y > chart_.y().low());
    };
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (on_floor(i) && on_floor(i - 1) && on_floor(i + 1)) {
        hidden.push_back(i);
      }
    }
    for (const std::size_t i : hidden) {
      curve[i].y = std::numeric_limits<double>::quiet_NaN();
    }
    return curve;
  }

  void mark_what_was_asked() {
    for (const CurvePoint& point : points_) {
      if (point.rounds == curves_.rounds && point.fixed == curves_.question.fixed() && point.upper &&
          *point.upper > 0) {
        const DataPoint asked{x_shown(point), y_shown(point.upper)};
        // The label stands above the dot, on the side where the curve does not touch it. The curve falls over
        // delta and over epsilon, and rises over rounds.
        const Scale& x = chart_.x();
        const bool leftward =
            over_rounds_ ? x.at(asked.x) > x.from() + kLabelWidth : x.at(asked.x) > x.to() - kLabelWidth;
        chart_.dot(asked, rounded_up(*point.upper), leftward, kUpper);
        return;
      }
    }
  }

  double width_;
  const PrivacyCurves& curves_;
  const std::vector<CurvePoint>& points_;
  bool over_rounds_;
  bool asks_epsilon_;
  bool local_fits_ = true;
  ChartPanel chart_;
};

// Removes points at epsilon 0, which have no place on a logarithmic axis, unless the curve has only one
// point.
PrivacyCurves shown(PrivacyCurves curves) {
  if (curves.by_fixed.size() > 1) {
    std::erase_if(curves.by_fixed, [](const CurvePoint& point) { return !(point.fixed > 0); });
  }
  return curves;
}

}  // namespace

std::string curve_svg(const PrivacyCurves& curves, const std::string& heading) {
  constexpr PictureSize kSize{960, 460};
  const PrivacyCurves visible = shown(curves);
  const std::string legend = legend_row({{fmt::format("upper: {}", guarantee(visible)), kUpper},
                                         {"lower: some data set reaches it", kLower},
                                         {kLocalCase, kLocal}},
                                        {kLefts[0], 47});
  std::string panels;
  if (visible.by_fixed.empty() || visible.by_rounds.empty()) {
    panels = Panel(visible, visible.by_fixed.empty(), kLefts[0], kWideWidth).draw();
  } else {
    panels = Panel(visible, false, kLefts[0], kPanelWidth).draw() +
             Panel(visible, true, kLefts[1], kPanelWidth).draw();
  }
  return svg_picture(kSize, heading, legend + panels);
}

}  // namespace muster::reporting

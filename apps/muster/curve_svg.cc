// Two panels side by side, logarithmic on all axes: over the fixed quantity, and over rounds. The band
// between the lower and the upper curve is what is not known; a dot marks what was asked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "curve_text.h"
#include "statement_text.h"

namespace muster::app {
namespace {

using accounting::CurvePoint;
using accounting::PrivacyCurves;
using accounting::Question;

constexpr double kWidth = 960, kHeight = 460;
constexpr double kTop = 92, kBottom = 396, kPanelWidth = 384;
constexpr double kLabelWidth = 90;
constexpr std::array kLefts = {72.0, 552.0};

constexpr const char* kInk = "#1f2933";
constexpr const char* kFaint = "#e4e7eb";
constexpr const char* kMuted = "#616e7c";
constexpr const char* kUpper = "#0b5fa5";
constexpr const char* kLower = "#2f9e6e";
constexpr const char* kLocal = "#c2571a";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// A logarithmic axis from `low` to `high`, drawn from pixel `from` to pixel `to`.
struct Axis {
  double low, high, from, to;

  double at(double value) const { return from + (to - from) * std::log(value / low) / std::log(high / low); }
};

// "1e-5", "0.01", "1000": as a person writes a tick.
std::string tick_text(double value) {
  if (value >= 0.0099 && value < 99'999) {
    return fmt::format("{:.4g}", value);
  }
  const double decade = std::floor(std::log10(value) + 1e-9);
  return fmt::format("{:.0f}e{:.0f}", value / std::pow(10.0, decade), decade);
}

// Decades, every other one when crowded; 1, 2 and 5 of each when there are few.
std::vector<double> ticks(const Axis& axis, std::size_t most) {
  for (const std::vector<double>& steps : {std::vector<double>{1, 2, 5}, std::vector<double>{1}}) {
    for (int stride = 1; stride <= (steps.size() > 1 ? 1 : 1000); ++stride) {
      std::vector<double> found;
      const int first = static_cast<int>(std::floor(std::log10(axis.low)));
      for (int decade = first; decade <= std::log10(axis.high) + 1e-9; ++decade) {
        for (const double step : steps) {
          const double value = step * std::pow(10.0, decade);
          if (decade % stride == 0 && value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9)) {
            found.push_back(value);
          }
        }
      }
      if (found.size() <= most && (found.size() >= 2 || steps.size() == 1)) {
        return found;
      }
    }
  }
  return {};
}

struct Curve {
  std::vector<std::pair<double, double>> points;  // pixels; a gap is not a number
  std::string path() const {
    std::string text;
    bool pen = false;
    for (const auto& [x, y] : points) {
      if (std::isfinite(y)) {
        text += fmt::format("{}{:.1f},{:.1f} ", pen ? "L" : "M", x, y);
        pen = true;
      } else {
        pen = false;
      }
    }
    return text;
  }
};

class Panel {
 public:
  Panel(const PrivacyCurves& curves, bool over_rounds, double left)
      : curves_(curves),
        points_(over_rounds ? curves.by_rounds : curves.by_fixed),
        over_rounds_(over_rounds),
        asks_epsilon_(curves.question.kind == Question::Kind::epsilon_at_delta) {
    Range shown = range_of(&CurvePoint::upper);
    const Range lower = range_of(&CurvePoint::lower);
    shown = {std::min(shown.low, lower.low), std::max(shown.high, lower.high)};
    const Range local = range_of(&CurvePoint::local);
    if (shown.high == 0) {
      shown = local.high == 0 ? Range{1, 1} : local;
    }
    constexpr double kMostDecades = 12;
    shown.low = std::max(shown.low, shown.high * std::pow(10.0, -kMostDecades));
    // The local curve may lie far above: it is drawn where it does not squeeze the others.
    const double decades = std::max(std::log10(shown.high / shown.low), 0.3);
    local_fits_ = local.high == 0 || std::log10(local.high / shown.high) <= 1.5 * decades;
    if (local_fits_) {
      shown.high = std::max(shown.high, local.high);
    } else {
      local_ = local;
    }
    x_ = {x_value(points_.front()), x_value(points_.back()), left, left + kPanelWidth};
    if (!(x_.low > 0)) {
      x_.low = x_.high = 1;  // no ticks: grid()
    }
    if (x_.low == x_.high) {
      x_.low /= 2;
      x_.high *= 2;
    }
    if (constexpr double kLeast = 5; shown.high < kLeast * shown.low) {
      const double wider = std::sqrt(kLeast * shown.low / shown.high);
      shown = {shown.low / wider, shown.high * wider};
    }
    const double margin = std::pow(shown.high / shown.low, 0.06) * 1.05;
    y_ = {shown.low / margin, shown.high * margin * (local_fits_ ? 1 : margin), kBottom, kTop};
  }

  std::string draw() const {
    const Curve upper = line(&CurvePoint::upper), lower = line(&CurvePoint::lower),
                local = line(&CurvePoint::local);
    std::string svg = grid();
    svg += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.12\"/>\n", band(upper, lower), kUpper);
    if (local_fits_) {
      svg += stroke(local, kLocal, 1.6, "2 4");
    } else {
      svg += text(x_.to, kTop + 14, "end",
                  fmt::format("\u2191 if the shuffler colludes: {} to {}", rounded_up(local_.low),
                              rounded_up(local_.high)),
                  fmt::format(" fill=\"{}\"", kLocal));
    }
    svg += stroke(lower, kLower, 2, "7 4") + stroke(upper, kUpper, 2.6, "");
    return svg + asked();
  }

 private:
  struct Range {
    double low, high;  // high = 0: nothing to show
  };

  Range range_of(std::optional<double> CurvePoint::*side) const {
    Range range{std::numeric_limits<double>::infinity(), 0};
    for (const CurvePoint& point : points_) {
      if (const std::optional<double>& value = point.*side; value && *value > 0 && std::isfinite(*value)) {
        range = {std::min(range.low, *value), std::max(range.high, *value)};
      }
    }
    return range;
  }

  double x_value(const CurvePoint& point) const {
    return over_rounds_ ? static_cast<double>(point.rounds) : point.fixed;
  }

  // Epsilon 0 has no place on a logarithmic axis: alone, it stands in the middle.
  double x_pixel(const CurvePoint& point) const {
    return x_value(point) > 0 ? x_.at(x_value(point)) : (x_.from + x_.to) / 2;
  }

  double y_pixel(std::optional<double> value) const {
    return value && *value > 0 && std::isfinite(*value) ? std::min(y_.at(*value), kBottom)
                                                        : std::numeric_limits<double>::quiet_NaN();
  }

  Curve line(std::optional<double> CurvePoint::*side) const {
    Curve curve;
    for (const CurvePoint& point : points_) {
      curve.points.emplace_back(x_pixel(point), y_pixel(point.*side));
    }
    // Of points below the floor, those that end a line on it stay.
    const auto on_floor = [&curve](std::size_t i) {
      return i >= curve.points.size() || !(curve.points[i].second < kBottom);
    };
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      if (on_floor(i) && on_floor(i - 1) && on_floor(i + 1)) {
        hidden.push_back(i);
      }
    }
    for (const std::size_t i : hidden) {
      curve.points[i].second = std::numeric_limits<double>::quiet_NaN();
    }
    return curve;
  }

  // Along the upper curve and back along the lower, which sinks to the floor where it is 0.
  static std::string band(const Curve& upper, const Curve& lower) {
    Curve outline;
    for (const auto& [x, y] : upper.points) {
      if (std::isfinite(y)) {
        outline.points.emplace_back(x, y);
      }
    }
    for (std::size_t i = lower.points.size(); i-- > 0;) {
      if (std::isfinite(upper.points[i].second)) {
        const auto& [x, y] = lower.points[i];
        outline.points.emplace_back(x, std::isfinite(y) ? y : kBottom);
      }
    }
    return outline.points.empty() ? "" : outline.path() + "Z";
  }

  static std::string stroke(const Curve& curve, const char* colour, double width, const char* dashes) {
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>\n",
        curve.path(), colour, width, *dashes ? fmt::format(" stroke-dasharray=\"{}\"", dashes) : "");
  }

  static std::string text(double x, double y, const char* anchor, const std::string& words,
                          const std::string& more = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                       escaped(words));
  }

  std::string grid() const {
    std::string svg;
    const auto rule = [&svg](double x1, double y1, double x2, double y2, const char* colour) {
      svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                         x1, y1, x2, y2, colour);
    };
    for (const double value : x_value(points_.front()) > 0 ? ticks(x_, 8) : std::vector<double>{}) {
      rule(x_.at(value), kTop, x_.at(value), kBottom, kFaint);
      svg += text(x_.at(value), kBottom + 18, "middle", tick_text(value));
    }
    for (const double value : ticks(y_, 9)) {
      rule(x_.from, y_.at(value), x_.to, y_.at(value), kFaint);
      svg += text(x_.from - 8, y_.at(value) + 4, "end", tick_text(value));
    }
    rule(x_.from, kBottom, x_.to, kBottom, kMuted);
    rule(x_.from, kTop, x_.from, kBottom, kMuted);
    const std::string at = over_rounds_ ? "rounds" : asks_epsilon_ ? "delta" : "epsilon";
    const std::string quantity = asks_epsilon_ ? "epsilon" : "delta";
    const std::string title = over_rounds_
                                  ? fmt::format("{} over rounds, at {} {:.6g}", quantity,
                                                asks_epsilon_ ? "delta" : "epsilon", curves_.question.fixed)
                                  : fmt::format("{} over {}, after {} round{}", quantity, at, curves_.rounds,
                                                curves_.rounds == 1 ? "" : "s");
    svg += text(x_.from, kTop - 12, "start", title,
                fmt::format(" font-size=\"14\" font-weight=\"600\" fill=\"{}\"", kInk));
    return svg + text((x_.from + x_.to) / 2, kBottom + 38, "middle", at);
  }

  std::string asked() const {
    for (const CurvePoint& point : points_) {
      if (point.rounds == curves_.rounds && point.fixed == curves_.question.fixed && point.upper &&
          *point.upper > 0) {
        const double x = x_pixel(point), y = y_pixel(point.upper);
        // Above the curve and clear of it: it falls over delta and over epsilon, and rises over rounds.
        const bool leftward = over_rounds_ ? x > x_.from + kLabelWidth : x > x_.to - kLabelWidth;
        return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\"/>\n", x, y, kUpper) +
               text(x + (leftward ? -9 : 9), y - 9, leftward ? "end" : "start", rounded_up(*point.upper),
                    fmt::format(" font-size=\"13\" font-weight=\"600\" fill=\"{}\"", kUpper));
      }
    }
    return "";
  }

  const PrivacyCurves& curves_;
  const std::vector<CurvePoint>& points_;
  bool over_rounds_;
  bool asks_epsilon_;
  bool local_fits_ = true;
  Range local_{};
  Axis x_{};
  Axis y_{};
};

std::string legend() {
  struct Entry {
    const char* words;
    const char* colour;
    double width;
    const char* dashes;
  };
  std::string svg;
  double x = kLefts[0];
  for (const Entry& entry :
       {Entry{"upper, proven", kUpper, 2.6, ""}, Entry{"lower: some data set reaches it", kLower, 2, "7 4"},
        Entry{"if the shuffler colludes", kLocal, 1.6, "2 4"}}) {
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"47\" x2=\"{1:.1f}\" y2=\"47\" stroke=\"{2}\" stroke-width=\"{3}\"{4}/>\n"
        "<text x=\"{5:.1f}\" y=\"51\">{6}</text>\n",
        x, x + 30, entry.colour, entry.width,
        *entry.dashes ? fmt::format(" stroke-dasharray=\"{}\"", entry.dashes) : "", x + 38, entry.words);
    x += 74 + 6.3 * static_cast<double>(std::string_view(entry.words).size());
  }
  return svg;
}

}  // namespace

std::string curve_svg(const PrivacyCurves& curves, const std::string& heading) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" "
      "font-size=\"12\" fill=\"{2}\">\n<title>{3}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{4}\" y=\"26\" font-size=\"13\" fill=\"{5}\">{3}</text>\n",
      kWidth, kHeight, kMuted, escaped(heading), kLefts[0], kInk);
  svg += legend();
  svg += Panel(curves, false, kLefts[0]).draw();
  svg += Panel(curves, true, kLefts[1]).draw();
  return svg + "</svg>\n";
}

}  // namespace muster::app

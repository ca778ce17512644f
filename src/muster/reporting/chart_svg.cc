#include "muster/reporting/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/utf8.h"

namespace muster::reporting {
namespace {

constexpr const char* kFaint = "#e4e7eb";
constexpr const char* kMuted = "#616e7c";
constexpr const char* kPaper = "#ffffff";
constexpr double kHeadingLeft = 72;
constexpr double kNearly = 1e-9;  // relative error up to which a value counts as exact

std::string text_at(double x, double y, const char* anchor, const std::string& words,
                    const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(words));
}

std::string rule(double x1, double y1, double x2, double y2, const char* css, const char* colour) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", css, x1,
      y1, x2, y2, colour);
}

std::string stroked(const Stroke& stroke) {
  return fmt::format("class=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}", stroke.css, stroke.colour,
                     stroke.width,
                     *stroke.dashes ? fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes) : "");
}

// Returns the powers of ten in the range and, if that makes at most `most` ticks, also 2 and 5 times each
// power. If the powers alone are too many, only exponents that are multiples of a stride are kept.
std::vector<double> logarithmic_ticks(double low, double high, std::size_t most) {
  for (const std::vector<double>& steps : {std::vector<double>{1, 2, 5}, std::vector<double>{1}}) {
    for (int stride = 1; stride <= (steps.size() > 1 ? 1 : 1000); ++stride) {
      std::vector<double> found;
      const int first = static_cast<int>(std::floor(std::log10(low)));
      for (int decade = first; decade <= std::log10(high) + 1e-9; ++decade) {
        for (const double step : steps) {
          const double value = step * std::pow(10.0, decade);
          if (decade % stride == 0 && value >= low * (1 - kNearly) && value <= high * (1 + kNearly)) {
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

// Returns the smallest number of the form 1, 2 or 5 times a power of ten that divides a range of this length
// into at most `most` - 1 steps.
double round_step(double range, std::size_t most) {
  const double least = range / static_cast<double>(most - 1);
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * decade >= least * (1 - kNearly)) {
      return step * decade;
    }
  }
  return 10 * decade;
}

std::vector<double> linear_ticks(double low, double high, std::size_t most, double min_step) {
  const double step = std::max(min_step, round_step(high - low, most));
  const double first = std::ceil(low / step - 1e-9);
  std::vector<double> found;
  // The loop counts the ticks, because adding the step to a number that is far larger would not change it,
  // and the loop would not end.
  for (std::size_t i = 0; i < most && (first + static_cast<double>(i)) * step <= high + 1e-9 * step; ++i) {
    found.push_back((first + static_cast<double>(i)) * step);
  }
  return found;
}

}  // namespace

Scale Scale::linear(double low, double high, double from, double to) { return {false, low, high, from, to}; }
Scale Scale::whole_numbers(double low, double high, double from, double to) {
  Scale scale = linear(low, high, from, to);
  scale.min_step_ = 1;
  return scale;
}
Scale Scale::logarithmic(double low, double high, double from, double to) {
  return {true, low, high, from, to};
}

Scale Scale::around(double low, double high, double from, double to) {
  // Means of equal values may differ by rounding errors, and such a range is too small to show.
  if (!(high - low > kNearly * std::max(std::fabs(low), std::fabs(high)))) {
    const double width = low == 0 ? 1 : std::fabs(low) / 10;
    low -= width;
    high = low + 2 * width;
  }
  constexpr std::size_t kSteps = 6;
  const double step = round_step(high - low, kSteps);
  return linear(std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, from, to);
}

double Scale::at(double value) const {
  const double part =
      logarithmic_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return from_ + (to_ - from_) * part;
}

std::vector<double> Scale::ticks(std::size_t most) const {
  return logarithmic_ ? logarithmic_ticks(low_, high_, most) : linear_ticks(low_, high_, most, min_step_);
}

std::string Scale::tick_text(double value) const {
  if (!logarithmic_) {
    // Steps are far larger than a millionth of the range, so a smaller tick value is 0 up to rounding.
    const double cleaned = std::fabs(value) < 1e-6 * (high_ - low_) ? 0 : value;
    if (std::fabs(value) >= 1e6) {
      return fmt::format("{:.6g} M", value / 1e6);
    }
    return fmt::format("{:.6g}", cleaned);
  }
  if (value >= 0.0099 && value < 99'999) {
    return fmt::format("{:.5g}", value);
  }
  const double decade = std::floor(std::log10(value) + 1e-9);
  return fmt::format("{:.0f}e{:.0f}", value / std::pow(10.0, decade), decade);
}

ChartPanel::ChartPanel(Scale x, Scale y, const std::string& title, const std::string& x_title, bool ticks_x)
    : x_(x), y_(y) {
  const double left = x_.from(), right = x_.to(), bottom = y_.from(), top = y_.to();
  constexpr double kPixelsATick = 48;
  const auto most = [](double pixels) {
    return static_cast<std::size_t>(std::max(3.0, pixels / kPixelsATick));
  };
  for (const double value : ticks_x ? x_.ticks(most(right - left)) : std::vector<double>{}) {
    grid_ += rule(x_.at(value), top, x_.at(value), bottom, "grid", kFaint);
    grid_ += text_at(x_.at(value), bottom + 18, "middle", x_.tick_text(value));
  }
  for (const double value : y_.ticks(most(1.45 * (bottom - top)))) {
    grid_ += rule(left, y_.at(value), right, y_.at(value), "grid", kFaint);
    grid_ += text_at(left - 8, y_.at(value) + 4, "end", y_.tick_text(value));
  }
  grid_ += rule(left, bottom, right, bottom, "axis", kMuted) + rule(left, top, left, bottom, "axis", kMuted);
  grid_ += text_at(left, top - 12, "start", title,
                   fmt::format(" class=\"ink\" font-size=\"14\" font-weight=\"600\" fill=\"{}\"", kInk));
  grid_ += text_at((left + right) / 2, bottom + 38, "middle", x_title);
}

std::string ChartPanel::path(const std::vector<DataPoint>& points) const {
  std::string text;
  bool pen = false;
  for (const auto& [x, y] : points) {
    if (std::isfinite(y)) {
      text += fmt::format("{}{:.1f},{:.1f} ", pen ? "L" : "M", x_.at(x), y_.at(y));
    }
    pen = std::isfinite(y);
  }
  return text;
}

void ChartPanel::line(const std::vector<DataPoint>& points, const Stroke& stroke) {
  marks_ += fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-linejoin=\"round\"/>\n", path(points),
                        stroked(stroke));
  const auto drawn = [](const DataPoint& point) { return std::isfinite(point.y); };
  if (std::ranges::count_if(points, drawn) == 1) {
    dot(*std::ranges::find_if(points, drawn), "", false, stroke, 3);
  }
}

void ChartPanel::band(const std::vector<DataPoint>& upper, const std::vector<DataPoint>& lower,
                      const Stroke& stroke) {
  std::string areas;
  for (std::size_t begin = 0, end = 0; begin < upper.size(); begin = end + 1) {
    // The points from `begin` up to the next gap, at `end`, make one closed outline.
    for (end = begin; end < upper.size() && std::isfinite(upper[end].y);) ++end;
    std::vector<DataPoint> outline(upper.begin() + static_cast<std::ptrdiff_t>(begin),
                                   upper.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = end; i-- > begin;) {
      outline.push_back({lower[i].x, std::isfinite(lower[i].y) ? lower[i].y : y_.low()});
    }
    if (!outline.empty()) areas += path(outline) + "Z";
  }
  marks_ += fmt::format("<path class=\"{}-area\" d=\"{}\" fill=\"{}\" fill-opacity=\"0.12\"/>\n", stroke.css,
                        areas, stroke.colour);
}

void ChartPanel::dot(DataPoint at, const std::string& label, bool leftward, const Stroke& stroke,
                     double radius) {
  const double x = x_.at(at.x), y = y_.at(at.y);
  marks_ += fmt::format("<circle class=\"{}-dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n",
                        stroke.css, x, y, radius, stroke.colour);
  if (!label.empty()) {
    marks_ += text_at(x + (leftward ? -9 : 9), y - 9, leftward ? "end" : "start", label,
                      fmt::format(" class=\"{}-dot\" font-size=\"13\" font-weight=\"600\" fill=\"{}\"",
                                  stroke.css, stroke.colour));
  }
}

void ChartPanel::mark(DataPoint at, MarkShape shape, const Stroke& stroke, double radius) {
  marks_ += mark_svg({x_.at(at.x), y_.at(at.y)}, shape, stroke, radius);
}

void ChartPanel::whisker(double x, double low, double high, const Stroke& stroke) {
  constexpr double kHalf = 4;
  const double at = x_.at(x), top = y_.at(high), bottom = y_.at(low);
  marks_ += fmt::format(
      "<path d=\"M{0:.1f},{2:.1f} L{0:.1f},{3:.1f} M{1:.1f},{2:.1f} L{4:.1f},{2:.1f} "
      "M{1:.1f},{3:.1f} L{4:.1f},{3:.1f}\" fill=\"none\" {5}/>\n",
      at, at - kHalf, bottom, top, at + kHalf, stroked({stroke.css, stroke.colour, 1.5, ""}));
}

void ChartPanel::note(const std::string& words, const Stroke& stroke) {
  marks_ += text_at(x_.to(), y_.to() + 14, "end", words,
                    fmt::format(" class=\"{}-dot\" fill=\"{}\"", stroke.css, stroke.colour));
}

std::string mark_svg(DataPoint pixel, MarkShape shape, const Stroke& stroke, double radius) {
  constexpr double kTriangle = 1.25, kDiamond = 1.3, kSquare = 0.9;  // make the shapes look equally large
  const bool open = shape >= MarkShape::ring;
  const double x = pixel.x, y = pixel.y;
  const std::string ink = fmt::format("class=\"{0}{1}\" fill=\"{2}\" stroke=\"{3}\" stroke-width=\"1.8\"",
                                      stroke.css, open ? " open" : fmt::format(" {}-dot", stroke.css),
                                      open ? kPaper : stroke.colour, stroke.colour);
  const auto outline = [&](const std::vector<DataPoint>& corners) {
    std::string path;
    for (const DataPoint& corner : corners) {
      path += fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", x + corner.x, y + corner.y);
    }
    return fmt::format("<path d=\"{}Z\" {}/>\n", path, ink);
  };
  switch (shape) {
    case MarkShape::square:
    case MarkShape::open_square: {
      const double r = kSquare * radius;
      return outline({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
    }
    case MarkShape::triangle:
    case MarkShape::open_triangle: {
      const double r = kTriangle * radius;
      return outline({{0, -r}, {0.87 * r, 0.6 * r}, {-0.87 * r, 0.6 * r}});
    }
    case MarkShape::diamond:
    case MarkShape::open_diamond: {
      const double r = kDiamond * radius;
      return outline({{0, -r}, {r, 0}, {0, r}, {-r, 0}});
    }
    case MarkShape::disc:
    case MarkShape::ring:
      break;
  }
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", x, y, radius, ink);
}

std::string legend_row(const std::vector<LegendEntry>& entries, DataPoint from) {
  std::string svg;
  double x = from.x;
  for (const auto& [words, stroke, dots] : entries) {
    if (dots) {
      svg += mark_svg({x + 15, from.y}, MarkShape::disc, stroke, 4.5);
    } else {
      svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\" {}/>\n", x, from.y, x + 30,
                         from.y, stroked(stroke));
    }
    svg += text_at(x + 38, from.y + 4, "start", words);
    x += 74 + 6.3 * static_cast<double>(words.size());
  }
  return svg;
}

std::string svg_picture(PictureSize size, const std::string& heading, const std::string& body,
                        PictureFor use) {
  const bool file = use == PictureFor::file;
  std::string svg = fmt::format(
      "<svg{4} width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" "
      "font-size=\"12\" fill=\"{2}\">\n<title>{3}</title>\n",
      size.width, size.height, kMuted, escaped(heading), file ? " xmlns=\"http://www.w3.org/2000/svg\"" : "");
  if (file) {
    svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", size.width, size.height, kPaper);
    svg += text_at(kHeadingLeft, 26, "start", heading,
                   fmt::format(" class=\"ink\" font-size=\"13\" fill=\"{}\"", kInk));
  }
  return svg + body + "</svg>\n";
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else if (length > 0 || c == '\n' || c == '\t') {
      result += text.substr(0, std::max<std::size_t>(1, length));
    } else {
      result += "\xef\xbf\xbd";
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return result;
}

}  // namespace muster::reporting

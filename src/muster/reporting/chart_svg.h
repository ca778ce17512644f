// Charts as SVG text: panels with a scale on each side, and lines, bands, dots
// and whiskers in the units of the data.
//
// One picture is one <svg> element that needs nothing from outside. Every shape carries its colours as
// attributes and a class besides, so that it stands alone as a file, and a page that includes it can restyle
// it for a dark screen (report_html.cc). Coordinates are written to a tenth of a pixel.
//
// Example:
//     ChartPanel panel(Scale::linear(0, 700, 72, 456), Scale::linear(0, 1, 396, 92),
//                      "accuracy by round", "round");
//     panel.line({{70, 0.37}, {140, 0.70}}, kFirst);
//     svg_picture({960, 460}, "a run", legend_row({{"test set", kFirst}}, {72, 47}) + panel.svg());
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster::app {

// How a line or a mark is drawn: the class restyles it, the rest is for a picture on its own.
struct Stroke {
  const char* css;
  const char* colour;
  double width;
  const char* dashes;  // "" for a solid line
};
inline constexpr Stroke kFirst{"c1", "#0b5fa5", 2.6, ""};
inline constexpr Stroke kSecond{"c2", "#2f9e6e", 2, "7 4"};
inline constexpr Stroke kThird{"c3", "#c2571a", 1.6, "2 4"};

struct DataPoint {
  double x, y;  // a y that is not finite is a gap in a line
};

// From a quantity to pixels; `from` is the pixel of `low`, `to` that of `high`. A logarithmic scale has
// 0 < low < high, a linear one low < high.
class Scale {
 public:
  static Scale linear(double low, double high, double from, double to);
  static Scale logarithmic(double low, double high, double from, double to);
  // A linear scale that begins and ends on round numbers around the values.
  static Scale around(double low, double high, double from, double to);

  double at(double value) const;
  std::vector<double> ticks(std::size_t most) const;
  std::string tick_text(double value) const;  // as a person writes it: "1e-5", "0.01", "200"
  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  Scale(bool logarithmic, double low, double high, double from, double to)
      : logarithmic_(logarithmic), low_(low), high_(high), from_(from), to_(to) {}
  bool logarithmic_;
  double low_, high_, from_, to_;
};

class ChartPanel {
 public:
  // `ticks_x` false: no grid along x.
  ChartPanel(Scale x, Scale y, const std::string& title, const std::string& x_title, bool ticks_x = true);

  void line(const std::vector<DataPoint>& points, const Stroke& stroke);
  // The area between two lines: gaps of `upper` are left out, gaps of `lower` sink to the floor.
  void band(const std::vector<DataPoint>& upper, const std::vector<DataPoint>& lower, const Stroke& stroke);
  // A dot with a label beside it, above and to its right, or to its left; no label when empty.
  void dot(DataPoint at, const std::string& label, bool leftward, const Stroke& stroke, double radius = 4.5);
  void whisker(double x, double low, double high, const Stroke& stroke);
  // A line of words under the top edge, at its right end.
  void note(const std::string& words, const Stroke& stroke);

  const Scale& x() const { return x_; }
  const Scale& y() const { return y_; }
  std::string svg() const { return grid_ + marks_; }

 private:
  std::string path(const std::vector<DataPoint>& points) const;

  Scale x_, y_;
  std::string grid_;
  std::string marks_;
};

// What each stroke stands for, left to right from a pixel.
std::string legend_row(const std::vector<std::pair<std::string, Stroke>>& entries, DataPoint from);

struct PictureSize {
  double width, height;
};
enum class PictureFor { file, page };
// The element, with `heading` as its title for readers that cannot see. In a file it is written above the
// panels as well, and the namespace is named; a page has both already.
std::string svg_picture(PictureSize size, const std::string& heading, const std::string& body,
                        PictureFor use = PictureFor::file);

// Text as it stands between tags or in quotes of XML and HTML; control characters become U+FFFD.
std::string escaped(const std::string& text);

}  // namespace muster::app

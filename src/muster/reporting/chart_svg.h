// Draws charts as SVG text. A panel has two scales, and takes lines, bands, dots and whiskers in the units of
// the data.
//
// A picture is one <svg> element that needs no other files. Every shape has its colours as attributes, so
// that the picture works as a file of its own. Every shape also has a class, so that a page that includes the
// picture can restyle it for dark mode (report_html.cc). Coordinates are written to a tenth of a pixel.
//
// Example:
//     ChartPanel panel(Scale::linear(0, 700, 72, 456), Scale::linear(0, 1, 396, 92),
//                      "accuracy by round", "round");
//     panel.line({{70, 0.37}, {140, 0.70}}, kFirst);
//     svg_picture({960, 460}, "a run", legend_row({{"test set", kFirst}}, {72, 47}) + panel.svg());
//
// A Scale is immutable, a ChartPanel belongs to one thread, and the functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::reporting {

// How a line or a mark is drawn. `css` is the class by which a page may give it another colour.
struct Stroke {
  const char* css;
  const char* colour;
  double width;
  const char* dashes;  // "" for a solid line
};
inline constexpr Stroke kFirst{"c1", "#0b5fa5", 2.6, ""};
inline constexpr Stroke kSecond{"c2", "#2f9e6e", 2, "7 4"};
inline constexpr Stroke kThird{"c3", "#c2571a", 1.6, "2 4"};

inline constexpr const char* kInk = "#1f2933";  // the colour of titles and names, with the class "ink"

// The shape of a mark. Shapes tell lines apart for readers who cannot tell their colours apart. The shapes
// from `ring` on are outlines.
enum class MarkShape { disc, square, triangle, diamond, ring, open_square, open_triangle, open_diamond };
inline constexpr std::size_t kMarkShapes = 8;

struct DataPoint {
  double x, y;  // a y that is not finite makes a gap in a line
};

// Maps a quantity to pixels: the value `low` is at the pixel `from`, and `high` at the pixel `to`. A
// logarithmic scale needs 0 < low < high, a linear one low < high.
class Scale {
 public:
  static Scale linear(double low, double high, double from, double to);
  // A linear scale of a count, whose ticks are whole numbers.
  static Scale whole_numbers(double low, double high, double from, double to);
  static Scale logarithmic(double low, double high, double from, double to);
  // A linear scale that covers low .. high, which may be equal, and begins and ends at round numbers.
  static Scale around(double low, double high, double from, double to);

  double at(double value) const;
  // Returns at most `most` round values in the scale's range, ascending; `most` must be at least 2.
  std::vector<double> ticks(std::size_t most) const;
  std::string tick_text(double value) const;  // in short notation: "1e-5", "0.01", "200"
  double low() const { return low_; }
  double high() const { return high_; }
  double from() const { return from_; }
  double to() const { return to_; }

 private:
  Scale(bool logarithmic, double low, double high, double from, double to)
      : logarithmic_(logarithmic), low_(low), high_(high), from_(from), to_(to) {}
  bool logarithmic_;
  double low_, high_, from_, to_;
  double min_step_ = 0;  // the least distance between ticks
};

class ChartPanel {
 public:
  // If `ticks_x` is false, the x axis has neither ticks nor grid lines.
  ChartPanel(Scale x, Scale y, const std::string& title, const std::string& x_title, bool ticks_x = true);

  // A line of a single point is a dot.
  void line(const std::vector<DataPoint>& points, const Stroke& stroke);
  // Fills the area between two lines whose points have the same x. Where `upper` has a gap, the area has one,
  // too. Where only `lower` has a gap, the area reaches down to the bottom.
  void band(const std::vector<DataPoint>& upper, const std::vector<DataPoint>& lower, const Stroke& stroke);
  // Draws a dot with a label, which is above the dot and to its right or, if `leftward`, to its left. An
  // empty label is omitted.
  void dot(DataPoint at, const std::string& label, bool leftward, const Stroke& stroke, double radius = 4.5);
  void mark(DataPoint at, MarkShape shape, const Stroke& stroke, double radius = 4.5);
  void whisker(double x, double low, double high, const Stroke& stroke);
  // Writes a line of text below the top edge, aligned to the right.
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

// Returns a mark whose middle is at a pixel.
std::string mark_svg(DataPoint pixel, MarkShape shape, const Stroke& stroke, double radius);

// What a stroke stands for, and whether it draws single dots instead of a line.
struct LegendEntry {
  std::string words;
  Stroke stroke;
  bool dots = false;
};

// Returns a legend that lists its entries from left to right and starts at the pixel `from`.
std::string legend_row(const std::vector<LegendEntry>& entries, DataPoint from);

struct PictureSize {
  double width, height;
};
enum class PictureFor { file, page };
// Returns the <svg> element, with `heading` as its title for screen readers. In a file, the heading is also
// written above the panels, and the XML namespace is declared; a page already provides both.
std::string svg_picture(PictureSize size, const std::string& heading, const std::string& body,
                        PictureFor use = PictureFor::file);

// Escapes text for use between tags or in quotes of XML and HTML. Control characters other than line feed and
// tab, and bytes that are not UTF-8, become U+FFFD.
std::string escaped(std::string_view text);

}  // namespace muster::reporting

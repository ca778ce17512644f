// Describes a figure or table of a paper as muster computes it: curves of six kinds, the settings behind
// them, and what was found about each claim that the paper's text makes about it.
//
// A recipe (recipes.h) returns a PaperFigure; figure_files.h writes it as CSV, JSON and pictures. What the
// paper itself says (captions, quoted claims, stated numbers) is in paper_texts.h. The types are plain
// values, and the functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace muster::reproduce {

// Says where a curve's values come from, in the order in which pictures and tables list the curves. On a
// curve of accuracy against epsilon, that is where epsilon comes from: the accuracies are always those of
// trainings.
enum class Kind {
  reported,   // a number that the paper's text states
  published,  // the paper's formula as it is printed
  corrected,  // the paper's formula with its errors repaired
  proven,     // muster's own upper bound
  lower,      // muster's own lower bound
  simulated,  // a mean over simulated runs of the protocol; no bound
};
const char* name_of(Kind kind);  // "reported", ...

// How far a value is uncertain, or varies over runs. The curve's name or a setting says which, and by what
// rule; for example, a 95% confidence interval of a mean.
struct Spread {
  double low, high;
};

struct Point {
  double x = 0;
  std::optional<double> value;  // nullopt: no bound, or infinity
  std::string bound;            // the id of the bound that gave the value; empty if it has none
  std::optional<Spread> spread = std::nullopt;
};

struct Curve {
  std::string name;
  Kind kind = Kind::published;
  std::vector<Point> points;  // points by increasing x
  // Whether a line joins the points of a reported or simulated curve, which are otherwise single marks. Other
  // kinds always have a line. Spreads are a band around a line, and whiskers at marks.
  bool joined = false;
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  bool counts = false;  // whether the values are whole numbers, on a linear axis
};

// A parameter behind the curves. If the paper's text does not state it, its value was chosen here, and
// pictures say so.
struct Setting {
  std::string name;
  std::string value;
  bool chosen = false;
};

enum class Verdict {
  holds,
  holds_with_a_note,  // holds as far as it can be checked, or in a sense that a reader does not expect
  not_reproduced,     // the computed values do not show the claim: parameters that the text leaves out may be
                      // why, or a training that differs from the paper's; the finding says which
  is_false,           // a computed value contradicts the claim
};
const char* name_of(Verdict verdict);  // "holds", "holds with a note", "not reproduced", "false"

struct Finding {
  std::string claim;  // the claim's id in the papers' texts
  Verdict verdict = Verdict::not_reproduced;
  std::string found;  // what was computed, a sentence with its numbers
};

struct PaperFigure {
  Axis x, y;
  std::vector<Setting> settings;
  // How what the user asked for differs from the paper's experiment, for example by fewer rounds.
  std::vector<std::string> differences = {};
  std::vector<Curve> curves;      // in the order of Kind
  std::vector<Finding> findings;  // one for each claim of the figure
};

}  // namespace muster::reproduce

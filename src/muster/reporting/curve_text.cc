#include "muster/reporting/curve_text.h"

#include <fmt/format.h>

#include <vector>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using accounting::CurvePoint;
using accounting::PrivacyCurves;

TableRow row_of(const std::string& at, const CurvePoint& point) {
  return {at, point.upper ? rounded_up(*point.upper) : "none", point.lower ? rounded_down(*point.lower) : "-",
          point.local_upper ? rounded_up(*point.local_upper) : "none"};
}

std::string table(const PrivacyCurves& curves, const std::string& heading) {
  const std::string quantity = curves.question.asks_epsilon() ? "epsilon" : "delta";
  const std::string fixed = curves.question.asks_epsilon() ? "delta" : "epsilon";
  const TableRow columns = {"", quantity + " upper", "lower", kLocalCase};
  std::vector<TableRow> by_fixed = {columns}, by_rounds = {columns};
  by_fixed.front()[0] = fixed;
  by_rounds.front()[0] = "rounds";
  for (const CurvePoint& point : curves.by_fixed) {
    by_fixed.push_back(row_of(number_text(point.fixed), point));
  }
  for (const CurvePoint& point : curves.by_rounds) {
    by_rounds.push_back(row_of(fmt::format("{}", point.rounds), point));
  }
  return fmt::format("{}\nover {}\n{}\nover rounds\n{}", wrapped(heading), fixed, aligned(by_fixed),
                     aligned(by_rounds));
}

std::string cell(std::optional<double> value) { return value ? fmt::format("{:.17g}", *value) : ""; }

std::string csv(const PrivacyCurves& curves) {
  const char* quantity = curves.question.asks_epsilon() ? "epsilon" : "delta";
  const char* fixed = curves.question.asks_epsilon() ? "delta" : "epsilon";
  std::string text = fmt::format("curve,rounds,{0},{1}_upper,{1}_lower,{1}_local\n", fixed, quantity);
  const auto add = [&text](const char* curve, const std::vector<CurvePoint>& points) {
    for (const CurvePoint& point : points) {
      text += fmt::format("{},{},{:.17g},{},{},{}\n", curve, point.rounds, point.fixed, cell(point.upper),
                          cell(point.lower), cell(point.local_upper));
    }
  };
  add(fixed, curves.by_fixed);
  add("rounds", curves.by_rounds);
  return text;
}

}  // namespace

CurveFormat curve_format_named(const std::string& name) {
  if (name == "table") {
    return CurveFormat::table;
  }
  if (name == "csv") {
    return CurveFormat::csv;
  }
  if (name == "svg") {
    return CurveFormat::svg;
  }
  throw Error(ErrorCode::usage, Reason::unknown, "--curve", name, "table | csv | svg",
              "is an unknown format");
}

std::string guarantee(const PrivacyCurves& curves) {
  return fmt::format("proven; {}; {}", name_of(curves.neighbouring), name_of(curves.view));
}

std::string curve_text(const PrivacyCurves& curves, CurveFormat format, const std::string& heading) {
  switch (format) {
    case CurveFormat::table:
      return table(curves, fmt::format("{}; {}", heading, guarantee(curves)));
    case CurveFormat::csv:
      return csv(curves);
    case CurveFormat::svg:
      return curve_svg(curves, heading);
  }
  return "";
}

}  // namespace muster::reporting

#include "muster/reproduce/figure_files.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reporting/json.h"
#include "muster/reproduce/figure_svg.h"
#include "muster/reproduce/svg_raster.h"

namespace muster::reproduce {
namespace {

using reporting::JsonObject;

JsonObject axis_json(const Axis& axis) {
  return JsonObject().text("label", axis.label).text("scale", axis.logarithmic ? "logarithmic" : "linear");
}

const Finding& finding_of(const PaperFigure& figure, const std::string& claim) {
  for (const Finding& finding : figure.findings) {
    if (finding.claim == claim) return finding;
  }
  throw Error(ErrorCode::internal, claim, "", "", "has no verdict");
}

// Returns the command that shows the figure. Without --data, models learn the built-in digits, on which no
// claim about accuracies can hold as the paper means it.
std::string command_of(const FigureText& text) {
  return fmt::format("muster reproduce {}{}", text.id, text.trains ? " --data DIR" : "");
}

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& id,
                              const char* ending) {
  return folder / (id + ending);
}

}  // namespace

std::string csv_quoted(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

std::string figure_csv(const PaperFigure& figure) {
  std::string csv = kCsvHeader;
  for (const Curve& curve : figure.curves) {
    for (const Point& point : curve.points) {
      csv += fmt::format(
          "{},{},{:.17g},{},{},{}\n", csv_quoted(curve.name), name_of(curve.kind), point.x,
          point.value ? fmt::format("{:.17g}", *point.value) : "",
          point.spread ? fmt::format("{:.17g},{:.17g}", point.spread->low, point.spread->high) : ",",
          point.bound);
    }
  }
  return csv;
}

std::string figure_json(const PaperFigure& figure, const FigureText& text) {
  std::vector<JsonObject> settings, curves, claims;
  for (const Setting& setting : figure.settings) {
    settings.push_back(
        JsonObject().text("name", setting.name).text("value", setting.value).flag("chosen", setting.chosen));
  }
  for (const Curve& curve : figure.curves) {
    curves.push_back(JsonObject()
                         .text("name", curve.name)
                         .text("kind", name_of(curve.kind))
                         .unsigned_integer("points", curve.points.size()));
  }
  for (const Claim& claim : text.claims) {
    const Finding& finding = finding_of(figure, claim.id);
    claims.push_back(JsonObject()
                         .text("id", claim.id)
                         .text("words", claim.words)
                         .text("check", claim.check)
                         .text("verdict", name_of(finding.verdict))
                         .text("found", finding.found)
                         .text("command", command_of(text)));
  }
  return JsonObject()
             .text("id", text.id)
             .text("paper", text.paper)
             .text("where", text.where)
             .text("caption", text.caption)
             .object("x", axis_json(figure.x))
             .object("y", axis_json(figure.y))
             .objects("settings", settings)
             .texts("unstated", text.unstated)
             .texts("differences", figure.differences)
             .objects("curves", curves)
             .objects("claims", claims)
             .str() +
         "\n";
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error(ErrorCode::file, folder.string(), "", "", "cannot be made a folder: " + failed.message());
  }
}

void write_figure(const PaperFigure& figure, const FigureText& text, const std::filesystem::path& folder) {
  // An older JSON must not stand beside newer files, because it would seem to describe them.
  std::error_code ignored;
  std::filesystem::remove(file_of(folder, text.id, ".json"), ignored);
  replace_file(file_of(folder, text.id, ".csv"), figure_csv(figure));
  replace_file(file_of(folder, text.id, ".svg"), figure_svg(figure, text, Theme::viewer));
  replace_file(file_of(folder, text.id, ".png"), png_of(figure_svg(figure, text, Theme::light)));
  replace_file(file_of(folder, text.id, "-dark.png"), png_of(figure_svg(figure, text, Theme::dark)));
  replace_file(file_of(folder, text.id, ".json"), figure_json(figure, text));
}

}  // namespace muster::reproduce

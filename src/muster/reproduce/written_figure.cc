#include "muster/reproduce/written_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reproduce/figure_files.h"
#include "muster/simulation/runs/json_object.h"

namespace muster::reproduce {
namespace {

using Json = nlohmann::json;
// Thrown while a figure is read; its text is the flaw.
using Flaw = std::invalid_argument;

// Returns the JSON object of the figure. Throws Flaw unless it is of `text`, with the same claims.
Json object_of(const std::string& bytes, const FigureText& text) {
  Json json = simulation::json_object_of<Json>(bytes);
  if (json.at("id") != text.id) throw Flaw("is of another figure");
  const Json& claims = json.at("claims");
  bool same = claims.size() == text.claims.size();
  for (std::size_t i = 0; same && i < claims.size(); ++i) {
    const Claim& claim = text.claims[i];
    const Json& stored = claims.at(i);
    same = stored.at("id") == claim.id && stored.at("words") == claim.words &&
           stored.at("check") == claim.check && stored.at("verdict").is_string() &&
           stored.at("found").is_string();
  }
  if (!same) throw Flaw("has other claims than this version of muster");
  return json;
}

// Throws Flaw unless the rows of the CSV are those of the curves that the JSON lists, in the same order.
void require_rows(std::string_view csv, const Json& json) {
  if (!csv.starts_with(kCsvHeader)) throw Flaw("does not begin with its header");
  csv.remove_prefix(std::string_view(kCsvHeader).size());
  for (const Json& curve : json.at("curves")) {
    const std::string name = curve.at("name").get<std::string>();
    const std::string begin = fmt::format("{},{},", csv_quoted(name), curve.at("kind").get<std::string>());
    for (auto left = curve.at("points").get<std::uint64_t>(); left > 0; --left) {
      const std::size_t end = csv.find('\n', begin.size());
      // After the name and the kind, a row has five cells.
      if (!csv.starts_with(begin) || end == csv.npos ||
          std::ranges::count(csv.substr(begin.size(), end - begin.size()), ',') != 4) {
        throw Flaw(fmt::format("has fewer rows of \"{}\" than its JSON says", name));
      }
      csv.remove_prefix(end + 1);
    }
  }
  if (!csv.empty()) throw Flaw("has more rows than its JSON says");
}

void require_ends(std::string_view bytes, std::string_view begin, std::string_view end) {
  if (bytes.empty()) throw Flaw("is empty");
  if (!bytes.starts_with(begin)) throw Flaw("is no such picture");
  if (!bytes.ends_with(end)) throw Flaw("is cut off");
}

// Throws Flaw unless the bytes are those of a whole file with this ending. `json` is the figure's, which is
// read first.
void check_file(std::string_view ending, const std::string& bytes, const FigureText& text, Json& json) {
  using namespace std::string_view_literals;
  if (ending == ".json") {
    json = object_of(bytes, text);
  } else if (ending == ".csv") {
    require_rows(bytes, json);
  } else if (ending == ".svg") {
    require_ends(bytes, "<svg", "</svg>\n");
  } else {
    require_ends(bytes, "\x89PNG\r\n\x1a\n"sv, "\0\0\0\0IEND\xae\x42\x60\x82"sv);
  }
}

}  // namespace

WrittenFigure written_figure(const FigureText& text, const std::filesystem::path& folder) {
  using State = WrittenFigure::State;
  const auto path_of = [&](const char* ending) { return folder / (text.id + ending); };
  const auto absent = [&](const char* ending) {
    std::error_code ignored;
    return !std::filesystem::exists(std::filesystem::symlink_status(path_of(ending), ignored));
  };
  const auto unusable = [&](const char* ending, const std::string& flaw) {
    return WrittenFigure{State::unusable, fmt::format("{}{} {}", text.id, ending, flaw)};
  };
  if (std::ranges::all_of(kFigureEndings, absent)) return {State::absent, ""};
  Json json;
  for (const char* ending : kFigureEndings) {
    if (absent(ending)) return unusable(ending, "is missing");
    try {
      check_file(ending, read_file(path_of(ending)), text, json);
    } catch (const Flaw& flaw) {
      return unusable(ending, flaw.what());
    } catch (const Json::exception&) {
      return unusable(ending, "is not the JSON of a figure");
    } catch (const Error&) {
      return unusable(ending, "cannot be read");
    }
  }
  return {State::whole, ""};
}

}  // namespace muster::reproduce

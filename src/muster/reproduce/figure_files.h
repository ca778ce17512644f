// Writes a computed figure as files: CSV with one row for each point, JSON with the findings, and one picture
// as SVG and as two PNGs, light and dark.
//
// The CSV and the JSON end in a line end. In the CSV, numbers have 17 significant digits, and an absent value
// is an empty cell. The last two functions access files; the others are pure.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/paper_texts.h"

namespace muster::reproduce {

// The ends of the names of a figure's five files, after its id; JSON comes first, which describes the others.
inline constexpr std::array kFigureEndings = {".json", ".csv", ".svg", ".png", "-dark.png"};
inline constexpr const char* kCsvHeader = "curve,kind,x,value,low,high,bound\n";
// Returns the text as a cell of the CSV in quotes, by the rules of RFC 4180.
std::string csv_quoted(const std::string& text);

// Returns the CSV, with the header kCsvHeader and the curves in the order of the figure. `low` and `high` are
// the ends of the point's spread, and empty if it has none.
std::string figure_csv(const PaperFigure& figure);
// Returns one JSON object on one line: id, paper, section, caption, axes, settings, what the paper does not
// state, what the user changed, each curve's name, kind and number of points, and each claim with the paper's
// words, what was checked, the verdict, what was found and the command that shows it. In the command, DIR
// stands for a folder with the data that the figure trains on. Throws Error(internal) if a claim of `text`
// has no finding.
std::string figure_json(const PaperFigure& figure, const FigureText& text);

// Makes the folder if it is missing. Throws Error(file) if it cannot be made.
void make_folder(const std::filesystem::path& folder);
// Writes ID.csv, ID.svg, ID.png, ID-dark.png and, last, ID.json into the folder; each file is complete or
// absent. Throws Error(file) if a file cannot be written.
void write_figure(const PaperFigure& figure, const FigureText& text, const std::filesystem::path& folder);

}  // namespace muster::reproduce

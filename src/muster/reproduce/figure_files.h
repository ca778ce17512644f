// A computed figure as files: CSV with one row a point, JSON with the findings, and one picture as SVG and PNG.
//
// Each text ends in a line end. Numbers have 17 significant digits; an absent value is an empty cell in CSV and
// null in JSON. Pure functions but for the last three.
#pragma once

#include <filesystem>
#include <string>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/paper_texts.h"

namespace muster::reproduce {

// Header "curve,kind,x,value,bound"; curves in the order of the figure.
std::string figure_csv(const PaperFigure& figure);
// One JSON object on one line: id, paper, caption, axes, settings, curves' names, and each claim with the
// paper's words, verdict, what was found and the command that shows it.
std::string figure_json(const PaperFigure& figure, const FigureText& text);

// Makes the folder if it is missing. Throws Error(file) if it cannot be made.
void make_folder(const std::filesystem::path& folder);
// Writes ID.csv, ID.svg, ID.png, ID-dark.png and last ID.json into the folder; each file is complete or absent.
// Throws Error(file).
void write_figure(const PaperFigure& figure, const FigureText& text, const std::filesystem::path& folder);
// Whether `folder` holds all files of a figure; the JSON, written last, tells.
bool is_written(const std::string& id, const std::filesystem::path& folder);

}  // namespace muster::reproduce

// Checks whether a folder holds a finished figure, which `muster reproduce --resume` leaves as it is.
//
// write_figure() writes complete files, but a folder may also hold what another program, a full disk or an
// older version of muster left there. The function only reads files, and may be called from any thread.
#pragma once

#include <filesystem>
#include <string>

#include "muster/reproduce/paper_texts.h"

namespace muster::reproduce {

// What a folder holds of a figure.
struct WrittenFigure {
  enum class State {
    absent,   // none of its files
    whole,    // its five files, all of them complete
    unusable  // some of its files, or files that are cut off or describe another figure
  };
  State state = State::absent;
  std::string flaw;  // why it is unusable, such as "001-table-1.csv is missing"; otherwise empty
};

// A figure is whole if its JSON is of this id and has the claims of `text`; if the CSV has as many rows of
// each curve as the JSON says, and nothing else; and if SVG and PNGs begin and end as such files do. A file
// that cannot be read makes it unusable.
WrittenFigure written_figure(const FigureText& text, const std::filesystem::path& folder);

}  // namespace muster::reproduce

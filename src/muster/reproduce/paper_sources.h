// Holds the files testdata/papers/*.toml as text, in the order of their names. CMake writes the definition
// (CMakeLists.txt). Any thread may read the constant.
#pragma once

#include <array>
#include <string_view>

namespace muster::reproduce {

extern const std::array<std::string_view, 5> kPaperSources;

}  // namespace muster::reproduce

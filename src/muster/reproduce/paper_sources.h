// Holds the files testdata/papers/*.toml and plans/papers/*.toml as text, in the order of their names. CMake
// writes the definitions (CMakeLists.txt). Any thread may read the constants.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace muster::reproduce {

extern const std::array<std::string_view, 5> kPaperSources;

struct PaperPlan {
  std::string_view name;  // the file's name without ".toml"
  std::string_view text;
};
extern const std::span<const PaperPlan> kPaperPlans;

}  // namespace muster::reproduce

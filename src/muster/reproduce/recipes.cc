#include "muster/reproduce/recipes.h"

#include <fmt/format.h>

#include <string_view>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/shuffle_gaussian/shuffle_gaussian.h"

namespace muster::reproduce {

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {.id = "001-table-1",
       .what = "shuffle Gaussian, epsilon over few rounds",
       .parameters = "n 60,000, sigma 9.48, 1 to 7 rounds",
       .data = "none",
       .time = "5 s",
       .compute = shuffle_gaussian_table_1},
      {.id = "001-figure-1a",
       .what = "shuffle Gaussian, with and without shuffling",
       .parameters = "n 60,000, sigma 9.48, 1 to 1,000 rounds",
       .data = "none",
       .time = "10 s",
       .compute = shuffle_gaussian_figure_1a},
  };
  return all;
}

const Recipe& recipe_named(const std::string& id) {
  std::vector<std::string_view> known;
  for (const Recipe& recipe : recipes()) {
    if (recipe.id == id) return recipe;
    known.emplace_back(recipe.id);
  }
  for (const FigureText& figure : figure_texts()) {
    if (figure.id == id) {
      throw Error(ErrorCode::usage, id, "", "",
                  "is not reproduced yet; muster reproduce --list shows what is");
    }
  }
  const std::string close = protocols::nearest(id, known);
  throw Error(ErrorCode::usage, id, "", "",
              close.empty() ? "is no figure of the papers; muster reproduce --list shows them"
                            : fmt::format("is no figure of the papers; did you mean {}?", close));
}

}  // namespace muster::reproduce

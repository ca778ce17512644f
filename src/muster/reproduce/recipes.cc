#include "muster/reproduce/recipes.h"

#include <fmt/format.h>

#include <string_view>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"
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
      {.id = "002-figure-2",
       .what = "random check-ins, amplification by shuffling",
       .parameters = "n 10^3 to 10^5, epsilon0 0.1 to 2",
       .data = "none",
       .time = "1 s",
       .compute = random_check_ins_figure_2},
      {.id = "002-table-1",
       .what = "random check-ins, orders of the amplification bounds",
       .parameters = "n 10^8, epsilon0 0.25 to 4",
       .data = "none",
       .time = "10 s",
       .compute = random_check_ins_table_1},
      {.id = "002-proposition-3-4",
       .what = "random check-ins, dummies of a fixed window",
       .parameters = "n 20 and 100, m 5 and 25, 10^4 runs",
       .data = "none",
       .time = "1 s",
       .compute = random_check_ins_proposition_3_4},
      {.id = "002-proposition-4-4",
       .what = "random check-ins, dummies of sliding windows",
       .parameters = "n 100 and 200, m 2 to 100, 10^4 runs",
       .data = "none",
       .time = "3 s",
       .compute = random_check_ins_proposition_4_4},
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

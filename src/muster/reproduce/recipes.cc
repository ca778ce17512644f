#include "muster/reproduce/recipes.h"

#include <fmt/format.h>

#include <string_view>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"
#include "muster/reproduce/shuffle_gaussian/shuffle_gaussian.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {

namespace {

// Each of the functions below returns the recipes of one paper.
std::vector<Recipe> of_shuffled_check_in() {
  return {
      {.id = "000-figure-1a",
       .what = "shuffled check-in, Renyi divergence of a round for several n",
       .parameters = "n 10,000 and 1,000,000, gamma 0.1, epsilon0 1",
       .data = "none",
       .time = "2 s",
       .compute = shuffled_check_in_figure_1a},
      {.id = "000-figure-1b",
       .what = "shuffled check-in, Renyi divergence of a round for several gamma",
       .parameters = "n 100,000, gamma 0.01 and 0.1, epsilon0 1",
       .data = "none",
       .time = "2 s",
       .compute = shuffled_check_in_figure_1b},
      {.id = "000-figure-1c",
       .what = "shuffled check-in, Renyi divergence of a round for several epsilon0",
       .parameters = "n 100,000, gamma 0.1, epsilon0 0.5 and 2",
       .data = "none",
       .time = "2 s",
       .compute = shuffled_check_in_figure_1c},
      {.id = "000-figure-2",
       .what = "shuffled check-in, epsilon over rounds by several bounds",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 10 to 10,000 rounds",
       .data = "none",
       .time = "20 s",
       .compute = shuffled_check_in_figure_2},
      {.id = "000-figure-3a",
       .what = "LDP-SGD, accuracy over epsilon by several bounds",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 6,800 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "90 min",
       .trainings = shuffled_check_in_trainings_3a,
       .train = shuffled_check_in_figure_3a},
      {.id = "000-figure-3b",
       .what = "Federated DP-SGD, accuracy over epsilon by several bounds",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 5,540 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "80 min",
       .trainings = shuffled_check_in_trainings_3b,
       .train = shuffled_check_in_figure_3b},
      {.id = "000-figure-4",
       .what = "Federated DP-SGD with ten million clients, accuracy over rounds",
       .parameters = "n 10,000,000, gamma 0.0001, epsilon0 2, 4 and 8, 2,000 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "45 min",
       .trainings = shuffled_check_in_trainings_4,
       .train = shuffled_check_in_figure_4},
      {.id = "000-table-2",
       .what = "the papers' network, its parameters counted",
       .parameters = "28 x 28 images, 10 classes",
       .data = "none",
       .time = "1 s",
       .compute = shuffled_check_in_table_2},
  };
}

std::vector<Recipe> of_shuffle_gaussian() {
  return {
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
      {.id = "001-figure-1b",
       .what = "shuffle Gaussian, accuracy over epsilon by several bounds",
       .parameters = "n 60,000, gamma 0.1, sigma 5, 5,540 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "80 min",
       .trainings = shuffle_gaussian_trainings_1b,
       .train = shuffle_gaussian_figure_1b},
  };
}

std::vector<Recipe> of_random_check_ins() {
  return {
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
}

std::vector<Recipe> of_distributed_check_in() {
  return {
      {.id = "003-figure-3a",
       .what = "LDP-SGD, accuracy over epsilon, with the later version's constants",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 6,800 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "90 min",
       .trainings = distributed_figure_3a_trainings,
       .train = distributed_figure_3a},
      {.id = "003-figure-3b",
       .what = "Federated DP-SGD, accuracy over rounds",
       .parameters = "n 10,000,000, gamma 0.0001, epsilon0 8, 2,000 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "45 min",
       .trainings = distributed_figure_3b_trainings,
       .train = distributed_figure_3b},
      {.id = "003-figure-4",
       .what = "distributed check-in, accuracy over epsilon",
       .parameters = "n 60,000, gamma 0.001, sigma 0.65 and 0.86, 3,400 rounds, 5 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "5 min",
       .trainings = distributed_figure_4_trainings,
       .train = distributed_figure_4},
      {.id = "003-figure-5a",
       .what = "LDP-SGD at several check-in rates",
       .parameters = "n 60,000, gamma 0.05, 0.1 and 0.2, epsilon0 2, 1,600 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "70 min",
       .trainings = distributed_figure_5a_trainings,
       .train = distributed_figure_5a},
      {.id = "003-figure-5b",
       .what = "LDP-SGD at a constant and a falling learning rate",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 1,200 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "30 min",
       .trainings = distributed_figure_5b_trainings,
       .train = distributed_figure_5b},
      {.id = "003-figure-6",
       .what = "LDP-SGD of a last layer, on CIFAR-10 after CIFAR-100",
       .parameters = "n 50,000, gamma 0.1, epsilon0 2, 1,000 rounds, 3 seeds",
       .data = "CIFAR-10 and CIFAR-100",
       .time = "15 min",
       .trainings = distributed_figure_6_trainings,
       .train = distributed_figure_6},
      {.id = "transfer",
       .what = "LDP-SGD of a last layer, on digits after public digits",
       .parameters = "n 60,000, gamma 0.1, epsilon0 2, 400 rounds, 3 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "1 min",
       .trainings = transfer_trainings,
       .train = transfer},
  };
}

std::vector<Recipe> of_subsampled_shuffle() {
  return {
      {.id = "004-figure-2a",
       .what = "subsampled shuffle, epsilon over the iterations",
       .parameters = "n 1,000,000, 1,000 clients an iteration, epsilon0 2, 100 to 100,000 iterations",
       .data = "none",
       .time = "5 s",
       .compute = subsampled_shuffle_figure_2a},
      {.id = "004-figure-2b",
       .what = "subsampled shuffle, more clients an iteration",
       .parameters = "n 1,000,000, 10,000 clients an iteration, epsilon0 2, 100 to 100,000 iterations",
       .data = "none",
       .time = "5 s",
       .compute = subsampled_shuffle_figure_2b},
      {.id = "004-figure-2c",
       .what = "subsampled shuffle, epsilon over the number of clients",
       .parameters = "n 100,000 to 10,000,000, 1,000 clients an iteration, epsilon0 2, 100,000 iterations",
       .data = "none",
       .time = "15 s",
       .compute = subsampled_shuffle_figure_2c},
      {.id = "004-figure-3",
       .what = "CLDP-SGD, accuracy over epsilon",
       .parameters = "n 60,000, 10,000 clients a round, epsilon0 1.5, 1,200 rounds, 10 seeds",
       .data = "MNIST, or the built-in digits",
       .time = "120 min",
       .trainings = subsampled_shuffle_figure_3_trainings,
       .train = subsampled_shuffle_figure_3},
      {.id = "004-table-1",
       .what = "the parameters of the network, for every padding and stride that the table allows",
       .parameters = "28 x 28 images, paddings 0 to 4, poolings of stride 1 and 2",
       .data = "none",
       .time = "1 s",
       .compute = subsampled_shuffle_table_1},
  };
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = [] {
    std::vector<Recipe> joined;
    for (const auto& of_a_paper : {of_shuffled_check_in(), of_shuffle_gaussian(), of_random_check_ins(),
                                   of_distributed_check_in(), of_subsampled_shuffle()}) {
      joined.insert(joined.end(), of_a_paper.begin(), of_a_paper.end());
    }
    return joined;
  }();
  return all;
}

const Recipe& recipe_named(const std::string& id) {
  std::vector<std::string_view> known;
  for (const Recipe& recipe : recipes()) {
    if (recipe.id == id) return recipe;
    known.emplace_back(recipe.id);
  }
  const std::string close = protocols::nearest(id, known);
  throw Error(ErrorCode::usage, Reason::unknown, id, "", "",
              close.empty() ? "is no figure of the papers; muster reproduce --list shows them"
                            : fmt::format("is no figure of the papers; did you mean {}?", close));
}

}  // namespace muster::reproduce

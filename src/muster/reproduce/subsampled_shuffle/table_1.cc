// Reproduces Table 1: the number of parameters of the network, counted for all readings of the table.
//
// The table gives filters, kernels and strides of the convolutions, the windows of the poolings and the units
// of the dense layers. It leaves open the biases, the paddings and the strides of the poolings. A `Reading`
// chooses the last two, which affect the count only through the side of the last feature map.
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "muster/learning/models/architecture.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {
namespace {

using learning::Layer;
using learning::LayerKind;

constexpr std::size_t kMostPadding = 4, kMostPoolStride = 2;

struct Window {
  std::size_t filters, kernel, stride;
};

// Holds the numbers of Table 1.
struct Table {
  Window first, second;
  std::size_t first_pool, second_pool, units, classes;
};
Table table_as_stated() {
  const auto at = [](std::size_t index) {
    return static_cast<std::size_t>(number_of("004-table-1-layers", index));
  };
  return {{at(0), at(1), at(3)}, {at(6), at(7), at(9)}, at(4), at(10), at(12), at(13)};
}

struct Reading {
  std::size_t first_padding, second_padding, pool_stride;
};

// Returns the side of a square image, in pixels, after a convolution or pooling with this window; 0 if the
// window does not fit.
std::size_t side_after(std::size_t side, std::size_t kernel, std::size_t stride, std::size_t padding) {
  const std::size_t padded = side == 0 ? 0 : side + 2 * padding;
  return padded < kernel ? 0 : (padded - kernel) / stride + 1;
}

// Returns the layers of a reading; empty if a window does not fit.
std::vector<Layer> layers_of(const Table& table, const Reading& reading) {
  std::size_t side = learning::kImageSide;
  side = side_after(side, table.first.kernel, table.first.stride, reading.first_padding);
  side = side_after(side, table.first_pool, reading.pool_stride, 0);
  side = side_after(side, table.second.kernel, table.second.stride, reading.second_padding);
  side = side_after(side, table.second_pool, reading.pool_stride, 0);
  if (side == 0) return {};
  return learning::LayerStack({learning::kImageSide, learning::kImageSide, 1})
      .convolution(table.first.filters, table.first.kernel, table.first.stride, reading.first_padding)
      .max_pool(table.first_pool, reading.pool_stride)
      .convolution(table.second.filters, table.second.kernel, table.second.stride, reading.second_padding)
      .max_pool(table.second_pool, reading.pool_stride)
      .dense(table.units)
      .dense(table.classes)
      .done();
}

struct Count {
  std::size_t weights = 0, biases = 0;
};
Count count_of(const std::vector<Layer>& layers) {
  Count count;
  for (const Layer& layer : layers) {
    count.weights += layer.weights;
    count.biases += layer.biases;
  }
  return count;
}

// Returns the counts of all readings, by the side of the last feature map, which determines the count.
std::map<std::size_t, Count> counts_by_side(const Table& table) {
  std::map<std::size_t, Count> counts;
  for (std::size_t first = 0; first <= kMostPadding; ++first) {
    for (std::size_t second = 0; second <= kMostPadding; ++second) {
      for (std::size_t stride = 1; stride <= kMostPoolStride; ++stride) {
        const std::vector<Layer> layers = layers_of(table, {first, second, stride});
        if (!layers.empty()) counts[layers[3].out.height] = count_of(layers);
      }
    }
  }
  return counts;
}

// Says whether the stated count results from some number of features before the first dense layer, with
// biases in some of the four layers that may have them. Paddings and strides are left open.
bool some_features_give(std::size_t stated, const std::vector<Layer>& layers) {
  std::size_t fixed = 0;
  std::vector<std::size_t> biases;
  bool first_dense = true;
  for (const Layer& layer : layers) {
    if (layer.weights == 0) continue;
    biases.push_back(layer.biases);
    const bool counted = layer.kind != LayerKind::dense || !first_dense;
    if (layer.kind == LayerKind::dense) first_dense = false;
    if (counted) fixed += layer.weights;
  }
  const std::size_t a_feature = layers[4].biases;  // a feature has one weight for each unit
  for (std::size_t with = 0; with < (std::size_t{1} << biases.size()); ++with) {
    std::size_t sum = fixed;
    for (std::size_t i = 0; i < biases.size(); ++i) sum += (with >> i & 1) * biases[i];
    if (sum < stated && (stated - sum) % a_feature == 0) return true;
  }
  return false;
}

Finding parameters(const Table& table, const std::map<std::size_t, Count>& counts) {
  const auto stated = static_cast<std::size_t>(number_of("004-model-parameters"));
  std::optional<std::size_t> below, above;
  bool found = false;
  for (const auto& [side, count] : counts) {
    for (const std::size_t all : {count.weights, count.weights + count.biases}) {
      found = found || all == stated;
      if (all < stated && (!below || all > *below)) below = all;
      if (all > stated && (!above || all < *above)) above = all;
    }
  }
  const bool possible = some_features_give(stated, layers_of(table, {0, 0, 1}));
  return {
      "004-table-1-parameters",
      found      ? Verdict::holds
      : possible ? Verdict::not_reproduced
                 : Verdict::is_false,
      fmt::format(
          "With paddings 0 to {}, poolings of stride 1 or {}, and with or without biases, the counts next "
          "to {} are {} and {}. {} The network that muster trains has {} (padding 3 before the first "
          "convolution, poolings of stride 1, all biases).",
          kMostPadding, kMostPoolStride, stated, below.value_or(0), above.value_or(0),
          possible ? "Another number of features before the first dense layer could give it."
                   : "No number of features before the first dense layer and no choice of layers with "
                     "biases gives it.",
          learning::parameter_count(learning::Architecture::cnn))};
}

}  // namespace

PaperFigure subsampled_shuffle_table_1() {
  const Table table = table_as_stated();
  const std::map<std::size_t, Count> counts = counts_by_side(table);
  Curve stated{"as the text states it, for any side", Kind::reported, {}};
  Curve with{"weights and biases", Kind::published, {}};
  Curve without{"weights alone", Kind::published, {}};
  for (const auto& [side, count] : counts) {
    const auto x = static_cast<double>(side);
    stated.points.push_back({x, number_of("004-model-parameters"), ""});
    with.points.push_back({x, static_cast<double>(count.weights + count.biases), ""});
    without.points.push_back({x, static_cast<double>(count.weights), ""});
  }
  PaperFigure figure;
  figure.x = {.label = "side of the last feature map", .counts = true};
  figure.y = {"parameters", true};
  figure.settings = {{"layers", "as Table 1 lists them", false},
                     {"paddings", fmt::format("0 to {}", kMostPadding), true},
                     {"strides of the poolings", fmt::format("1 and {}", kMostPoolStride), true},
                     {"biases", "in all layers or in none", true}};
  figure.curves = {stated, with, without};
  figure.findings = {parameters(table, counts),
                     {"004-table-1-accuracy", Verdict::not_reproduced,
                      "Not computed: it needs the network to be trained on the images of MNIST, and the text "
                      "states no learning rate, batch or epochs for training without privacy."}};
  return figure;
}

}  // namespace muster::reproduce

// Reproduces Table 2: the number of parameters of the network in the paper's experiments.
#include <fmt/format.h>

#include "muster/learning/models/architecture.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"

namespace muster::reproduce {
namespace {

// Holds filters and kernel of each convolution and the units of each dense layer, as the table lists them.
struct Stated {
  const std::vector<double>& numbers = numbers_of("000-table-2-layers");
  double first_filters = numbers[0], first_kernel = numbers[1];
  double second_filters = numbers[6], second_kernel = numbers[7];
  double hidden = numbers[12], classes = numbers[13];
};

}  // namespace

PaperFigure shuffled_check_in_table_2() {
  const Stated stated;
  const std::vector<learning::Layer> layers = learning::layers(learning::Architecture::cnn);
  PaperFigure figure;
  figure.x = {.label = "layer with parameters", .counts = true};
  figure.y = {"parameters", true};
  figure.settings = {{"layers", "as Table 2 lists them", false},
                     {"padding", "3 zeros around the image", true},
                     {"stride of the poolings", "1", true}};
  Curve counted{"weights and biases of each layer", Kind::published, {}};
  double total = 0, layer = 0;
  for (const learning::Layer& each : layers) {
    const auto parameters = static_cast<double>(each.weights + each.biases);
    if (parameters == 0) continue;
    counted.points.push_back({++layer, parameters, ""});
    total += parameters;
  }
  figure.curves = {counted};
  const double first = stated.first_filters * (stated.first_kernel * stated.first_kernel + 1);
  const double second =
      stated.second_filters * (stated.second_kernel * stated.second_kernel * stated.first_filters + 1);
  const double last = stated.classes * (stated.hidden + 1);
  const bool as_listed = counted.points.size() == 4 && counted.points[0].value == first &&
                         counted.points[1].value == second && counted.points[3].value == last;
  figure.findings = {
      {"000-table-2-layers-as-built", as_listed ? Verdict::holds_with_a_note : Verdict::not_reproduced,
       fmt::format("The model `cnn` has these layers: {} parameters, {} in all. The padding and the "
                   "stride of the poolings, which decide the first dense layer, are chosen.",
                   listed(counted, 6), total)}};
  return figure;
}

}  // namespace muster::reproduce

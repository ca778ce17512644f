#include "muster/simulation/model_task.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "muster/core/error.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/pretraining.h"
#include "muster/learning/statistics/statistics.h"
#include "muster/plan/randomizer_table.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/stored_network.h"

namespace muster::simulation {
namespace {

using learning::Architecture;
using learning::ArchitectureKind;
using protocols::ModelKind;

Architecture architecture_for(ArchitectureKind kind, const protocols::Plan& plan,
                              const learning::Dataset& data) {
  Architecture architecture{kind, data.shape, data.classes};
  if (plan.activation() == protocols::Activation::tanh)
    architecture.activation = learning::ActivationFunction::tanh;
  return architecture;
}

// `data` holds the examples on which the network is trained.
ModelTask classifier(const Architecture& architecture, const protocols::Plan& plan,
                     const learning::Dataset& data) {
  std::unique_ptr<learning::GradientEngine> engine = learning::make_engine(architecture);
  ModelTask task;
  task.initial = learning::initial_parameters(architecture, random::RunKey::from_seed(plan.seed()));
  task.make_evaluator = [&gradients = *engine](const learning::Dataset& test, WorkerTeam& team) {
    return make_classifier_evaluator(gradients, test, team);
  };
  task.function = std::move(engine);
  // about_network() is called here, because `data` may have been moved elsewhere when the model is stored.
  task.stored = [architecture, about = about_network(architecture, data)](std::span<const float> parameters) {
    return stored_network(architecture, about, parameters);
  };
  return task;
}

std::string text_of(const learning::Shape& shape) {
  return std::to_string(shape.height) + "x" + std::to_string(shape.width) + "x" +
         std::to_string(shape.channels);
}

// The network, and the features that it computes from the private data.
struct FrozenFeatures {
  FrozenNetwork frozen;
  learning::DataSplit data;
};

FrozenFeatures features_of_data(const protocols::Plan& plan, const learning::DataSplit& data) {
  const learning::Dataset open = load_public_data(plan);
  if (open.shape != data.train.shape) {
    const std::string wanted = "inputs of " + text_of(data.train.shape) + ", as of population.data";
    throw Error::in_words(ErrorCode::data, "model.public_data", plan.public_data(), wanted,
                          "model.public_data = " + plan.public_data() + " has inputs of " +
                              text_of(open.shape) + "; it needs " + wanted);
  }
  if (open.shape.height < learning::kMinCnnSide || open.shape.width < learning::kMinCnnSide) {
    const std::string wanted = "images of at least " + std::to_string(learning::kMinCnnSide) + "x" +
                               std::to_string(learning::kMinCnnSide) + " pixels";
    throw Error::in_words(ErrorCode::data, "population.data", plan.data(), wanted,
                          "population.data = " + plan.data() + " has inputs of " + text_of(open.shape) +
                              ", too small for model features+linear, which needs " + wanted);
  }
  expect_disjoint(plan, open, data);
  const Architecture network = architecture_for(ArchitectureKind::cnn, plan, open);
  std::vector<float> frozen =
      learning::pretrain(network, open, plan.pretrain_epochs(), random::RunKey::from_seed(plan.seed()));
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  learning::DataSplit features{learning::features_of(network, frozen, data.train, threads),
                               learning::features_of(network, frozen, data.test, threads)};
  return {{network, std::move(frozen)}, std::move(features)};
}

// Returns the frozen parameters, except that `last` replaces those of the last layer.
std::vector<float> with_last_layer(const Architecture& network, const std::vector<float>& frozen,
                                   std::span<const float> last) {
  const std::size_t at = learning::layers(network).back().weights_at;
  std::vector<float> parameters(frozen.begin(), frozen.begin() + static_cast<std::ptrdiff_t>(at));
  parameters.insert(parameters.end(), last.begin(), last.end());
  return parameters;
}

Architecture linear_on(const learning::Dataset& features) {
  return {ArchitectureKind::logistic, features.shape, features.classes};
}

ModelTask on_features(const protocols::Plan& plan, const learning::DataSplit& data) {
  FrozenFeatures made = features_of_data(plan, data);
  ModelTask task = classifier(linear_on(made.data.train), plan, made.data.train);
  task.features = std::move(made.data);
  task.frozen = std::move(made.frozen);
  // The stored network, `whole`, has the frozen layers and then the last layer, which the clients trained.
  Architecture whole = task.frozen->network;
  whole.classes = data.train.classes;
  task.stored = [whole, about = about_network(whole, data.train),
                 parameters = task.frozen->parameters](std::span<const float> linear) {
    return stored_network(whole, about, with_last_layer(whole, parameters, linear));
  };
  return task;
}

StoredModel stored_statistic(const char* name, std::span<const float> values,
                             std::map<std::string, std::string> about = {}) {
  about["model"] = name;
  return {std::move(about), {{name, {values.size()}, {values.begin(), values.end()}}}};
}

// Returns the Euclidean diameter of the set of clipped vectors, which is the ball of radius `clip` in the
// randomizer's norm. It is a cube if the randomizer clips coordinates.
double diameter_of(const protocols::Plan& plan, std::size_t dimension) {
  const double sides =
      protocols::spec_of(plan.randomizer()).clips_coordinates ? std::sqrt(static_cast<double>(dimension)) : 1;
  return 2 * plan.clip().value() * sides;
}

ModelTask mean(const protocols::Plan& plan, const learning::DataSplit& data) {
  ModelTask task;
  task.function = make_client_function(plan, data.train);
  const double diameter = diameter_of(plan, task.function->dimension());
  task.make_evaluator = [&function = *task.function, diameter](const learning::Dataset& test, WorkerTeam&) {
    return make_mean_evaluator(function, test, diameter);
  };
  task.initial.assign(task.function->dimension(), 0.0F);
  task.stored = [](std::span<const float> mean) { return stored_statistic("mean", mean); };
  return task;
}

ModelTask histogram(const protocols::Plan& plan, const learning::DataSplit& data) {
  ModelTask task;
  task.function = make_client_function(plan, data.train);
  task.make_evaluator = [&function = *task.function](const learning::Dataset& test, WorkerTeam&) {
    return make_histogram_evaluator(function, test);
  };
  task.initial.assign(data.train.classes, 1.0F / static_cast<float>(data.train.classes));
  task.stored = [about = about_classes(data.train)](std::span<const float> shares) {
    return stored_statistic("histogram", shares, about);
  };
  return task;
}

std::size_t network_dimension(ArchitectureKind kind, const learning::Shape& inputs, std::size_t classes) {
  return learning::parameter_count(Architecture{kind, inputs, classes});
}

}  // namespace

std::size_t client_dimension(const protocols::Plan& plan, const learning::Shape& inputs,
                             std::size_t classes) {
  switch (plan.model()) {
    case ModelKind::cnn:
      return network_dimension(ArchitectureKind::cnn, inputs, classes);
    case ModelKind::logistic:
      return network_dimension(ArchitectureKind::logistic, inputs, classes);
    case ModelKind::mlp:
      return network_dimension(ArchitectureKind::mlp, inputs, classes);
    case ModelKind::features_linear: {
      const learning::Layer last =
          learning::layers(Architecture{ArchitectureKind::cnn, inputs, classes}).back();
      return last.weights + last.biases;
    }
    case ModelKind::mean:
      return protocols::spec_of(plan.randomizer()).randomizes == protocols::Randomizes::one_number
                 ? 1
                 : inputs.size();
    case ModelKind::histogram:
      return classes;
  }
  throw Error(ErrorCode::internal, "model.kind", "", "", "a model that cannot be trained");
}

std::unique_ptr<learning::ClientFunction> make_client_function(const protocols::Plan& plan,
                                                               const learning::Dataset& inputs) {
  switch (plan.model()) {
    case ModelKind::cnn:
      return learning::make_engine(architecture_for(ArchitectureKind::cnn, plan, inputs));
    case ModelKind::logistic:
      return learning::make_engine(architecture_for(ArchitectureKind::logistic, plan, inputs));
    case ModelKind::mlp:
      return learning::make_engine(architecture_for(ArchitectureKind::mlp, plan, inputs));
    case ModelKind::features_linear:
      return learning::make_engine(linear_on(inputs));
    case ModelKind::mean:
      return protocols::spec_of(plan.randomizer()).randomizes == protocols::Randomizes::one_number
                 ? learning::make_scalar_mean(inputs)
                 : learning::make_vector_mean(inputs);
    case ModelKind::histogram:
      return learning::make_histogram(inputs);
  }
  throw Error(ErrorCode::internal, "model.kind", "", "", "a model that cannot be trained");
}

ModelTask make_model_task(const protocols::Plan& plan, const learning::DataSplit& data) {
  switch (plan.model()) {
    case ModelKind::cnn:
      return classifier(architecture_for(ArchitectureKind::cnn, plan, data.train), plan, data.train);
    case ModelKind::logistic:
      return classifier(architecture_for(ArchitectureKind::logistic, plan, data.train), plan, data.train);
    case ModelKind::mlp:
      return classifier(architecture_for(ArchitectureKind::mlp, plan, data.train), plan, data.train);
    case ModelKind::features_linear:
      return on_features(plan, data);
    case ModelKind::mean:
      return mean(plan, data);
    case ModelKind::histogram:
      return histogram(plan, data);
  }
  throw Error(ErrorCode::internal, "model.kind", "", "", "a model that cannot be trained");
}

}  // namespace muster::simulation

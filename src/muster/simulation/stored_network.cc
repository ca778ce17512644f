#include "muster/simulation/stored_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "muster/core/error.h"
#include "muster/learning/gradients/engine.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {
namespace {

using learning::ActivationFunction;
using learning::Architecture;
using learning::ArchitectureKind;
using learning::Dataset;

std::string input_text(const learning::Shape& shape) {
  return fmt::format("{}x{}x{}", shape.height, shape.width, shape.channels);
}

const char* activation_text(ActivationFunction activation) {
  return activation == ActivationFunction::tanh ? "tanh" : "relu";
}

// Returns the metadata about the inputs: `mean` and `deviation` of each channel; empty for rows of features.
std::map<std::string, std::string> normalisation_of(const Dataset& data) {
  if (!data.values.empty()) return {};
  std::string means, deviations;
  for (const learning::ChannelScale& channel : data.normalisation.channels()) {
    const char* between = means.empty() ? "" : ",";
    means += fmt::format("{}{}", between, channel.mean);
    deviations += fmt::format("{}{}", between, channel.deviation);
  }
  return {{"mean", means}, {"deviation", deviations}};
}

// Returns a JSON array of the names; empty text if there are none.
std::string labels_text(const std::vector<std::string>& names) {
  return names.empty() ? ""
                       : nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string about(const StoredModel& model, const std::string& key) {
  const auto found = model.about.find(key);
  return found == model.about.end() ? "" : found->second;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& key, const std::string& value,
                         const std::string& allowed) {
  throw Error(ErrorCode::file, file.string(), value, allowed,
              fmt::format("has a \"{}\" in its metadata that muster does not know", key));
}

// Height, width, channels and classes are at most 65,536 each, and an input has at most 10^8 values, so no
// product of sizes overflows.
constexpr std::size_t kMaxSide = 65'536, kMaxInputs = 100'000'000;

std::size_t positive(const std::string& text, const std::string& whole, const std::filesystem::path& file,
                     const std::string& key) {
  std::size_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || value > kMaxSide) refuse(file, key, whole, "sizes of 1 to 65536");
    value = value * 10 + static_cast<std::size_t>(digit - '0');
  }
  if (value == 0 || value > kMaxSide) refuse(file, key, whole, "sizes of 1 to 65536");
  return value;
}

learning::Shape input_of(const StoredModel& model, const std::filesystem::path& file) {
  const std::string text = about(model, "input");
  std::array<std::size_t, 3> sides{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::size_t end = i + 1 < sides.size() ? text.find('x', at) : text.size();
    if (end == std::string::npos) refuse(file, "input", text, "HEIGHTxWIDTHxCHANNELS");
    sides[i] = positive(text.substr(at, end - at), text, file, "input");
    at = end + 1;
  }
  const learning::Shape shape{sides[0], sides[1], sides[2]};
  if (shape.size() > kMaxInputs) refuse(file, "input", text, "at most 10^8 inputs");
  return shape;
}

Architecture architecture_of(const StoredModel& model, const std::filesystem::path& file) {
  Architecture architecture;
  const std::string kind = about(model, "model");
  constexpr std::array kKinds{ArchitectureKind::cnn, ArchitectureKind::logistic, ArchitectureKind::mlp};
  const auto found =
      std::ranges::find_if(kKinds, [&](ArchitectureKind each) { return kind == name_of(each); });
  if (found == kKinds.end()) refuse(file, "model", kind, "cnn | logistic | mlp");
  architecture.kind = *found;
  architecture.input = input_of(model, file);
  architecture.classes = positive(about(model, "classes"), about(model, "classes"), file, "classes");
  const std::string activation = about(model, "activation");
  if (activation == activation_text(ActivationFunction::tanh)) {
    architecture.activation = ActivationFunction::tanh;
  } else if (!activation.empty() && activation != activation_text(ActivationFunction::relu)) {
    refuse(file, "activation", activation, "relu | tanh");
  }
  return architecture;
}

std::vector<std::string> class_names_of(const StoredModel& model, std::size_t classes,
                                        const std::filesystem::path& file) {
  const std::string text = about(model, "labels");
  if (text.empty()) return {};
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_text = [](const nlohmann::json& name) { return name.is_string(); };
  if (!list.is_array() || list.size() != classes || classes > learning::kMaxClasses ||
      !std::all_of(list.begin(), list.end(), is_text)) {
    refuse(file, "labels", text, "a JSON array of one text per class, of at most 256");
  }
  return list.get<std::vector<std::string>>();
}

void require_fits(const StoredModel& model, const Architecture& architecture, const Dataset& test) {
  const auto require = [](const char* key, const std::string& data, const std::string& trained) {
    if (data != trained) {
      throw Error(ErrorCode::data, "--data", data, trained,
                  fmt::format("has another {} than the model was trained on", key));
    }
  };
  require("input", input_text(test.shape), input_text(architecture.input));
  require("number of classes", fmt::format("{}", test.classes), fmt::format("{}", architecture.classes));
  require("set of class names", labels_text(test.class_names), about(model, "labels"));
  const std::map<std::string, std::string> inputs = normalisation_of(test);
  for (const char* key : {"mean", "deviation"}) {
    const auto found = inputs.find(key);
    require(key, found == inputs.end() ? "" : found->second, about(model, key));
  }
  if (test.size() == 0)
    throw Error(ErrorCode::data, "--data", "", "at least one test example", "has no test examples");
}

}  // namespace

std::map<std::string, std::string> about_classes(const Dataset& data) {
  if (data.class_names.empty()) return {};
  return {{"labels", labels_text(data.class_names)}};
}

std::map<std::string, std::string> about_network(const Architecture& architecture, const Dataset& data) {
  std::map<std::string, std::string> about = normalisation_of(data);
  about.merge(about_classes(data));
  about["format"] = "pt";  // tells readers of safetensors that the tensors are in PyTorch's layout
  about["model"] = name_of(architecture.kind);
  about["input"] = input_text(architecture.input);
  about["classes"] = fmt::format("{}", architecture.classes);
  if (architecture.kind != ArchitectureKind::logistic)
    about["activation"] = activation_text(architecture.activation);
  return about;
}

StoredModel stored_network(const Architecture& architecture, std::map<std::string, std::string> about,
                           std::span<const float> parameters) {
  return {std::move(about), learning::named_tensors(learning::layers(architecture), parameters)};
}

LoadedNetwork loaded_network(const StoredModel& model, const std::filesystem::path& file) {
  LoadedNetwork network{architecture_of(model, file), {}, {}};
  network.class_names = class_names_of(model, network.architecture.classes, file);
  try {
    network.parameters = learning::flat_parameters(learning::layers(network.architecture), model.tensors);
  } catch (const Error& error) {
    throw Error(ErrorCode::file, file.string(), about(model, "model"),
                "the tensors of the model that it names", error.what());
  }
  return network;
}

TestScore score_of(const StoredModel& model, const Dataset& test, const std::filesystem::path& file) {
  const LoadedNetwork network = loaded_network(model, file);
  require_fits(model, network.architecture, test);
  const std::unique_ptr<learning::GradientEngine> engine = learning::make_engine(network.architecture);
  WorkerTeam team(std::max(1U, std::thread::hardware_concurrency()));
  return make_classifier_evaluator(*engine, test, team)->score(network.parameters);
}

}  // namespace muster::simulation

// Converts trained networks to and from the content of model.safetensors, and measures their accuracy.
//
// Besides the tensors (learning/models/named_tensors.h), the file holds metadata that another program needs
// to run the network: `model` (cnn, logistic or mlp), `input` (height x width x channels), `classes`,
// `activation` and, for images, `mean` and `deviation` per channel: an input is (byte / 255 - mean) /
// deviation. If labels are text, `labels` has the names of the classes, in order, as a JSON array. The
// functions may be called from any thread.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/models/architecture.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/runs/model_file.h"

namespace muster::simulation {

// Returns the metadata of a network for inputs with the shape and normalisation of those in `data`.
std::map<std::string, std::string> about_network(const learning::Architecture& architecture,
                                                 const learning::Dataset& data);

// Returns the metadata that name the classes of `data`; empty if its labels are numbers.
std::map<std::string, std::string> about_classes(const learning::Dataset& data);

// Returns the content of model.safetensors for this network: `parameters`, cut into the tensors of
// `architecture`, and `about` as the metadata.
StoredModel stored_network(const learning::Architecture& architecture,
                           std::map<std::string, std::string> about, std::span<const float> parameters);

struct LoadedNetwork {
  learning::Architecture architecture;
  std::vector<std::string> class_names;  // the names of the classes, as in learning::Dataset
  std::vector<float> parameters;
};

// Returns the network in the file. Throws Error(file), naming `file`, if the metadata do not describe a
// network that muster knows (those of a statistic do not), or if the tensors are not those of that network.
LoadedNetwork loaded_network(const StoredModel& model, const std::filesystem::path& file);

// Returns the accuracy and loss of the network on `test`, measured by the evaluator that runs use. Throws
// Error(data) if `test` has no examples, or if its shape of inputs, number of classes, names of classes or
// normalisation differs from that of the network's training data. Also throws as loaded_network does.
TestScore score_of(const StoredModel& model, const learning::Dataset& test,
                   const std::filesystem::path& file);

}  // namespace muster::simulation

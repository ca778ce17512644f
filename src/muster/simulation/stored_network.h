// Trained networks as they are stored in model.safetensors, and their accuracy when they are read back.
//
// Beside the tensors (learning/models/named_tensors.h) the file's metadata say what another program needs to run the
// network: `model` (cnn, logistic or mlp), `input` (height x width x channels), `classes`, `activation` and, for
// images, `mean` and `deviation` per channel: an input is (byte / 255 - mean) / deviation. Where labels are text,
// `labels` has the names of the classes, in order, as a JSON array. Thread-safe.
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

// The metadata of a network for inputs with the shape and normalisation of those in `data`.
std::map<std::string, std::string> about_network(const learning::Architecture& architecture,
                                                 const learning::Dataset& data);

// The metadata that name the classes of `data`; none if its labels are numbers.
std::map<std::string, std::string> about_classes(const learning::Dataset& data);

// The network with these parameters and metadata.
StoredModel stored_network(const learning::Architecture& architecture,
                           std::map<std::string, std::string> about, std::span<const float> parameters);

struct LoadedNetwork {
  learning::Architecture architecture;
  std::vector<std::string> class_names;  // as in Dataset
  std::vector<float> parameters;
};

// Throws Error(file), naming `file`, if the metadata does not describe a network that muster knows (that of a
// statistic does not), or if the tensors are not those of that network.
LoadedNetwork loaded_network(const StoredModel& model, const std::filesystem::path& file);

// How well the network does on `test`, as the evaluator of a run measures it. Throws Error(data) for inputs of another
// shape, another number of classes, other names of classes or another normalisation than the network was trained on,
// and for no examples; otherwise as loaded_network.
TestScore score_of(const StoredModel& model, const learning::Dataset& test,
                   const std::filesystem::path& file);

}  // namespace muster::simulation

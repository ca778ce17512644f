// Trained networks as they are stored in model.safetensors, and their accuracy when they are read back.
//
// Beside the tensors (learning/models/named_tensors.h) the file's metadata say what another program needs to run the
// network: `model` (cnn, logistic or mlp), `input` (height x width x channels), `classes`, `activation` and, for
// images, `mean` and `deviation` per channel: an input is (byte / 255 - mean) / deviation. Thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/models/architecture.h"
#include "muster/simulation/runs/model_file.h"

namespace muster::simulation {

// The metadata of a network for inputs with the shape and normalisation of those in `data`.
std::map<std::string, std::string> about_network(const learning::Architecture& architecture,
                                                 const learning::Dataset& data);

// The network with these parameters and metadata.
StoredModel stored_network(const learning::Architecture& architecture,
                           std::map<std::string, std::string> about, std::span<const float> parameters);

struct LoadedNetwork {
  learning::Architecture architecture;
  std::vector<float> parameters;
};

// Throws Error(file), naming `file`, if the metadata does not describe a network that muster knows (that of a
// statistic does not), or if the tensors are not those of that network.
LoadedNetwork loaded_network(const StoredModel& model, const std::filesystem::path& file);

struct TestScore {
  double accuracy;  // the fraction of examples whose predicted class is the label
  double loss;      // the mean cross-entropy, in nats
};

// Measures the network on `test`. Throws Error(data) if `test` has no examples, or has another shape, number
// of classes or normalisation than the data on which the network was trained; and Error(file) as
// loaded_network does.
TestScore score_of(const StoredModel& model, const learning::Dataset& test,
                   const std::filesystem::path& file);

}  // namespace muster::simulation

// Writes and reads the file model.safetensors of a finished run, which holds the trained model in the
// safetensors format. Libraries for PyTorch, JAX and others read this format.
//
// The format (https://github.com/huggingface/safetensors) has three parts:
//     8 bytes   the length of the header, little-endian
//     header    a JSON object with each tensor's dtype, shape and place, and texts under "__metadata__"
//     values    the values of all tensors
// Here every value is a 32-bit float, and tensors are stored in the order of StoredModel::tensors. The
// functions are pure and may be called from any thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/learning/models/named_tensors.h"

namespace muster::simulation {

inline constexpr const char* kModelFile = "model.safetensors";

struct StoredModel {
  std::map<std::string, std::string> about;  // the texts under "__metadata__"
  std::vector<learning::NamedTensor> tensors;
  bool operator==(const StoredModel&) const = default;
};

std::string encode_model(const StoredModel& model);

// Reads what encode_model writes, and any other file of the format in which every value is a 32-bit float.
// Throws Error(file), naming `file`, for all other bytes: it checks the length and the syntax of the header,
// every shape, and that the tensors cover the values without gap or overlap.
StoredModel decode_model(std::string_view bytes, const std::filesystem::path& file);

}  // namespace muster::simulation

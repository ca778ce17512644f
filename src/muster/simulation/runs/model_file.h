// The file model.safetensors of a finished run: the trained model in the safetensors format, which PyTorch, JAX and
// others read.
//
// The format (https://github.com/huggingface/safetensors): 8 bytes with the little-endian length of the header; the
// header, a JSON object that gives each tensor's dtype, shape and place, with texts under "__metadata__"; the values.
// Here every value is a 32-bit float, and tensors follow one another in the order of the list. Pure functions.
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
  std::map<std::string, std::string> about;  // "__metadata__"
  std::vector<learning::NamedTensor> tensors;
  bool operator==(const StoredModel&) const = default;
};

std::string encode_model(const StoredModel& model);

// Reads what encode_model writes, and any other file of the format whose tensors are all of 32-bit floats. Throws
// Error(file) that names `file` for bytes that are not such a file: the header's length and syntax, every shape, and
// that the places of the tensors cover the values without gap or overlap are checked.
StoredModel decode_model(std::string_view bytes, const std::filesystem::path& file);

}  // namespace muster::simulation

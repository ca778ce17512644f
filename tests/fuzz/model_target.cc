// This target is the reader of model.safetensors. A model that is accepted is written, and what is written
// must be read and written again byte for byte. Then the network that the model describes is made, if muster
// knows it.
#include <optional>

#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/stored_network.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {

bool accepts(Input input) {
  const std::string bytes = text_of(input);
  std::optional<simulation::StoredModel> model;
  accepted([&] { model = simulation::decode_model(bytes, "model"); }, {ErrorCode::file});
  if (model) {
    const std::string written = simulation::encode_model(*model);
    // The target fails if this throws an Error.
    if (simulation::encode_model(simulation::decode_model(written, "written")) != written) {
      std::abort();
    }
    // A cnn whose windows do not fit into its inputs is refused, too.
    accepted([&] { static_cast<void>(simulation::loaded_network(*model, "model")); },
             {ErrorCode::file, ErrorCode::plan});
  }
  return model.has_value();
}

}  // namespace muster::fuzz

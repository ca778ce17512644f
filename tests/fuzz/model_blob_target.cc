// This target reads the blobs that a descriptor names. The first byte of an input says which one: 0 is
// the model and 1 the frozen network. A blob that is read must be encoded to the same bytes.
#include <algorithm>
#include <cstdlib>

#include "muster/service/model/model_blob.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {
namespace {

// The largest whole number of parameters that the bytes can hold. No other number may be accepted.
bool is_model(Input blob) {
  const std::size_t dimension = blob.size() / sizeof(float);
  if (service::decode_model(blob, dimension + 1)) std::abort();
  const auto parameters = service::decode_model(blob, dimension);
  if (parameters && !std::ranges::equal(service::encode_model(*parameters), blob)) std::abort();
  return parameters.has_value();
}

bool is_frozen(Input blob) {
  const auto frozen = service::decode_frozen(blob);
  if (frozen && !std::ranges::equal(service::encode_frozen(*frozen), blob)) std::abort();
  return frozen.has_value();
}

}  // namespace

bool accepts(Input input) {
  if (input.empty() || input[0] > 1) return false;
  return input[0] == 0 ? is_model(input.subspan(1)) : is_frozen(input.subspan(1));
}

}  // namespace muster::fuzz

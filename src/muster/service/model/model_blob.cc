#include "muster/service/model/model_blob.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "muster/core/error.h"
#include "muster/learning/models/architecture.h"
#include "muster/wire/hash.h"

namespace muster::service {
namespace {

using learning::ActivationFunction;
using learning::Architecture;
using learning::ArchitectureKind;

static_assert(std::numeric_limits<float>::is_iec559);

constexpr std::size_t kFrozenHeader = 4 * 4 + 1;
constexpr std::uint32_t kMaxSide = 4096, kMaxChannels = 4096;

void write_parameters(std::span<const float> parameters, wire::FieldWriter& out) {
  for (const float parameter : parameters) {
    if (!std::isfinite(parameter)) {
      throw Error(ErrorCode::internal, "model", "", "finite parameters",
                  "has a parameter that is not finite");
    }
    out.integer(std::bit_cast<std::uint32_t>(parameter));
  }
}

// Reads all that is left, which must be `count` parameters.
std::optional<std::vector<float>> read_parameters(wire::FieldReader& in, std::size_t count) {
  if (in.rest().size() != count * sizeof(float)) return std::nullopt;
  std::vector<float> parameters(count);
  for (float& parameter : parameters) {
    parameter = std::bit_cast<float>(in.integer<std::uint32_t>());
    if (!std::isfinite(parameter)) return std::nullopt;
  }
  return parameters;
}

bool is_cnn(const Architecture& network) {
  const auto in = [](std::size_t value, std::size_t least, std::size_t most) {
    return value >= least && value <= most;
  };
  return network.kind == ArchitectureKind::cnn && in(network.input.height, learning::kMinCnnSide, kMaxSide) &&
         in(network.input.width, learning::kMinCnnSide, kMaxSide) &&
         in(network.input.channels, 1, kMaxChannels) && in(network.classes, 1, learning::kMaxClasses);
}

}  // namespace

wire::Buffer encode_model(std::span<const float> parameters) {
  wire::FieldWriter out(parameters.size() * sizeof(float));
  write_parameters(parameters, out);
  return out.take();
}

std::optional<std::vector<float>> decode_model(wire::Bytes blob, std::size_t dimension) {
  wire::FieldReader in(blob);
  return read_parameters(in, dimension);
}

wire::Buffer encode_frozen(const simulation::FrozenNetwork& frozen) {
  const Architecture& network = frozen.network;
  if (!is_cnn(network) || frozen.parameters.size() != learning::parameter_count(network)) {
    throw Error(ErrorCode::internal, "frozen", "", "a cnn and all its parameters", "is another network");
  }
  wire::FieldWriter out(kFrozenHeader + frozen.parameters.size() * sizeof(float));
  for (const std::size_t field :
       {network.input.height, network.input.width, network.input.channels, network.classes}) {
    out.integer(static_cast<std::uint32_t>(field));
  }
  out.integer(static_cast<std::uint8_t>(network.activation == ActivationFunction::tanh ? 1 : 0));
  write_parameters(frozen.parameters, out);
  return out.take();
}

std::optional<simulation::FrozenNetwork> decode_frozen(wire::Bytes blob) {
  if (blob.size() < kFrozenHeader) return std::nullopt;
  wire::FieldReader in(blob);
  Architecture network{ArchitectureKind::cnn};
  network.input.height = in.integer<std::uint32_t>();
  network.input.width = in.integer<std::uint32_t>();
  network.input.channels = in.integer<std::uint32_t>();
  network.classes = in.integer<std::uint32_t>();
  const auto activation = in.integer<std::uint8_t>();
  if (activation > 1 || !is_cnn(network)) return std::nullopt;
  if (activation == 1) network.activation = ActivationFunction::tanh;
  auto parameters = read_parameters(in, learning::parameter_count(network));
  if (!parameters) return std::nullopt;
  return simulation::FrozenNetwork{network, std::move(*parameters)};
}

wire::Hash blob_hash(wire::Bytes blob) { return wire::hash_of({blob}); }

}  // namespace muster::service

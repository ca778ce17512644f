#include "muster/service/aggregator/learned_model.h"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"

namespace muster::service {
namespace {

constexpr std::size_t kHeader = 8 + 1 + 8;

void write(wire::FieldWriter& out, const std::vector<float>& values) {
  for (const float value : values) out.integer(std::bit_cast<std::uint32_t>(value));
}

std::vector<float> read(wire::FieldReader& in, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = std::bit_cast<float>(in.integer<std::uint32_t>());
  return values;
}

}  // namespace

bool is_finite(const simulation::ModelState& state) {
  return randomizers::is_finite(state.parameters) && randomizers::is_finite(state.momentum) &&
         randomizers::is_finite(state.average);
}

wire::Buffer encode(const LearnedModel& model) {
  const simulation::ModelState& state = model.state;
  const std::size_t dimension = state.parameters.size();
  if (state.momentum.size() != dimension || state.average.size() != dimension || !is_finite(state)) {
    throw Error(ErrorCode::internal, "model", "", "", "is no state that can be kept");
  }
  wire::FieldWriter out(kHeader + 3 * sizeof(float) * dimension);
  out.integer(state.updates).integer(static_cast<std::uint8_t>(model.diverged ? 1 : 0));
  out.integer(static_cast<std::uint64_t>(dimension));
  write(out, state.parameters);
  write(out, state.momentum);
  write(out, state.average);
  return out.take();
}

std::optional<LearnedModel> decode_learned(wire::Bytes bytes, std::size_t dimension) {
  if (bytes.size() < kHeader || bytes.size() - kHeader != 3 * sizeof(float) * dimension) return std::nullopt;
  wire::FieldReader in(bytes);
  LearnedModel model;
  model.state.updates = in.integer<std::uint64_t>();
  const auto diverged = in.integer<std::uint8_t>();
  if (diverged > 1 || in.integer<std::uint64_t>() != dimension) return std::nullopt;
  model.diverged = diverged == 1;
  model.state.parameters = read(in, dimension);
  model.state.momentum = read(in, dimension);
  model.state.average = read(in, dimension);
  if (!is_finite(model.state)) return std::nullopt;
  return model;
}

}  // namespace muster::service

#include "muster/service/aggregator/learned_model.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"
#include "muster/service/model/model_blob.h"

namespace muster::service {
namespace {

constexpr std::size_t kHeader = 8 + 1 + 8;

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
  for (const auto* vector : {&state.parameters, &state.momentum, &state.average})
    out.bytes(encode_model(*vector));
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
  for (auto* vector : {&model.state.parameters, &model.state.momentum, &model.state.average}) {
    auto read = decode_model(in.bytes(sizeof(float) * dimension), dimension);
    if (!read) return std::nullopt;
    *vector = *std::move(read);
  }
  return model;
}

std::optional<std::uint64_t> stated_updates(wire::Bytes bytes) {
  if (bytes.size() < kHeader) return std::nullopt;
  return wire::FieldReader(bytes).integer<std::uint64_t>();
}

}  // namespace muster::service

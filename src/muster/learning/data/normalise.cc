#include "muster/learning/data/normalise.h"

namespace muster::learning {

Normalisation::Normalisation(std::span<const ChannelScale> channels)
    : channels_(channels.begin(), channels.end()) {
  for (const ChannelScale& scale : channels_) {
    std::array<float, 256>& table = tables_.emplace_back();
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
      table[byte] = static_cast<float>((static_cast<double>(byte) / 255.0 - scale.mean) / scale.deviation);
    }
  }
}

void Normalisation::apply(std::span<const std::uint8_t> pixels, std::span<float> out) const {
  const std::size_t channels = tables_.size();
  for (std::size_t c = 0; c < channels; ++c) {
    const std::array<float, 256>& table = tables_[c];
    for (std::size_t p = c; p < pixels.size(); p += channels) out[p] = table[pixels[p]];
  }
}

}  // namespace muster::learning

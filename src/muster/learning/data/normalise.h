// From a pixel byte to a model input: (byte / 255 - mean) / deviation, by constants of each channel that are
// public and not computed from the data at hand.
//
// kMnist: mean and standard deviation of MNIST's training pixels, as the literature has used them for
// decades; also for the built-in digits and whatever else comes as idx files. kCifar: those of CIFAR-10's
// red, green and blue, also used for CIFAR-100. Immutable; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::learning {

struct ChannelScale {
  double mean;
  double deviation;
  bool operator==(const ChannelScale&) const = default;
};

inline constexpr std::array<ChannelScale, 1> kMnist{{{0.1307, 0.3081}}};
inline constexpr std::array<ChannelScale, 3> kCifar{{{0.4914, 0.2470}, {0.4822, 0.2435}, {0.4465, 0.2616}}};

class Normalisation {
 public:
  explicit Normalisation(std::span<const ChannelScale> channels);

  std::span<const ChannelScale> channels() const { return channels_; }
  // pixels: [position][channel]; out: as many floats.
  void apply(std::span<const std::uint8_t> pixels, std::span<float> out) const;

 private:
  std::vector<ChannelScale> channels_;
  std::vector<std::array<float, 256>> tables_;  // one a channel
};

}  // namespace muster::learning

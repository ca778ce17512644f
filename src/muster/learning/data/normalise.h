// Converts pixel bytes to model inputs: (byte / 255 - mean) / deviation. The constants are public, one pair
// per channel, and are not computed from the data.
//
// kMnist is the mean and standard deviation of MNIST's training pixels, as commonly used. It also serves for
// the built-in digits and for all other idx files. kCifar holds the constants of CIFAR-10's red, green and
// blue; it also serves for CIFAR-100. A Normalisation is immutable and may be shared between threads.
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
  // `pixels` is [position][channel]; `out` must have as many elements.
  void apply(std::span<const std::uint8_t> pixels, std::span<float> out) const;

 private:
  std::vector<ChannelScale> channels_;
  std::vector<std::array<float, 256>> tables_;  // the input for each byte, one table per channel
};

}  // namespace muster::learning

// Compares the normalised pixels, for every byte and channel, with the formula in double precision, and
// checks how Dataset returns pixels and rows.
#include "muster/learning/data/normalise.h"

#include <gtest/gtest.h>

#include "muster/learning/dataset.h"

namespace muster::learning {
namespace {

// The result equals, bit for bit, the formula evaluated in double precision and then rounded to a float.
TEST(Normalisation, IsTheFormulaForEveryByteAndChannel) {
  const Normalisation normalisation(kCifar);
  std::vector<std::uint8_t> pixels;
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned channel = 0; channel < 3; ++channel) {
      pixels.push_back(static_cast<std::uint8_t>(byte + 85 * channel));
    }
  }
  std::vector<float> out(pixels.size());
  normalisation.apply(pixels, out);
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    const ChannelScale scale = kCifar[p % 3];
    EXPECT_EQ(out[p], static_cast<float>((pixels[p] / 255.0 - scale.mean) / scale.deviation));
  }
}

TEST(Dataset, ReadsBytesThroughTheBufferAndFloatsInPlace) {
  Dataset images;
  images.shape = {1, 2, 1};
  images.bytes = {0, 255, 10, 20};
  images.labels = {3, 4};
  std::vector<float> buffer(2);
  const Example second = images.example(1, buffer);
  EXPECT_EQ(second.label, 4);
  EXPECT_EQ(second.inputs.data(), buffer.data());
  EXPECT_EQ(second.inputs[1], static_cast<float>((20 / 255.0 - 0.1307) / 0.3081));
  Dataset rows;
  rows.shape = {1, 1, 2};
  rows.values = {1.5F, 2.5F, -3.5F, 4.5F};
  rows.labels = {0, 1};
  const Example row = rows.example(1, buffer);
  EXPECT_EQ(row.inputs.data(), rows.values.data() + 2);
  EXPECT_EQ(row.inputs[0], -3.5F);
}

}  // namespace
}  // namespace muster::learning

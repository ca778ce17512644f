// A model must be read back bit by bit. Other lengths, numbers that are not finite, and changed headers must
// be refused or be the encoding of another network.
#include "muster/service/model/model_blob.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/wire/hash.h"

namespace muster::service {
namespace {

simulation::FrozenNetwork network(
    learning::ActivationFunction activation = learning::ActivationFunction::relu) {
  learning::Architecture cnn{learning::ArchitectureKind::cnn, {14, 15, 2}, 3, activation};
  std::vector<float> parameters(learning::parameter_count(cnn));
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = static_cast<float>(i) * -0.25F;
  return {cnn, std::move(parameters)};
}

TEST(ModelBlob, ParametersAreReadBackBitForBit) {
  const std::vector<float> parameters{0.0F, -0.0F, 1.5F, std::numeric_limits<float>::denorm_min(),
                                      std::numeric_limits<float>::max()};
  const wire::Buffer blob = encode_model(parameters);
  ASSERT_EQ(blob.size(), 20u);
  EXPECT_EQ(blob[7], 0x80) << "-0, little-endian";
  const auto read = decode_model(blob, 5);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_model(*read), blob);
  EXPECT_EQ(blob_hash(blob), wire::hash_of({wire::Bytes(blob)}));
}

TEST(ModelBlob, EveryOtherLengthAndNumberIsRefused) {
  const wire::Buffer blob = encode_model(std::vector<float>{1, 2, 3});
  EXPECT_FALSE(decode_model(blob, 2));
  EXPECT_FALSE(decode_model(blob, 4));
  EXPECT_FALSE(decode_model({}, 3));
  EXPECT_FALSE(decode_model(wire::Bytes(blob).first(11), 3));
  for (const std::uint8_t top : {std::uint8_t{0x7f}, std::uint8_t{0xff}}) {
    wire::Buffer changed = blob;
    changed[11] = top;
    changed[10] = 0x80;  // infinity; with a further bit, NaN
    EXPECT_FALSE(decode_model(changed, 3));
    changed[8] = 1;
    EXPECT_FALSE(decode_model(changed, 3));
  }
  EXPECT_ERROR(ErrorCode::internal,
               encode_model(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}));
}

TEST(ModelBlob, AFrozenNetworkIsReadBack) {
  for (const auto activation : {learning::ActivationFunction::relu, learning::ActivationFunction::tanh}) {
    const simulation::FrozenNetwork written = network(activation);
    const auto read = decode_frozen(encode_frozen(written));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->network, written.network);
    EXPECT_EQ(read->parameters, written.parameters);
  }
}

TEST(ModelBlob, AChangedHeaderOfAFrozenNetworkIsAnotherNetworkOrNone) {
  const wire::Buffer blob = encode_frozen(network());
  for (std::size_t size = 0; size < 40; ++size) EXPECT_FALSE(decode_frozen(wire::Bytes(blob).first(size)));
  wire::Buffer longer = blob;
  longer.push_back(0);
  EXPECT_FALSE(decode_frozen(longer));
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < 17; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      wire::Buffer changed = blob;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ 1u << bit);
      const auto read = decode_frozen(changed);
      if (!read) continue;
      ++accepted;
      EXPECT_EQ(encode_frozen(*read), changed) << "no network has two encodings";
    }
  }
  EXPECT_GE(accepted, 1u) << "the other activation";
  wire::Buffer infinite = blob;
  infinite[blob.size() - 1] = 0x7f;
  infinite[blob.size() - 2] = 0x80;
  EXPECT_FALSE(decode_frozen(infinite));
}

TEST(ModelBlob, OnlyAWholeCnnIsFrozen) {
  simulation::FrozenNetwork cut = network();
  cut.parameters.pop_back();
  EXPECT_ERROR(ErrorCode::internal, encode_frozen(cut));
  simulation::FrozenNetwork other = network();
  other.network.kind = learning::ArchitectureKind::mlp;
  EXPECT_ERROR(ErrorCode::internal, encode_frozen(other));
}

}  // namespace
}  // namespace muster::service

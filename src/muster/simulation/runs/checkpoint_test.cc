// A checkpoint must be read back as it was written, also from older versions. Each truncation, changed byte
// and impossible field must be refused.
#include "muster/simulation/runs/checkpoint.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::simulation {
namespace {

Checkpoint example() {
  Checkpoint checkpoint;
  checkpoint.plan_hash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0f19";
  checkpoint.data[3] = 7;
  checkpoint.round = 12;
  checkpoint.messages = 3456;
  checkpoint.seconds = 1.5;
  checkpoint.metrics_bytes = 99;
  checkpoint.neutral = 21;
  checkpoint.records = 60'000;
  checkpoint.fidelity = Fidelity::sum;
  checkpoint.model = ModelState({1.0f, -2.5f, 3e-30f});
  checkpoint.model.updates = 11;
  checkpoint.model.momentum[1] = 0.25f;
  checkpoint.model.average[2] = -0.0f;
  return checkpoint;
}

// Returns the bytes of an altered checkpoint with the checksum that fits them.
std::string resealed(std::string bytes) {
  bytes.resize(bytes.size() - 32);
  Digest digest;
  crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                     bytes.size(), nullptr, 0);
  bytes.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return bytes;
}

constexpr std::size_t kNeutralAt = 8 + 4 + 64 + 32 + 5 * 8;

// Converts a checkpoint to version 2 or 3. Both lack the sampler; version 2 also lacks the neutral answers
// and the records.
std::string of_version(char version, std::string bytes) {
  bytes[8] = version;
  bytes.erase(kNeutralAt + 16, 8);
  return resealed(version == 2 ? bytes.erase(kNeutralAt, 16) : bytes);
}

void expect_refused(const std::string& bytes) {
  SCOPED_TRACE(bytes.size());
  const Error error = error_of([&] { decode(bytes, "some/checkpoint"); });
  EXPECT_EQ(error.code(), ErrorCode::checkpoint);
  EXPECT_EQ(error.key(), "some/checkpoint");
}

TEST(Checkpoint, ComesBackAsItWasWritten) {
  const Checkpoint written = example();
  const Checkpoint read = decode(encode(written), "file");
  EXPECT_EQ(read.plan_hash, written.plan_hash);
  EXPECT_EQ(read.data, written.data);
  EXPECT_EQ(read.fidelity, Fidelity::sum);
  EXPECT_EQ(read.round, 12);
  EXPECT_EQ(read.messages, 3456);
  EXPECT_EQ(read.seconds, 1.5);
  EXPECT_EQ(read.metrics_bytes, 99);
  EXPECT_EQ(read.neutral, 21);
  EXPECT_EQ(read.records, 60'000);
  EXPECT_EQ(read.sampler, kGaussianSampler);
  EXPECT_EQ(read.model.updates, 11);
  EXPECT_EQ(read.model.parameters, written.model.parameters);
  EXPECT_EQ(read.model.momentum, written.model.momentum);
  EXPECT_EQ(read.model.average, written.model.average);
  EXPECT_EQ(encode(read), encode(written));
}

TEST(Checkpoint, OlderVersionsAreReadWithoutWhatTheyDoNotSay) {
  const Checkpoint written = example();
  const Checkpoint third = decode(of_version(3, encode(written)), "file");
  EXPECT_EQ(third.sampler, 1);
  EXPECT_EQ(third.neutral, 21);
  EXPECT_EQ(third.records, 60'000);
  EXPECT_EQ(third.model.updates, written.model.updates);
  const std::string bytes = of_version(2, encode(written));
  const Checkpoint read = decode(bytes, "file");
  EXPECT_EQ(read.sampler, 1);
  EXPECT_EQ(read.round, written.round);
  EXPECT_EQ(read.metrics_bytes, written.metrics_bytes);
  EXPECT_EQ(read.neutral, 0);
  EXPECT_EQ(read.records, 0);
  EXPECT_EQ(read.model.updates, written.model.updates);
  EXPECT_EQ(read.model.average, written.model.average);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_refused(bytes.substr(0, length));
  }
}

TEST(Checkpoint, EveryTruncationAndEveryChangedByteIsRefused) {
  const std::string bytes = encode(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_refused(bytes.substr(0, length));
  }
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 0x10);
    expect_refused(changed);
  }
  expect_refused(bytes + "x");
}

TEST(Checkpoint, FieldsThatDoNotFitAreRefusedEvenUnderARightChecksum) {
  const std::string bytes = encode(example());
  std::string version = bytes;
  for (const char other : {'\0', '\1', '\5'}) {
    version[8] = other;
    expect_refused(resealed(version));
  }
  std::string fidelity = bytes;
  fidelity[8 + 4 + 64 + 32] = 2;
  expect_refused(resealed(fidelity));
  std::string hash = bytes;
  hash[12] = 'G';
  expect_refused(resealed(hash));
  std::string neutral = bytes;
  neutral[kNeutralAt + 7] = 1;  // more neutral answers than messages
  expect_refused(resealed(neutral));
  std::string sampler = bytes;
  sampler[kNeutralAt + 16] = 0;
  expect_refused(resealed(sampler));
  for (const double time : {-1.0, 1e301, std::numeric_limits<double>::infinity(), std::nan("")}) {
    std::string seconds = bytes;
    std::memcpy(&seconds[8 + 4 + 64 + 32 + 3 * 8], &time, sizeof time);
    expect_refused(resealed(seconds));
  }
  const std::size_t dimension_at = 8 + 4 + 64 + 32 + 9 * 8;
  for (const char low : {'\x02', '\x04', '\x00', '\x7f'}) {
    std::string dimension = bytes;
    dimension[dimension_at] = low;
    expect_refused(resealed(dimension));
  }
  std::string huge = bytes;
  huge[dimension_at + 7] = 0x40;  // d is so large that the 12 d bytes of 3 d floats overflow 64 bits
  expect_refused(resealed(huge));
}

TEST(DigestOfData, SeesLabelsInputsShapesOwnersAndWhereTheTestSetBegins) {
  learning::DataSplit data;
  data.train.labels = {1, 2};
  data.train.bytes.assign(2 * learning::kImagePixels, 0);
  const Digest before = digest_of(data);
  EXPECT_EQ(digest_of(data), before);
  learning::DataSplit other = data;
  other.train.labels[1] = 3;
  EXPECT_NE(digest_of(other), before);
  other = data;
  other.train.bytes[5] = 1;
  EXPECT_NE(digest_of(other), before);
  other = data;
  other.train.shape = {14, 56, 1};
  EXPECT_NE(digest_of(other), before);
  other = data;
  other.train.classes = 11;
  EXPECT_NE(digest_of(other), before);
  other = data;
  other.train.class_names = {"ab", "c"};
  EXPECT_NE(digest_of(other), before);
  learning::DataSplit renamed = data;
  renamed.train.class_names = {"a", "bc"};
  EXPECT_NE(digest_of(renamed), digest_of(other));
  other = data;
  other.train.values = {1.0f};
  EXPECT_NE(digest_of(other), before);
  other = data;
  other.train.owners = {0, 1};
  learning::DataSplit one_owner = data;
  one_owner.train.owners = {0, 0};
  EXPECT_NE(digest_of(other), before);
  EXPECT_NE(digest_of(other), digest_of(one_owner));
  other = data;
  std::swap(other.train, other.test);
  EXPECT_NE(digest_of(other), before);
}

}  // namespace
}  // namespace muster::simulation

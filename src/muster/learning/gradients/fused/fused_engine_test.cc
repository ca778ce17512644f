// Compares the fused engine with the reference engine on every instruction set that this machine has.
#include "muster/learning/gradients/fused/fused_engine.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>

#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/fused/cnn_kernel.h"
#include "muster/learning/gradients/reference_engine.h"

namespace muster::learning {
namespace {

constexpr std::size_t kSize = fused::kParameters;

// Returns the parameters after one pass of gradient descent with one example per step, so that activations
// and slopes are as in training.
std::vector<float> trained_parameters(const Dataset& data) {
  const auto engine = make_reference_engine(Architecture::cnn);
  auto room = engine->make_workspace();
  auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(3));
  std::vector<float> gradient(kSize);
  std::vector<float> buffer(kImagePixels);
  for (std::size_t i = 0; i < data.size(); ++i) {
    engine->gradient(parameters, data.example(i, buffer), *room, gradient);
    for (std::size_t p = 0; p < kSize; ++p) parameters[p] -= 0.02F * gradient[p];
  }
  return parameters;
}

// Returns the relative error |a - b| / |b| of the entries [at, at + count) of a gradient, in the Euclidean
// norm. If all these entries of b are 0, the result is |a|.
double relative_error(const std::vector<float>& a, const std::vector<float>& b, std::size_t at,
                      std::size_t count) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

class FusedEngine : public ::testing::Test {
 protected:
  ~FusedEngine() override { hwy::SetSupportedTargetsForTest(0); }

  // Runs `check(target)` once for each instruction set that is compiled in and that this machine has.
  template <typename Check>
  void on_every_target(Check check) {
    hwy::SetSupportedTargetsForTest(0);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      check(target);
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  // Both engines, with the buffers that they need.
  struct Engines {
    std::unique_ptr<GradientEngine> reference = make_reference_engine(Architecture::cnn);
    std::unique_ptr<GradientEngine> fused = make_fused_cnn_engine();
    std::unique_ptr<Workspace> reference_room = reference->make_workspace();
    std::unique_ptr<Workspace> room = fused->make_workspace();
    std::vector<float> expected = std::vector<float>(kSize);
    std::vector<float> gradient = std::vector<float>(kSize);
    std::vector<float> buffer = std::vector<float>(kImagePixels);
  };

  void expect_agreement(const std::vector<float>& parameters, const Dataset& data) {
    Engines both;
    auto& [reference, engine, reference_room, room, expected, gradient, buffer] = both;
    double worst = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Example example = data.example(i, buffer);
      const float loss = reference->gradient(parameters, example, *reference_room, expected);
      std::fill(gradient.begin(), gradient.end(), NAN);
      ASSERT_NEAR(engine->gradient(parameters, example, *room, gradient), loss, 1e-5F * (1.0F + loss));
      for (const Layer& layer : layers(Architecture::cnn)) {
        if (layer.weights == 0) continue;
        for (const auto& [at, count] :
             {std::pair{layer.weights_at, layer.weights}, std::pair{layer.biases_at, layer.biases}}) {
          const double error = relative_error(gradient, expected, at, count);
          worst = std::max(worst, error);
          // Both engines round sums of up to 512 terms in four successive layers; the largest error
          // observed is 6e-6.
          ASSERT_LT(error, 2e-5) << "example " << i << ", parameters from " << at;
        }
      }
      ASSERT_EQ(engine->predict(parameters, example.inputs, *room),
                reference->predict(parameters, example.inputs, *reference_room));
    }
    RecordProperty("worst_relative_error", std::to_string(worst));
    std::printf("worst relative error of a tensor: %.2e over %zu examples\n", worst, data.size());
  }
};

TEST_F(FusedEngine, HasTheArchitecturesLayout) {
  EXPECT_EQ(kSize, parameter_count(Architecture::cnn));
  const std::vector<Layer> cnn = layers(Architecture::cnn);
  EXPECT_EQ(cnn[0].weights_at, fused::Conv1::kWeightsAt);
  EXPECT_EQ(cnn[0].biases_at, fused::Conv1::kBiasesAt);
  EXPECT_EQ(cnn[3].weights_at, fused::Conv2::kWeightsAt);
  EXPECT_EQ(cnn[3].biases_at, fused::Conv2::kBiasesAt);
  EXPECT_EQ(cnn[6].weights_at, fused::Dense1::kWeightsAt);
  EXPECT_EQ(cnn[6].biases_at, fused::Dense1::kBiasesAt);
  EXPECT_EQ(cnn[8].weights_at, fused::Dense2::kWeightsAt);
  EXPECT_EQ(cnn[8].biases_at, fused::Dense2::kBiasesAt);
}

TEST_F(FusedEngine, AgreesWithTheReferenceAtInitialParameters) {
  const DataSplit split = draw_digits(0, 40, 4);
  const auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(9));
  on_every_target([&](std::int64_t) { expect_agreement(parameters, split.test); });
}

TEST_F(FusedEngine, AgreesWithTheReferenceAtTrainedParameters) {
  const DataSplit split = draw_digits(1000, 40, 4);
  const std::vector<float> parameters = trained_parameters(split.train);
  on_every_target([&](std::int64_t) { expect_agreement(parameters, split.test); });
}

TEST_F(FusedEngine, TargetsWithFusedMultiplyAddAgreeBitForBit) {
  const DataSplit split = draw_digits(0, 20, 8);
  const auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(2));
  const auto engine = make_fused_cnn_engine();
  auto room = engine->make_workspace();
  std::vector<float> first;
  on_every_target([&](std::int64_t target) {
    if (target == HWY_SCALAR || target == HWY_EMU128 || target == HWY_SSE4 || target == HWY_SSSE3) return;
    std::vector<float> all;
    std::vector<float> gradient(kSize);
    std::vector<float> buffer(kImagePixels);
    for (std::size_t i = 0; i < split.test.size(); ++i) {
      all.push_back(engine->gradient(parameters, split.test.example(i, buffer), *room, gradient));
      all.insert(all.end(), gradient.begin(), gradient.end());
    }
    if (first.empty()) first = all;
    EXPECT_EQ(std::memcmp(first.data(), all.data(), all.size() * sizeof(float)), 0)
        << hwy::TargetName(target);
  });
}

// Before each example, half of the entries of the sum become -0. Adding 0 changes such an entry to 0, but
// adding -0 does not change it.
TEST_F(FusedEngine, AccumulateAddsTheGradientBitForBitOnEveryTarget) {
  const DataSplit split = draw_digits(1000, 24, 4);
  const std::vector<float> parameters = trained_parameters(split.train);
  const auto engine = make_fused_cnn_engine();
  std::vector<float> buffer(kImagePixels);
  on_every_target([&](std::int64_t target) {
    const auto written = engine->make_workspace();
    const auto added = engine->make_workspace();
    std::vector<float> gradient(kSize), expected(kSize), sum(kSize);
    for (std::size_t i = 0; i < split.test.size(); ++i) {
      for (std::size_t p = i % 2; p < kSize; p += 2) expected[p] = sum[p] = -0.0F;
      const Example example = split.test.example(i, buffer);
      engine->gradient(parameters, example, *written, gradient);
      const float scale = i % 3 == 2 ? 0.7F : 1.0F;
      for (std::size_t p = 0; p < kSize; ++p) expected[p] = (expected[p] + gradient[p]) * scale;
      engine->accumulate(parameters, example, *added, scale, sum);
      const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
      ASSERT_TRUE(std::ranges::equal(sum, expected, {}, bits, bits))
          << "example " << i << ", " << hwy::TargetName(target);
    }
  });
}

// A convolution with zero weights gives its bias everywhere, so all entries of every pooling window after it
// are equal. The input of the convolution still varies, so the gradient of its weights shows which position
// of each window was chosen.
TEST_F(FusedEngine, BreaksTiesLikeTheReference) {
  const DataSplit split = draw_digits(0, 1, 6);
  Engines both;
  std::vector<float>& gradient = both.gradient;
  for (const std::size_t l : {0, 3}) {
    const Layer layer = layers(Architecture::cnn)[l];
    auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(1));
    std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(layer.weights_at), layer.weights, 0.0F);
    std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(layer.biases_at), layer.biases, 0.5F);
    both.reference->gradient(parameters, split.test.example(0, both.buffer), *both.reference_room,
                             both.expected);
    on_every_target([&](std::int64_t target) {
      both.fused->gradient(parameters, split.test.example(0, both.buffer), *both.room, gradient);
      EXPECT_LT(relative_error(gradient, both.expected, layer.weights_at, layer.weights), 1e-5)
          << "layer " << l << ", " << hwy::TargetName(target);
      EXPECT_NE(gradient[layer.weights_at + layer.weights / 2], 0.0F);
    });
  }
}

TEST_F(FusedEngine, ThreadsSeeTheSameBits) {
  const DataSplit split = draw_digits(0, 50, 6);
  const auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(1));
  const auto engine = make_fused_cnn_engine();
  const auto run = [&](std::vector<float>& out) {
    auto room = engine->make_workspace();
    std::vector<float> gradient(kSize);
    std::vector<float> buffer(kImagePixels);
    for (std::size_t i = 0; i < split.test.size(); ++i) {
      out.push_back(engine->gradient(parameters, split.test.example(i, buffer), *room, gradient));
      out.insert(out.end(), gradient.begin(), gradient.end());
    }
  };
  std::vector<float> one;
  std::vector<float> two;
  std::thread other(run, std::ref(one));
  run(two);
  other.join();
  EXPECT_EQ(one, two);
}

// Weights that were prepared for one parameter vector are not used for another vector, and a gradient at
// another vector does not spoil later gradients at the prepared one. After its floats have changed, a vector
// must be prepared again.
TEST_F(FusedEngine, PreparedAndUnpreparedGradientsAreTheSameBits) {
  const DataSplit split = draw_digits(0, 1, 6);
  const auto engine = make_fused_cnn_engine();
  std::vector<float> buffer(kImagePixels);
  const Example example = split.test.example(0, buffer);
  auto first = initial_parameters(Architecture::cnn, random::RunKey::from_seed(1));
  const auto second = initial_parameters(Architecture::cnn, random::RunKey::from_seed(2));
  const auto gradient = [&](const std::vector<float>& parameters, Workspace& room) {
    std::vector<float> out(kSize);
    engine->gradient(parameters, example, room, out);
    return out;
  };
  const auto alone = [&](const std::vector<float>& parameters) {
    return gradient(parameters, *engine->make_workspace());
  };
  on_every_target([&](std::int64_t) {
    const auto room = engine->make_workspace();
    engine->prepare(first, *room);
    EXPECT_EQ(gradient(first, *room), alone(first));
    EXPECT_EQ(gradient(second, *room), alone(second));
    EXPECT_EQ(gradient(first, *room), alone(first));
    engine->prepare(first, *room);
    for (float& parameter : first) parameter *= 1.01F;
    // The caller changed the parameters without preparing again, so the prepared weights are still used.
    EXPECT_NE(gradient(first, *room), alone(first));
    engine->prepare(first, *room);
    EXPECT_EQ(gradient(first, *room), alone(first));
  });
}

TEST_F(FusedEngine, AcceptsUnalignedVectors) {
  const DataSplit split = draw_digits(0, 2, 6);
  const auto parameters = initial_parameters(Architecture::cnn, random::RunKey::from_seed(1));
  const auto engine = make_fused_cnn_engine();
  auto room = engine->make_workspace();
  std::vector<float> buffer(kImagePixels);
  std::vector<float> aligned(kSize);
  engine->gradient(parameters, split.test.example(1, buffer), *room, aligned);
  std::vector<float> moved(kSize + 2, 7.0F);
  std::copy(parameters.begin(), parameters.end(), moved.begin() + 1);
  std::vector<float> gradient(kSize + 2, 7.0F);
  engine->gradient(std::span<const float>(moved).subspan(1, kSize), split.test.example(1, buffer), *room,
                   std::span<float>(gradient).subspan(1, kSize));
  EXPECT_TRUE(std::equal(aligned.begin(), aligned.end(), gradient.begin() + 1));
  EXPECT_EQ(gradient.front(), 7.0F);
  EXPECT_EQ(gradient.back(), 7.0F);
}

}  // namespace
}  // namespace muster::learning

// Compares the reference network with central finite differences in double precision, and tests the
// properties that all engines share.
#include "muster/learning/gradients/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/dataset.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/gradients/reference_engine.h"
#include "muster/learning/gradients/softmax.h"

namespace muster::learning {
namespace {

template <typename Scalar>
std::vector<Scalar> normals(std::size_t n, double scale, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<Scalar> out(n);
  for (Scalar& v : out) v = static_cast<Scalar>(normal(bits));
  return out;
}

// Returns numbers that identify the smooth piece of the loss in which the last forward pass was: which
// inputs of each ReLU are positive, and which entry of each pooling window is the maximum.
std::vector<std::size_t> piece(const std::vector<Layer>& stack, const Activations<double>& room) {
  std::vector<std::size_t> result;
  for (std::size_t l = 0; l < stack.size(); ++l) {
    const Layer& layer = stack[l];
    const std::vector<double>& in = room.values[l];
    if (layer.kind == LayerKind::relu) {
      for (const double value : in) result.push_back(value > 0);
    }
    if (layer.kind != LayerKind::max_pool) continue;
    for (std::size_t o = 0; o < layer.out.size(); ++o) {
      const std::size_t channel = o % layer.out.channels;
      const std::size_t x = o / layer.out.channels % layer.out.width * layer.stride;
      const std::size_t y = o / layer.out.channels / layer.out.width * layer.stride;
      std::size_t best = 0;
      double most = -INFINITY;
      for (std::size_t tap = 0; tap < layer.kernel * layer.kernel; ++tap) {
        const std::size_t at = (y + tap / layer.kernel) * layer.in.width + x + tap % layer.kernel;
        const double value = in[at * layer.in.channels + channel];
        if (value > most) {
          most = value;
          best = tap;
        }
      }
      result.push_back(best);
    }
  }
  return result;
}

struct Count {
  std::size_t seen = 0;   // parameters that were tried
  std::size_t kinks = 0;  // those of them that were not compared, because of a kink
};

// Compares the gradient with central differences at every `every`-th parameter and at each of the last 200.
// With step h, and with the loss f as a function of one parameter, the differences have an error of h^2
// f'''/6 (about 1e-10 here) and a rounding error of 1e-16/h. A difference across a kink of a ReLU or a
// max-pool is meaningless, so such parameters are not compared. Adds the parameters that were tried to
// `count`.
void expect_gradient_of_differences(const std::vector<Layer>& stack, std::size_t every, unsigned seed,
                                    Count& count) {
  const Network<double> network(stack);
  auto room = network.make_activations();
  const std::size_t size = network.parameter_count();
  const auto classes = stack.back().out.size();
  const auto label = static_cast<std::uint8_t>(seed % classes);
  auto parameters = normals<double>(size, 0.1, seed);
  const auto inputs = normals<double>(stack.front().in.size(), 1, seed + 1);
  std::vector<double> gradient(size, NAN);
  network.gradient(parameters, inputs, label, room, gradient);

  std::vector<double> slope(classes);
  const auto loss = [&] {
    return cross_entropy<double>(network.logits(parameters, inputs, room), label, slope);
  };
  const double h = 1e-5;
  loss();
  const std::vector<std::size_t> here = piece(stack, room);
  std::size_t nonzero = 0;
  for (std::size_t p = 0; p < size; p += p + 200 < size ? every : 1) {
    const double kept = parameters[p];
    parameters[p] = kept + h;
    const double above = loss();
    bool smooth = piece(stack, room) == here;
    parameters[p] = kept - h;
    const double below = loss();
    smooth = smooth && piece(stack, room) == here;
    parameters[p] = kept;
    ++count.seen;
    if (!smooth) {
      ++count.kinks;
      continue;
    }
    const double difference = (above - below) / (2 * h);
    ASSERT_NEAR(gradient[p], difference, 1e-8 + 1e-6 * std::abs(difference)) << "parameter " << p;
    nonzero += gradient[p] != 0;
  }
  EXPECT_GT(nonzero, 0U);
}

class FiniteDifferences : public ::testing::TestWithParam<Architecture> {};

// Every 61st parameter is compared, which covers many weights of each layer.
TEST_P(FiniteDifferences, AgreeWithTheGradientInDouble) {
  Count count;
  expect_gradient_of_differences(layers(GetParam()), 61, 1, count);
  EXPECT_LE(count.kinks, count.seen / 50);
}

constexpr Architecture kTanhCnn{ArchitectureKind::cnn, {28, 28, 1}, 10, ActivationFunction::tanh};
constexpr Architecture kColourCnn{ArchitectureKind::cnn, {16, 15, 3}, 7, ActivationFunction::tanh};
constexpr Architecture kFeatureMlp{ArchitectureKind::mlp, {1, 1, 9}, 3, ActivationFunction::tanh};

std::string label_of(const Architecture& each) {
  return std::string(name_of(each.kind)) + std::to_string(each.input.size()) +
         (each.activation == ActivationFunction::relu ? "relu" : "tanh");
}

INSTANTIATE_TEST_SUITE_P(All, FiniteDifferences,
                         ::testing::Values(Architecture::cnn, Architecture::logistic, kTanhCnn, kColourCnn,
                                           kFeatureMlp),
                         [](const auto& each) { return label_of(each.param); });

// Returns a random stack of layers and appends an account of it to `description`. The stack has up to two
// convolutions of random kernel, stride, padding and channels, each possibly followed by an activation and a
// pool. A hidden layer may follow. The layer of the logits is the last one.
std::vector<Layer> random_stack(unsigned seed, std::string& description) {
  std::mt19937 bits(seed);
  const auto from = [&bits](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(bits);
  };
  Shape shape{from(4, 11), from(4, 11), from(1, 3)};
  LayerStack stack(shape);
  const auto note = [&description](const std::string& what, std::initializer_list<std::size_t> numbers) {
    description += what;
    for (const std::size_t number : numbers) description.append(" ").append(std::to_string(number));
    description += "; ";
  };
  const auto activate = [&] {
    if (const std::size_t kind = from(0, 2); kind < 2) {
      stack.activation(kind == 0 ? ActivationFunction::relu : ActivationFunction::tanh);
      note(kind == 0 ? "relu" : "tanh", {});
    }
  };
  const auto windowed = [](Shape in, std::size_t kernel, std::size_t stride, std::size_t pad,
                           std::size_t channels) {
    return Shape{(in.height + 2 * pad - kernel) / stride + 1, (in.width + 2 * pad - kernel) / stride + 1,
                 channels};
  };
  note("input", {shape.height, shape.width, shape.channels});
  for (std::size_t convolutions = from(0, 2); convolutions > 0; --convolutions) {
    const std::size_t pad = from(0, 2);
    const std::size_t kernel =
        from(1, std::min<std::size_t>(4, std::min(shape.height, shape.width) + 2 * pad));
    const std::size_t stride = from(1, 3);
    const std::size_t channels = from(1, 5);
    stack.convolution(channels, kernel, stride, pad);
    shape = windowed(shape, kernel, stride, pad, channels);
    note("convolution", {channels, kernel, stride, pad});
    activate();
    if (from(0, 1) == 0) {
      const std::size_t side = from(1, std::min<std::size_t>(3, std::min(shape.height, shape.width)));
      const std::size_t step = from(1, 2);
      stack.max_pool(side, step);
      shape = windowed(shape, side, step, 0, shape.channels);
      note("pool", {side, step});
    }
  }
  if (from(0, 1) == 0) {
    const std::size_t hidden = from(1, 12);
    stack.dense(hidden);
    note("dense", {hidden});
    activate();
  }
  const std::size_t classes = from(2, 12);
  stack.dense(classes);
  note("dense", {classes});
  return stack.done();
}

TEST(RandomShapes, AgreeWithFiniteDifferencesInDouble) {
  Count count;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::string description;
    const std::vector<Layer> stack = random_stack(seed, description);
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << description);
    expect_gradient_of_differences(stack, 3, seed, count);
    if (HasFatalFailure()) return;
  }
  std::printf("%zu parameters, %zu of them at a kink\n", count.seen, count.kinks);
  EXPECT_LE(count.kinks, count.seen / 50);
}

TEST(LayerStack, RefusesWindowsThatDoNotFit) {
  EXPECT_ERROR(ErrorCode::internal, LayerStack({4, 6, 1}).convolution(2, 5, 1, 0));
  EXPECT_NO_THROW(LayerStack({4, 6, 1}).convolution(2, 5, 1, 1));
  EXPECT_ERROR(ErrorCode::internal, LayerStack({4, 3, 1}).max_pool(4, 1));
  EXPECT_ERROR(ErrorCode::internal, LayerStack({4, 3, 1}).max_pool(2, 0));
  EXPECT_ERROR(ErrorCode::internal, LayerStack({0, 3, 1}));
}

TEST(Network, ANetworkOfZerosSaysLogTen) {
  for (const Architecture& architecture : {Architecture::cnn, Architecture::logistic, Architecture::mlp}) {
    const Network<double> network(layers(architecture));
    auto room = network.make_activations();
    const std::vector<double> parameters(network.parameter_count(), 0.0);
    std::vector<double> gradient(network.parameter_count(), 99.0);
    const auto pixels = normals<double>(kImagePixels, 1, 5);
    EXPECT_DOUBLE_EQ(network.gradient(parameters, pixels, 4, room, gradient), std::log(10.0));
    // The gradient of the last biases is the softmax, 0.1 for each class, minus 1 at the label.
    for (std::size_t c = 0; c < kClasses; ++c) {
      EXPECT_DOUBLE_EQ(gradient[network.parameter_count() - kClasses + c], c == 4 ? -0.9 : 0.1);
    }
  }
}

TEST(CrossEntropy, SurvivesExtremeLogitsAndSumsToZero) {
  const std::vector<float> logits = {1e30F, -1e30F, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<float> slope(10);
  EXPECT_EQ(cross_entropy<float>(logits, 0, slope), 0.0F);
  EXPECT_EQ(slope[0], 0.0F);
  EXPECT_EQ(cross_entropy<float>(logits, 1, slope), 2e30F);
  EXPECT_EQ(slope[0], 1.0F);
  EXPECT_EQ(slope[1], -1.0F);
}

TEST(LargestClass, TakesTheLowestOnATie) {
  const std::vector<float> logits = {0, 2, 2, 1, 2, 0, 0, 0, 0, 0};
  EXPECT_EQ(largest_class<float>(logits), 1);
}

class Engines : public ::testing::TestWithParam<Architecture> {};

TEST_P(Engines, OverwriteTheGradientAndRepeatTheirBits) {
  for (const auto& engine : {make_reference_engine(GetParam()), make_engine(GetParam())}) {
    const std::size_t size = engine->dimension();
    ASSERT_EQ(size, parameter_count(GetParam()));
    const auto parameters = normals<float>(size, 0.1, 1);
    const auto pixels = normals<float>(GetParam().input.size(), 1, 2);
    const auto others = normals<float>(GetParam().input.size(), 1, 3);
    std::vector<float> first(size, NAN);
    std::vector<float> second(size, 1e9F);
    auto fresh = engine->make_workspace();
    auto used = engine->make_workspace();
    const float loss = engine->gradient(parameters, {pixels, 2}, *fresh, first);
    engine->gradient(parameters, {others, 1}, *used, second);
    EXPECT_NE(first, second);
    EXPECT_EQ(engine->gradient(parameters, {pixels, 2}, *used, second), loss);
    EXPECT_EQ(first, second);
  }
}

TEST_P(Engines, PredictTheClassOfLeastLoss) {
  for (const auto& engine : {make_reference_engine(GetParam()), make_engine(GetParam())}) {
    auto room = engine->make_workspace();
    std::vector<float> gradient(engine->dimension());
    for (unsigned trial = 0; trial < 8; ++trial) {
      const auto parameters = normals<float>(engine->dimension(), 0.1, 10 + trial);
      const auto pixels = normals<float>(GetParam().input.size(), 1, 50 + trial);
      std::vector<float> losses;
      for (std::uint8_t label = 0; label < GetParam().classes; ++label) {
        losses.push_back(engine->gradient(parameters, {pixels, label}, *room, gradient));
      }
      EXPECT_EQ(engine->predict(parameters, pixels, *room),
                std::min_element(losses.begin(), losses.end()) - losses.begin());
    }
  }
}

// When the last layer is applied to the features, the largest logit is that of the predicted class. Both
// engines agree on the features.
TEST_P(Engines, FeaturesAreWhatTheLastLayerReads) {
  const Layer last = layers(GetParam()).back();
  const auto parameters = normals<float>(parameter_count(GetParam()), 0.1, 1);
  const auto pixels = normals<float>(GetParam().input.size(), 1, 2);
  std::vector<std::vector<float>> seen;
  for (const auto& engine : {make_reference_engine(GetParam()), make_engine(GetParam())}) {
    auto room = engine->make_workspace();
    const auto row = engine->features(parameters, pixels, *room);
    ASSERT_EQ(row.size(), engine->feature_count());
    ASSERT_EQ(row.size(), last.in.size());
    std::vector<double> logits(GetParam().classes);
    for (std::size_t c = 0; c < logits.size(); ++c) {
      logits[c] = static_cast<double>(parameters[last.biases_at + c]);
      for (std::size_t f = 0; f < row.size(); ++f) {
        logits[c] += static_cast<double>(row[f]) *
                     static_cast<double>(parameters[last.weights_at + f * logits.size() + c]);
      }
    }
    seen.emplace_back(row.begin(), row.end());
    EXPECT_EQ(engine->predict(parameters, pixels, *room), largest_class<double>(logits));
  }
  for (std::size_t f = 0; f < seen[0].size(); ++f) {
    EXPECT_NEAR(seen[0][f], seen[1][f], 1e-4F * (1 + std::abs(seen[0][f])));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         ::testing::Values(Architecture::cnn, Architecture::logistic, Architecture::mlp,
                                           kTanhCnn, kColourCnn, kFeatureMlp),
                         [](const auto& each) { return label_of(each.param); });

}  // namespace
}  // namespace muster::learning

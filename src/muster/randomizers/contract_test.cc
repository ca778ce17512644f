// The tests that every vector randomizer must pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/l2.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"
#include "tests/support/class_name.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6;
constexpr double kClip = 0.5;
constexpr double kEpsilon0 = 2.0;

using Vector = std::vector<float>;

double l1_norm(const Vector& x) {
  double sum = 0;
  for (float value : x) sum += std::abs(static_cast<double>(value));
  return sum;
}

double squared_norm(const Vector& x) {
  double sum = 0;
  for (float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

double l2_norm(const Vector& x) { return std::sqrt(squared_norm(x)); }

Vector shortened(Vector x, double norm) {
  const double factor = std::min(1.0, kClip / norm);
  for (float& value : x) value = static_cast<float>(static_cast<double>(value) * factor);
  return x;
}

Vector clamped(Vector x) {
  for (float& value : x) value = std::clamp(value, -static_cast<float>(kClip), static_cast<float>(kClip));
  return x;
}

// Returns a vector of d coordinates whose length comes mostly from a few of them.
Vector uneven(std::size_t d, double length) {
  Vector x(d);
  for (std::size_t i = 0; i < d; ++i) {
    x[i] = std::sin(static_cast<float>(3 * i + 1)) / (1 + static_cast<float>(i));
  }
  const double norm = l2_norm(x);
  for (float& value : x) value = static_cast<float>(static_cast<double>(value) * length / norm);
  return x;
}

Vector indicator(std::size_t d, double length) {
  Vector x(d);
  x[static_cast<std::size_t>(100 * length) % d] = 1;
  return x;
}

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  std::function<std::unique_ptr<VectorRandomizer>(std::size_t dimension)> make;
  std::function<Vector(const Vector&)> clipped;  // the vector that the mean of the messages must estimate
  std::function<Vector(std::size_t dimension, double length)> input = uneven;  // returns a client's vector
  std::size_t most_dimensions = 2000;
  std::size_t least_dimensions = 1;
  bool only_indicators = false;  // whether a client's vector has one entry 1 and no other nonzero entry
  // Returns the number of bits of a message.
  std::function<double(double dimension)> bits;
};

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

std::vector<Contract> contracts() {
  const auto l2 = [](const Vector& x) { return shortened(x, l2_norm(x)); };
  const auto l1 = [](const Vector& x) { return shortened(x, l1_norm(x)); };
  const auto seed_and_sign = [](double) { return 129.0; };
  return {
      {.name = "ldp_sgd",
       .type = "LdpSgd",
       .make = [](std::size_t d) { return make_ldp_sgd(kEpsilon0, kClip, d); },
       .clipped = l2,
       .bits = seed_and_sign},
      {.name = "gaussian",
       .type = "Gaussian",
       .make = [](std::size_t d) { return make_gaussian(3.0, kClip, d); },
       .clipped = l2,
       .bits = [](double d) { return 11 * d; }},
      {.name = "l2",
       .type = "L2",
       .make = [](std::size_t d) { return make_l2(kEpsilon0, kClip, d); },
       .clipped = l2,
       .bits = seed_and_sign},
      {.name = "linf",
       .type = "Linf",
       .make = [](std::size_t d) { return make_linf(kEpsilon0, kClip, d); },
       .clipped = clamped,
       .bits = [](double d) { return std::ceil(std::log2(d)) + 1; }},
      {.name = "l1",
       .type = "L1",
       .make = [](std::size_t d) { return make_l1(kEpsilon0, kClip, d); },
       .clipped = l1,
       .bits = [](double d) { return std::ceil(std::log2(d)) + 1; }},
      {.name = "laplace",
       .type = "Laplace",
       .make = [](std::size_t) { return make_laplace(kEpsilon0, kClip); },
       .clipped = clamped,
       .most_dimensions = 1,
       .bits = [](double) { return 32.0; }},
      {.name = "k_rr",
       .type = "KRandomizedResponseSampler",
       .make = [](std::size_t d) { return make_k_rr(kEpsilon0, d); },
       .clipped = [](const Vector& x) { return x; },
       .input = indicator,
       .least_dimensions = 2,
       .only_indicators = true,
       .bits = [](double d) { return std::ceil(std::log2(d)); }},
  };
}

class RandomizerContract : public ::testing::TestWithParam<Contract> {
 protected:
  const random::RunKey key_ = random::RunKey::from_seed(77);

  // Returns `d`, or the nearest dimension that the randomizer supports.
  static std::size_t fitting(std::size_t d) {
    return std::clamp(d, GetParam().least_dimensions, GetParam().most_dimensions);
  }

  Message message_of(const VectorRandomizer& randomizer, const Vector& gradient, std::uint64_t client) {
    const auto scratch = randomizer.make_scratch();
    Message message;
    randomizer.randomize(gradient, key_, 5, client, *scratch, message);
    return message;
  }

  Vector decoded(const VectorRandomizer& randomizer, const Message& message) {
    const auto scratch = randomizer.make_scratch();
    MessageSum sum = randomizer.make_sum();
    randomizer.accumulate(message, *scratch, sum);
    EXPECT_EQ(sum.count(), 1u);
    Vector mean(randomizer.dimension());
    randomizer.mean(sum, mean);
    return mean;
  }
};

TEST_P(RandomizerContract, IsTheClassOfTheList) {
  EXPECT_EQ(testing::class_name(*GetParam().make(fitting(3))), GetParam().type);
}

TEST_P(RandomizerContract, TheMeanEstimatesTheClippedVector) {
  constexpr std::uint64_t n = 200'000;
  int noticed = 0;
  for (double length : {0.2, 0.5, 4.0}) {  // below, at and above the clip norm of 0.5
    const Vector gradient = GetParam().input(fitting(9), length);
    const Vector expected = GetParam().clipped(gradient);
    const auto randomizer = GetParam().make(gradient.size());
    const auto scratch = randomizer->make_scratch();
    MessageSum sum = randomizer->make_sum();
    Message message;
    for (std::uint64_t client = 0; client < n; ++client) {
      randomizer->randomize(gradient, key_, 0, client, *scratch, message);
      randomizer->accumulate(message, *scratch, sum);
    }
    EXPECT_EQ(sum.count(), n);
    Vector mean(gradient.size());
    randomizer->mean(sum, mean);
    // `deviation` is the standard deviation of coordinate i of one decoded message. The randomizers that send
    // one sign have the same second moment in all coordinates, and the Gaussian has the same variance in all.
    const double total = randomizer->variance(squared_norm(expected));
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const auto x = static_cast<double>(expected[i]);
      const double equal = (total + squared_norm(expected)) / static_cast<double>(mean.size()) - x * x;
      double deviation = std::sqrt(equal);
      if (GetParam().only_indicators) {
        const double kept =
            std::expm1(kEpsilon0) / (std::expm1(kEpsilon0) + static_cast<double>(mean.size()));
        const double p = x * kept + (1 - kept) / static_cast<double>(mean.size());
        deviation = std::sqrt(p * (1 - p)) / kept;
      }
      if (std::string(GetParam().name) == "gaussian")
        deviation = std::sqrt(total / static_cast<double>(mean.size()));
      const auto verdict = testing::mean_test(static_cast<double>(mean[i]), x, deviation, n, kAlpha);
      EXPECT_TRUE(verdict.pass) << "length " << length << ", coordinate " << i << ": " << verdict.summary;
      noticed += !testing::mean_test(static_cast<double>(mean[i]), 1.3 * x, deviation, n, kAlpha).pass;
    }
  }
  EXPECT_GE(noticed, 1);  // the test must reject the claim that the mean is 1.3 times as large
}

TEST_P(RandomizerContract, TheVarianceIsTheStatedOne) {
  constexpr std::uint64_t n = 20'000;
  for (double length : {0.0, 0.4, 4.0}) {
    const std::size_t d = fitting(12);
    Vector gradient = length == 0 ? Vector(d) : GetParam().input(d, length);
    const auto randomizer = GetParam().make(d);
    Vector expected = GetParam().clipped(gradient);
    if (GetParam().only_indicators && length == 0) expected.assign(d, 1 / static_cast<float>(d));
    const double stated = randomizer->variance(squared_norm(expected));
    double total = 0, squares = 0;
    for (std::uint64_t client = 0; client < n; ++client) {
      const Vector z = decoded(*randomizer, message_of(*randomizer, gradient, client));
      double distance = 0;
      for (std::size_t i = 0; i < d; ++i) {
        distance += std::pow(static_cast<double>(z[i]) - static_cast<double>(expected[i]), 2);
      }
      total += distance;
      squares += distance * distance;
    }
    // The standard deviation of |z - x|^2, where x is `expected`, is estimated from the sample. If all z are
    // equally far from x, this deviation is 0, and only the rounding of decoded coordinates to single
    // precision remains.
    const double mean = total / n;
    const double deviation = std::max(std::sqrt(std::max(0.0, squares / n - mean * mean)), 1e-6 * stated);
    const auto verdict = testing::mean_test(mean, stated, deviation, n, kAlpha);
    EXPECT_TRUE(verdict.pass || std::abs(mean / stated - 1) < 0x1p-22) << length << ": " << verdict.summary;
    EXPECT_FALSE(testing::mean_test(mean, 1.2 * stated, deviation, n, kAlpha).pass);
    EXPECT_FALSE(testing::mean_test(mean, stated / 1.2, deviation, n, kAlpha).pass);
  }
}

TEST_P(RandomizerContract, AMessageHasTheStatedBits) {
  for (std::size_t d : {1u, 2u, 3u, 10u, 16u, 17u, 1024u, 1031u}) {
    const std::size_t size = fitting(d);
    const auto randomizer = GetParam().make(size);
    EXPECT_EQ(static_cast<double>(randomizer->message_bits()), GetParam().bits(static_cast<double>(size)))
        << d;
  }
}

TEST_P(RandomizerContract, MessagesAreAFunctionOfTheAddress) {
  const auto randomizer = GetParam().make(fitting(40));
  const Vector gradient = GetParam().input(fitting(40), 0.3);
  const auto first = decoded(*randomizer, message_of(*randomizer, gradient, 1));
  EXPECT_EQ(first, decoded(*randomizer, message_of(*randomizer, gradient, 1)));
  bool differs = false;
  for (std::uint64_t client = 2; client < 40; ++client) {
    differs = differs || first != decoded(*randomizer, message_of(*randomizer, gradient, client));
  }
  EXPECT_TRUE(differs);
}

TEST_P(RandomizerContract, SumsDoNotDependOnOrderShardsOrScratch) {
  const std::size_t d = fitting(1003);
  const auto randomizer = GetParam().make(d);
  const Vector gradient = GetParam().input(d, 20);
  MessageSum direct = randomizer->make_sum(), reversed = randomizer->make_sum(),
             left = randomizer->make_sum(), right = randomizer->make_sum();
  const auto scratch = randomizer->make_scratch(), other = randomizer->make_scratch();
  std::vector<Message> messages(60);
  for (std::size_t client = 0; client < messages.size(); ++client) {
    randomizer->randomize(gradient, key_, 1, client, *scratch, messages[client]);
    // For ldp-sgd and l2, the scratch still holds the direction of this message.
    randomizer->accumulate(messages[client], *scratch, direct);
  }
  for (std::size_t k = messages.size(); k-- > 0;) {
    randomizer->accumulate(messages[k], *other, reversed);
    randomizer->accumulate(messages[k], k % 3 == 0 ? *other : *scratch, k % 2 == 0 ? left : right);
  }
  left.merge(right);
  const std::vector<std::int64_t> expected(direct.sums().begin(), direct.sums().end());
  EXPECT_EQ(expected, std::vector<std::int64_t>(reversed.sums().begin(), reversed.sums().end()));
  EXPECT_EQ(expected, std::vector<std::int64_t>(left.sums().begin(), left.sums().end()));
  EXPECT_EQ(left.count(), 60u);
  // The mean of the sum is the mean of the messages decoded one by one.
  Vector mean(d);
  randomizer->mean(left, mean);
  std::vector<double> slow(d);
  for (const Message& message : messages) {
    const Vector z = decoded(*randomizer, message);
    for (std::size_t i = 0; i < d; ++i) slow[i] += static_cast<double>(z[i]) / 60;
  }
  const double size = std::sqrt(randomizer->variance(0));
  for (std::size_t i = 0; i < d; ++i) ASSERT_NEAR(static_cast<double>(mean[i]), slow[i], 1e-6 * size) << i;

  left.clear();
  EXPECT_EQ(left.count(), 0u);
  mean.assign(d, 1);
  randomizer->mean(left, mean);
  EXPECT_EQ(mean, Vector(d));
}

TEST_P(RandomizerContract, SeveralMessagesAtATimeAreTheSameSum) {
  for (std::size_t d : {1u, 2u, 16u, 37u, 1003u}) {
    const std::size_t size = fitting(d);
    const auto randomizer = GetParam().make(size);
    const auto scratch = randomizer->make_scratch(), other = randomizer->make_scratch();
    std::vector<Message> messages(13);
    for (std::size_t client = 0; client < messages.size(); ++client) {
      randomizer->randomize(GetParam().input(size, 0.3), key_, 2, client, *scratch, messages[client]);
    }
    for (std::size_t n = 0; n <= messages.size(); ++n) {
      MessageSum together = randomizer->make_sum(), one_by_one = randomizer->make_sum();
      randomizer->accumulate_all(std::span<const Message>(messages).first(n), n % 2 == 0 ? *scratch : *other,
                                 together);
      for (std::size_t i = 0; i < n; ++i) randomizer->accumulate(messages[i], *other, one_by_one);
      EXPECT_EQ(together.count(), n);
      EXPECT_TRUE(std::ranges::equal(together.sums(), one_by_one.sums())) << d << " " << n;
    }
  }
}

// Messages accumulated together give the same sum as messages accumulated one at a time. This holds for any
// number of messages, whether or not the scratch is the one with which they were made.
TEST_P(RandomizerContract, MessagesTogetherAddUpLikeMessagesAlone) {
  const std::size_t d = fitting(2000);
  const auto randomizer = GetParam().make(d);
  const auto key = random::RunKey::from_seed(77);
  const auto maker = randomizer->make_scratch(), stranger = randomizer->make_scratch();
  for (std::size_t count : {0u, 1u, 3u, 4u, 5u, 11u, 70u}) {
    std::vector<Message> messages(count);
    for (std::size_t i = 0; i < count; ++i) {
      // Every third message repeats the one before.
      if (i % 3 == 2) {
        messages[i] = messages[i - 1];
      } else {
        randomizer->randomize(GetParam().input(d, 1), key, 1, i, *maker, messages[i]);
      }
    }
    MessageSum alone = randomizer->make_sum(), at_maker = alone, at_stranger = alone;
    for (const Message& message : messages) randomizer->accumulate(message, *stranger, alone);
    randomizer->accumulate_all(messages, *maker, at_maker);
    randomizer->accumulate_all(messages, *stranger, at_stranger);
    EXPECT_TRUE(std::ranges::equal(alone.sums(), at_maker.sums())) << count;
    EXPECT_TRUE(std::ranges::equal(alone.sums(), at_stranger.sums())) << count;
    EXPECT_EQ(at_maker.count(), count);
    EXPECT_EQ(at_stranger.count(), count);
  }
}

TEST_P(RandomizerContract, NotANumberIsRefusedAsData) {
  const std::size_t d = fitting(2000);
  const auto randomizer = GetParam().make(d);
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    for (std::size_t place : {std::size_t{0}, d / 2, d - 1}) {
      Vector gradient = GetParam().input(d, 1);
      gradient[place] = bad;
      SCOPED_TRACE(bad);
      const Error error = error_of([&] { message_of(*randomizer, gradient, 1); });
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_EQ(error.key(), "gradient[" + std::to_string(place) + "]");
    }
  }
}

TEST_P(RandomizerContract, RefusesMisfits) {
  const std::size_t d = fitting(10);
  const auto randomizer = GetParam().make(d);
  EXPECT_ERROR(ErrorCode::internal, message_of(*randomizer, Vector(d + 1), 1));
  const auto scratch = randomizer->make_scratch();
  MessageSum wrong(randomizer->sum_size() + 1, randomizer->step()),
      finer(randomizer->sum_size(), randomizer->step() / 2), right = randomizer->make_sum();
  const Message message = message_of(*randomizer, GetParam().input(d, 1), 1);
  Vector mean(d), longer(d + 1);
  EXPECT_ERROR(ErrorCode::internal, randomizer->accumulate(message, *scratch, wrong));
  EXPECT_ERROR(ErrorCode::internal, randomizer->accumulate(message, *scratch, finer));
  EXPECT_ERROR(ErrorCode::internal, randomizer->mean(wrong, mean));
  EXPECT_ERROR(ErrorCode::internal, randomizer->mean(right, longer));
  EXPECT_ERROR(ErrorCode::internal, right.merge(wrong));
  EXPECT_ERROR(ErrorCode::internal, right.merge(finer));
  const std::uint32_t beyond = 1u << 20;
  for (const Message& foreign : {Message{GridMessage{{1, 2, 3}}}, Message{SignedDirectionMessage{}},
                                 Message{SignedIndexMessage{}}, Message{AnswerMessage{}},
                                 Message{SignedIndexMessage{beyond, true}}, Message{AnswerMessage{beyond}}}) {
    const bool in_range = !(std::holds_alternative<SignedIndexMessage>(foreign) &&
                            std::get<SignedIndexMessage>(foreign).index == beyond) &&
                          !(std::holds_alternative<AnswerMessage>(foreign) &&
                            std::get<AnswerMessage>(foreign).answer == beyond) &&
                          !std::holds_alternative<GridMessage>(foreign);
    if (foreign.index() == message.index() && in_range) continue;
    SCOPED_TRACE(foreign.index());
    EXPECT_ERROR(ErrorCode::data, randomizer->accumulate(foreign, *scratch, right));
  }
  EXPECT_EQ(right.count(), 0u);
  if (GetParam().most_dimensions > 1) {
    EXPECT_ERROR(ErrorCode::plan, GetParam().make(0));
    EXPECT_ERROR(ErrorCode::plan, GetParam().make(std::size_t{1} << 31));
  }
}

// The randomizers that clip. k-rr refuses vectors that are not indicators instead (k_rr_test.cc).
class ClippingContract : public RandomizerContract {};

TEST_P(ClippingContract, EveryFiniteGradientIsServed) {
  for (std::size_t d : {1u, 2u, 15u, 16u, 17u, 33u, 1024u, 1031u}) {
    const auto randomizer = GetParam().make(fitting(d));
    const float huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
    for (float value : {0.0f, tiny, 1e-30f, 1e-12f, 0.1f, 1e12f, 1e30f, huge, -huge}) {
      const auto scratch = randomizer->make_scratch();
      MessageSum sum = randomizer->make_sum();
      randomizer->accumulate(message_of(*randomizer, Vector(fitting(d), value), 9), *scratch, sum);
      for (std::int64_t step : sum.sums())
        ASSERT_LT(std::abs(step), std::int64_t{1} << 30) << d << " " << value;
    }
  }
}

TEST_P(ClippingContract, BeyondTheClipNothingChanges) {
  const std::size_t d = fitting(300);
  const auto randomizer = GetParam().make(d);
  Vector large(d);
  for (std::size_t i = 0; i < d; ++i) large[i] = std::cos(static_cast<float>(i)) < 0 ? -3.0f : 2.0f;
  Vector huge = large;
  for (float& value : huge) value *= 0x1p100f;
  const auto scratch = randomizer->make_scratch();
  for (std::uint64_t client = 0; client < 20; ++client) {
    MessageSum a = randomizer->make_sum(), b = randomizer->make_sum();
    randomizer->accumulate(message_of(*randomizer, large, client), *scratch, a);
    randomizer->accumulate(message_of(*randomizer, huge, client), *scratch, b);
    for (std::size_t i = 0; i < a.sums().size(); ++i) ASSERT_LE(std::abs(a.sums()[i] - b.sums()[i]), 1) << i;
  }
}

std::vector<Contract> clipping_contracts() {
  std::vector<Contract> clipping = contracts();
  std::erase_if(clipping, [](const Contract& contract) { return contract.only_indicators; });
  return clipping;
}

const auto kName = [](const auto& instance) { return std::string(instance.param.name); };
INSTANTIATE_TEST_SUITE_P(Randomizers, RandomizerContract, ::testing::ValuesIn(contracts()), kName);
INSTANTIATE_TEST_SUITE_P(Randomizers, ClippingContract, ::testing::ValuesIn(clipping_contracts()), kName);

}  // namespace
}  // namespace muster::randomizers

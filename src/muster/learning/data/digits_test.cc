// Checks the built-in digits: sets and seeds differ from each other, labels are uniform by a chi-squared
// test, and the pixels are normalised like those of MNIST.
#include "muster/learning/data/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "muster/learning/data/digit_skeletons.h"
#include "tests/support/statistics.h"

namespace muster::learning {
namespace {

TEST(Digits, AnyCountIsAPrefixOfTheSameSequence) {
  const DataSplit few = draw_digits(20, 5, 1);
  const DataSplit many = draw_digits(40, 30, 1);
  EXPECT_TRUE(std::equal(few.train.bytes.begin(), few.train.bytes.end(), many.train.bytes.begin()));
  EXPECT_TRUE(std::equal(few.test.labels.begin(), few.test.labels.end(), many.test.labels.begin()));
  EXPECT_EQ(draw_digits(0, 0, 1).train.size(), 0U);
}

TEST(Digits, SeedsAndSetsDiffer) {
  const DataSplit one = draw_digits(50, 50, 1);
  const DataSplit two = draw_digits(50, 50, 2);
  EXPECT_NE(one.train.bytes, two.train.bytes);
  EXPECT_NE(one.train.bytes, one.test.bytes);
  std::set<std::vector<float>> distinct;
  std::vector<float> buffer(kImagePixels);
  for (const Dataset* set : {&one.train, &one.test, &two.train, &two.test}) {
    for (std::size_t i = 0; i < set->size(); ++i) {
      const auto pixels = set->example(i, buffer).inputs;
      distinct.emplace(pixels.begin(), pixels.end());
    }
  }
  EXPECT_EQ(distinct.size(), 200U);
}

// The 300 digits of the three sets all differ, so no public digit is a private training or test digit.
TEST(Digits, TheOpenSetIsNeitherOfTheOthers) {
  const DataSplit split = draw_digits(100, 100, 1);
  const Dataset open = draw_digit_set(DigitSet::open, 100, 1);
  std::set<std::vector<std::uint8_t>> distinct;
  for (const Dataset* set : {&split.train, &split.test, &open}) {
    for (std::size_t i = 0; i < set->size(); ++i) {
      const auto image = std::span(set->bytes).subspan(i * kImagePixels, kImagePixels);
      distinct.emplace(image.begin(), image.end());
    }
  }
  EXPECT_EQ(distinct.size(), 300U);
}

TEST(Digits, LabelsAreUniform) {
  const DataSplit split = draw_digits(20000, 0, 11);
  std::vector<std::uint64_t> counts(kClasses, 0);
  for (const std::uint8_t label : split.train.labels) ++counts[label];
  const auto verdict = muster::testing::chi_squared_test(counts, std::vector<double>(kClasses, 2000.0), 1e-6);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Digits, EveryImageHasInkAndPaper) {
  std::vector<std::uint8_t> image(kImagePixels);
  const auto key = random::RunKey::from_seed(5);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    EXPECT_LT(draw_digit(key, DigitSet::train, i, image), kClasses);
    const auto ink = std::count_if(image.begin(), image.end(), [](std::uint8_t v) { return v > 128; });
    ASSERT_GT(ink, 10) << "example " << i;
    ASSERT_LT(ink, 400) << "example " << i;
  }
}

TEST(Digits, AreNormalisedLikeMnist) {
  const DataSplit split = draw_digits(2000, 0, 1);
  std::vector<float> buffer(kImagePixels);
  double sum = 0;
  for (std::size_t i = 0; i < split.train.size(); ++i) {
    const auto inputs = split.train.example(i, buffer).inputs;
    const auto [low, high] = std::minmax_element(inputs.begin(), inputs.end());
    EXPECT_FLOAT_EQ(*low, -0.1307F / 0.3081F);
    EXPECT_LE(*high, (1.0F - 0.1307F) / 0.3081F + 1e-6F);
    for (const float p : inputs) sum += static_cast<double>(p);
  }
  EXPECT_NEAR(sum / static_cast<double>(split.train.bytes.size()), 0.0, 0.1);
}

TEST(Skeletons, FitTheStrokeBufferAndTheBox) {
  for (std::uint8_t digit = 0; digit < kClasses; ++digit) {
    EXPECT_GE(skeletons(digit).size(), 3U);
    for (const Skeleton& way : skeletons(digit)) {
      for (const Stroke& stroke : way) {
        EXPECT_GE(stroke.size(), 2U);
        EXPECT_LE(stroke.size(), kMaxPoints);
        for (const Point& p : stroke) {
          EXPECT_TRUE(p.x >= 0.1F && p.x <= 0.9F && p.y >= 0.0F && p.y <= 1.0F) << "digit " << int{digit};
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::learning

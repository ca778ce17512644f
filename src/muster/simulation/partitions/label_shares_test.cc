// Tests the shares of labels against their Beta laws and moments in closed form. Shares that are drawn with
// another parameter must fail the tests.
#include "muster/simulation/partitions/label_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "muster/random/keyed_stream.h"
#include "tests/support/statistics.h"

namespace muster::simulation {
namespace {

constexpr double kAlpha = 1e-6;  // false-alarm rate of each statistical test; the seeds are fixed

random::KeyedStream stream(std::uint64_t client) {
  return {random::RunKey::from_seed(3), {random::Purpose::audit, 0, client}};
}

// Returns the first of two shares, g / (g + h), where g and h are the two gamma variables.
double first_of_two(double alpha, random::BitSource& bits) {
  const std::vector<double> log_shares = draw_log_shares(alpha, 2, bits);
  return 1 / (1 + std::exp(log_shares[1] - log_shares[0]));
}

// The law of the first of two shares is uniform for alpha = 1, the arcsine law for alpha = 1/2, and has the
// distribution function x^2 (3 - 2 x) for alpha = 2.
TEST(LabelShares, OfTwoLabelsHaveTheBetaLaw) {
  constexpr int kDraws = 20'000;
  std::vector<double> one, half, two;
  random::KeyedStream bits = stream(0);
  for (int i = 0; i < kDraws; ++i) {
    one.push_back(first_of_two(1, bits));
    half.push_back(std::asin(std::sqrt(first_of_two(0.5, bits))) * 2 / std::acos(-1.0));
    const double x = first_of_two(2, bits);
    two.push_back(x * x * (3 - 2 * x));
  }
  for (const auto& sample : {one, half, two}) {
    const auto verdict = testing::uniformity_test(sample, kAlpha);
    EXPECT_TRUE(verdict.pass) << verdict.summary;
  }
  // The test must reject alpha = 1.5, for which the first share is not uniform.
  std::vector<double> other;
  for (int i = 0; i < kDraws; ++i) other.push_back(first_of_two(1.5, bits));
  EXPECT_FALSE(testing::uniformity_test(other, kAlpha).pass);
}

// A share of C labels has the law Beta(alpha, (C - 1) alpha), whose k-th moment is the product of (alpha + i)
// / (C alpha + i) over i < k.
double moment(double alpha, double labels, int k) {
  double product = 1;
  for (int i = 0; i < k; ++i) product *= (alpha + i) / (labels * alpha + i);
  return product;
}

struct Means {
  double share = 0, square = 0;
};

// Returns the mean of one of the shares, and of its square, over the draws.
Means means_of_a_share(double alpha, std::size_t labels, std::size_t draws, random::KeyedStream& bits) {
  Means means;
  for (std::size_t i = 0; i < draws; ++i) {
    const std::vector<double> log_shares = draw_log_shares(alpha, labels, bits);
    const double largest = *std::ranges::max_element(log_shares);
    double sum = 0;
    for (const double share : log_shares) sum += std::exp(share - largest);
    const double third = std::exp(log_shares[3] - largest) / sum;
    means.share += third / static_cast<double>(draws);
    means.square += third * third / static_cast<double>(draws);
  }
  return means;
}

TEST(LabelShares, OfTenLabelsHaveTheirMeanAndSpread) {
  constexpr std::size_t kDraws = 20'000, kLabels = 10;
  for (const double alpha : {0.05, 0.3, 1.0, 20.0}) {
    random::KeyedStream bits = stream(1);
    const double first = moment(alpha, kLabels, 1), second = moment(alpha, kLabels, 2);
    const double deviation = std::sqrt(second - first * first);
    const double of_square = std::sqrt(moment(alpha, kLabels, 4) - second * second);
    const Means means = means_of_a_share(alpha, kLabels, kDraws, bits);
    const auto mean = testing::mean_test(means.share, first, deviation, kDraws, kAlpha);
    EXPECT_TRUE(mean.pass) << alpha << ": " << mean.summary;
    const auto square = testing::mean_test(means.square, second, of_square, kDraws, kAlpha);
    EXPECT_TRUE(square.pass) << alpha << ": " << square.summary;
    // The test must reject shares of half the parameter, which have the same mean and about twice the
    // variance.
    const Means other = means_of_a_share(alpha / 2, kLabels, kDraws, bits);
    EXPECT_FALSE(testing::mean_test(other.square, second, of_square, kDraws, kAlpha).pass) << alpha;
  }
}

TEST(LabelShares, LabelsAreDrawnByTheSharesOfThoseThatAreLeft) {
  constexpr std::uint64_t kDraws = 50'000;
  const std::vector<double> log_shares = {std::log(0.1), std::log(0.6), std::log(0.2), std::log(0.1)};
  random::KeyedStream bits = stream(2);
  std::vector<std::uint64_t> all(4, 0), left(4, 0);
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    ++all[draw_label(log_shares, {true, true, true, true}, bits)];
    ++left[draw_label(log_shares, {true, false, true, true}, bits)];
  }
  const auto whole =
      testing::chi_squared_test(all, {0.1 * kDraws, 0.6 * kDraws, 0.2 * kDraws, 0.1 * kDraws}, kAlpha);
  EXPECT_TRUE(whole.pass) << whole.summary;
  EXPECT_EQ(left[1], 0U);
  const auto rest = testing::chi_squared_test({left[0], left[2], left[3]},
                                              {0.25 * kDraws, 0.5 * kDraws, 0.25 * kDraws}, kAlpha);
  EXPECT_TRUE(rest.pass) << rest.summary;
}

// For the smallest alpha that a plan may have, 1e-6, the ratio of two shares is of the order e^(-1e6), so
// each client has only one label until that label runs out.
TEST(LabelShares, OfTheSmallestParameterAreOneLabelEach) {
  for (std::uint64_t client = 0; client < 100; ++client) {
    random::KeyedStream bits = stream(10 + client);
    const std::vector<double> log_shares = draw_log_shares(1e-6, 10, bits);
    std::vector<bool> present(10, true);
    const std::size_t first = draw_label(log_shares, present, bits);
    ASSERT_EQ(draw_label(log_shares, present, bits), first);
    present[first] = false;
    const std::size_t second = draw_label(log_shares, present, bits);
    ASSERT_NE(second, first);
    ASSERT_EQ(draw_label(log_shares, present, bits), second);
  }
}

}  // namespace
}  // namespace muster::simulation

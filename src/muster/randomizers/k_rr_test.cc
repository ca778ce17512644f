// Computes the probabilities of the answers from the coin's numerator in multiple precision, and tests drawn
// answers by a chi-squared test. If the probability of the coin is rounded to nearest instead, some privacy
// losses must exceed epsilon0.
#include "muster/randomizers/k_rr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

constexpr double kAlpha = 1e-6;
constexpr double kEpsilons[] = {1e-9, 1e-4, 0.1, 1, 2, 3, 8, 20, 36, 44, 50, 700};
constexpr std::uint64_t kAlphabets[] = {2, 3, 10, 1000, (std::uint64_t{1} << 31) - 1};

Wide replaced(const Replacement& replacement) {
  return Wide(replacement.probability.numerator()) / pow(Wide(2), 64);
}

TEST(KRandomizedResponse, TheCoinIsExactlyPrivate) {
  for (double epsilon0 : kEpsilons) {
    for (std::uint64_t k : kAlphabets) {
      const Wide w = replaced(replacement_of(epsilon0, k));
      ASSERT_GT(w, 0);
      ASSERT_LT(w, 1);
      // `own` and `other` are the probabilities of the true answer and of any other answer.
      const Wide own = 1 - w + w / k, other = w / k;
      EXPECT_LE(log(own / other), Wide(epsilon0)) << epsilon0 << " " << k;
      // Rounding w to a multiple of 2^-64 changes w and 1 - w by a small relative error unless one of them is
      // tiny.
      const Wide exact = Wide(k) / (exp(Wide(epsilon0)) + k - 1);
      if (exact > Wide(1e-12) && 1 - exact > Wide(1e-12)) {
        EXPECT_LT((w - exact) / std::min(exact, Wide(1 - exact)), Wide(1e-6)) << epsilon0 << " " << k;
      }
    }
  }
}

TEST(KRandomizedResponse, TheEstimateIsScaledByTheSameCoin) {
  for (double epsilon0 : kEpsilons) {
    for (std::uint64_t k : kAlphabets) {
      const Replacement replacement = replacement_of(epsilon0, k);
      EXPECT_LT(abs(Wide(replacement.kept) / (1 - replaced(replacement)) - 1), Wide(2e-16)) << epsilon0;
    }
  }
}

TEST(KRandomizedResponse, KnownBadRoundingToNearestExceedsEpsilon) {
  int exceeded = 0;
  for (double epsilon0 = 20; epsilon0 < 40; epsilon0 += 0.5) {
    const Wide exact = pow(Wide(2), 64) * 3 / (exp(Wide(epsilon0)) + 2);
    exceeded += floor(exact + 0.5) < exact;
  }
  EXPECT_GT(exceeded, 5);
}

std::vector<std::uint64_t> answers(const VectorRandomizer& randomizer, const std::vector<float>& record,
                                   std::uint64_t n) {
  const random::RunKey key = random::RunKey::from_seed(6);
  const auto scratch = randomizer.make_scratch();
  std::vector<std::uint64_t> counts(randomizer.dimension());
  Message message;
  for (std::uint64_t client = 0; client < n; ++client) {
    randomizer.randomize(record, key, 0, client, *scratch, message);
    ++counts[std::get<AnswerMessage>(message).answer];
  }
  return counts;
}

TEST(KRandomizedResponse, AnswersHaveTheStatedLaw) {
  constexpr std::uint64_t n = 200'000;
  for (std::uint64_t k : {2u, 5u}) {
    for (std::size_t category = 0; category <= k; ++category) {  // k stands for the zero vector
      std::vector<float> record(k);
      if (category < k) record[category] = 1;
      const auto observed = answers(*make_k_rr(1.0, k), record, n);
      const auto expected = [&](double epsilon0) {
        const double e = std::exp(epsilon0), total = e + static_cast<double>(k) - 1;
        std::vector<double> law(k, n / total);
        if (category < k) law[category] *= e;
        if (category == k) law.assign(k, static_cast<double>(n) / static_cast<double>(k));
        return law;
      };
      const auto verdict = testing::chi_squared_test(observed, expected(1.0), kAlpha);
      EXPECT_TRUE(verdict.pass) << k << " " << category << ": " << verdict.summary;
      if (category < k) {
        EXPECT_FALSE(testing::chi_squared_test(observed, expected(1.05), kAlpha).pass);
      }
    }
  }
}

TEST(KRandomizedResponse, DecodesOneAnswer) {
  const auto randomizer = make_k_rr(2.0, 4);
  const auto scratch = randomizer->make_scratch();
  MessageSum sum = randomizer->make_sum();
  randomizer->accumulate(AnswerMessage{1}, *scratch, sum);
  std::vector<float> mean(4);
  randomizer->mean(sum, mean);
  const double e = std::exp(2.0), p = e / (e + 3), q = 1 / (e + 3);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(static_cast<double>(mean[i]), ((i == 1 ? 1 : 0) - q) / (p - q), 1e-6);
  }
}

TEST(KRandomizedResponse, TakesIndicatorsAlone) {
  EXPECT_EQ(category_of(std::vector<float>{0, 0, 1}), 2u);
  EXPECT_EQ(category_of(std::vector<float>{0, 0, 0}), 3u);
  for (const std::vector<float>& bad :
       {std::vector<float>{0, 0.5f, 0}, {0, 1, 1}, {0, -1, 0}, {2, 0, 0}, {1, 0, 1e-30f}}) {
    const Error error = error_of([&] { category_of(bad); });
    EXPECT_EQ(error.code(), ErrorCode::data);
    EXPECT_TRUE(error.key().starts_with("gradient[")) << error.key();
  }
}

TEST(KRandomizedResponse, DescribesWhatItDoesAndRefusesTheRest) {
  EXPECT_EQ(make_k_rr(1.5, 7)->description(), accounting::Mechanism(accounting::KRandomizedResponse{1.5, 7}));
  for (double bad : {0.0, -1.0, 1e-10, 701.0, std::nan("")}) EXPECT_ERROR(ErrorCode::plan, make_k_rr(bad, 3));
  for (std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31}) {
    EXPECT_ERROR(ErrorCode::plan, make_k_rr(1, bad));
  }
}

}  // namespace
}  // namespace muster::randomizers

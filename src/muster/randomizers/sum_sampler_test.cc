// Compares the `sum` fidelity with the messages that it replaces. Many rounds of one population are simulated
// with messages, and as many with sums. Their estimates are compared with each other and with closed forms of
// the moments. The same tests must detect faulty variants.
#include "muster/randomizers/sum_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/error.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/k_rr_sum.h"
#include "tests/support/statistics.h"

namespace muster::randomizers {
namespace {

constexpr double kAlpha = 1e-6;
constexpr std::uint64_t kRounds = 8000;
constexpr std::size_t kBins = 20;

using Vector = std::vector<float>;
// means[i][r] is coordinate i of the estimate of round r.
using Means = std::vector<std::vector<double>>;

Means means_of(std::size_t dimension, const std::function<void(std::uint64_t, Vector&)>& round) {
  Means means(dimension);
  Vector mean(dimension);
  for (std::uint64_t r = 0; r < kRounds; ++r) {
    round(r, mean);
    for (std::size_t i = 0; i < dimension; ++i) means[i].push_back(static_cast<double>(mean[i]));
  }
  return means;
}

Means by_messages(const VectorRandomizer& randomizer, const std::vector<Vector>& clients) {
  const auto scratch = randomizer.make_scratch();
  const random::RunKey key = random::RunKey::from_seed(21);
  Message message;
  return means_of(randomizer.dimension(), [&](std::uint64_t round, Vector& mean) {
    MessageSum sum = randomizer.make_sum();
    for (std::uint64_t client = 0; client < clients.size(); ++client) {
      randomizer.randomize(clients[client], key, round, client, *scratch, message);
      randomizer.accumulate(message, *scratch, sum);
    }
    randomizer.mean(sum, mean);
  });
}

Means by_sums(const VectorRandomizer& randomizer, const SumSampler& sampler,
              const std::vector<Vector>& clients) {
  const random::RunKey key = random::RunKey::from_seed(22);
  MessageSum exact = sampler.make_sum();
  for (const Vector& client : clients) sampler.add(client, exact);
  return means_of(randomizer.dimension(), [&](std::uint64_t round, Vector& mean) {
    const MessageSum sum = sampler.draw(exact, key, round);
    EXPECT_EQ(sum.count(), clients.size());
    randomizer.mean(sum, mean);
  });
}

// Tests the mean and the variance of each coordinate over the rounds. The test of the variance assumes normal
// estimates: with 50 clients per round, their fourth moment is within one per cent of a normal's.
bool moments_hold(const Means& means, const std::vector<double>& expected,
                  const std::vector<double>& variance, std::string& summary) {
  for (std::size_t i = 0; i < means.size(); ++i) {
    double sum = 0, squares = 0;
    for (double x : means[i]) {
      sum += x;
      squares += (x - expected[i]) * (x - expected[i]);
    }
    const auto mean = testing::mean_test(sum / kRounds, expected[i], std::sqrt(variance[i]), kRounds, kAlpha);
    const auto spread =
        testing::mean_test(squares / kRounds / variance[i], 1, std::sqrt(2.1), kRounds, kAlpha);
    summary = mean.summary + "; variance: " + spread.summary;
    if (!mean.pass || !spread.pass) return false;
  }
  return true;
}

bool same_law(const Means& a, const Means& b, std::string& summary) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto verdict = testing::same_law_test(a[i], b[i], kBins, kAlpha);
    summary = verdict.summary;
    if (!verdict.pass) return false;
  }
  // The dependence between coordinates is tested with the sums and differences of adjacent coordinates.
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    for (double sign : {-1.0, 1.0}) {
      std::vector<double> in_a, in_b;
      for (std::size_t r = 0; r < kRounds; ++r) {
        in_a.push_back(a[i][r] + sign * a[i + 1][r]);
        in_b.push_back(b[i][r] + sign * b[i + 1][r]);
      }
      const auto verdict = testing::same_law_test(in_a, in_b, kBins, kAlpha);
      summary = verdict.summary;
      if (!verdict.pass) return false;
    }
  }
  return true;
}

constexpr double kSigma = 1.5, kClip = 0.5;

std::vector<Vector> gradients() {
  std::vector<Vector> clients;
  for (int j = 0; j < 50; ++j) {
    Vector x(5);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 0.3f * std::sin(static_cast<float>(j) + 2 * static_cast<float>(i)) + 0.1f;
    }
    clients.push_back(j == 7 ? Vector(5) : x);  // one client has the zero vector
  }
  return clients;
}

TEST(GaussianSum, HasTheLawOfTheMessages) {
  const std::vector<Vector> clients = gradients();
  const auto randomizer = make_gaussian(kSigma, kClip, 5);
  const Means messages = by_messages(*randomizer, clients);
  const Means sums = by_sums(*randomizer, *make_gaussian_sum(kSigma, kClip, 5), clients);
  std::vector<double> expected(5);
  for (const Vector& x : clients) {
    double norm = 0;
    for (float value : x) norm += static_cast<double>(value) * static_cast<double>(value);
    const double factor = std::min(1.0, kClip / std::max(1e-300, std::sqrt(norm)));
    for (std::size_t i = 0; i < 5; ++i) expected[i] += static_cast<double>(x[i]) * factor / 50;
  }
  const std::vector<double> variance(5, kSigma * kSigma * kClip * kClip / 50);
  std::string summary;
  EXPECT_TRUE(moments_hold(messages, expected, variance, summary)) << summary;
  EXPECT_TRUE(moments_hold(sums, expected, variance, summary)) << summary;
  EXPECT_TRUE(same_law(messages, sums, summary)) << summary;
}

TEST(GaussianSum, KnownBadVariantsAreNoticed) {
  const std::vector<Vector> clients = gradients();
  const auto randomizer = make_gaussian(kSigma, kClip, 5);
  const Means messages = by_messages(*randomizer, clients);
  std::string summary;
  // Known bad: noise smaller by a tenth; a clip norm smaller by a fifth (with the noise unchanged); five
  // clients missing.
  EXPECT_FALSE(same_law(
      messages,
      by_sums(*make_gaussian(0.9 * kSigma, kClip, 5), *make_gaussian_sum(0.9 * kSigma, kClip, 5), clients),
      summary));
  EXPECT_FALSE(same_law(messages,
                        by_sums(*make_gaussian(kSigma / 0.8, 0.8 * kClip, 5),
                                *make_gaussian_sum(kSigma / 0.8, 0.8 * kClip, 5), clients),
                        summary));
  const std::vector<Vector> fewer(clients.begin(), clients.end() - 5);
  EXPECT_FALSE(
      same_law(messages, by_sums(*randomizer, *make_gaussian_sum(kSigma, kClip, 5), fewer), summary));
}

TEST(GaussianSum, ClientsTogetherAddUpLikeClientsAlone) {
  const auto sampler = make_gaussian_sum(kSigma, kClip, 1003);
  for (std::size_t count : {0u, 1u, 4u, 7u, 131u}) {  // the sum of 131 clients exceeds 32 bits
    std::vector<std::vector<float>> clients(count, std::vector<float>(1003, 0.0f));
    // Client i has an entry at i, large and tiny in turn. The large last entry makes each norm exceed the
    // clip norm.
    for (std::size_t i = 0; i < count; ++i) clients[i][i] = i % 2 == 0 ? 1e3f : 1e-3f;
    for (std::size_t i = 0; i < count; ++i) clients[i][1002] = 1e3f;
    const std::vector<std::span<const float>> views(clients.begin(), clients.end());
    MessageSum alone = sampler->make_sum(), together = alone;
    for (const std::span<const float> view : views) sampler->add(view, alone);
    sampler->add_all(views, together);
    EXPECT_TRUE(std::ranges::equal(alone.sums(), together.sums())) << count;
    EXPECT_EQ(together.count(), count);
  }
}

TEST(GaussianSum, IsFreshEachRoundAndRepeatable) {
  const auto sampler = make_gaussian_sum(kSigma, kClip, 1500);
  MessageSum exact = sampler->make_sum();
  sampler->add(Vector(1500, 0.01f), exact);
  const random::RunKey key = random::RunKey::from_seed(2);
  const auto steps = [&](std::uint64_t round) {
    const MessageSum sum = sampler->draw(exact, key, round);
    return std::vector<std::int64_t>(sum.sums().begin(), sum.sums().end());
  };
  EXPECT_EQ(steps(3), steps(3));
  EXPECT_NE(steps(3), steps(4));
  // Every coordinate has its own noise, also across blocks. A coordinate is a rounded normal of deviation 96,
  // so it has any given value with probability at most p = 1 / (sqrt(2 pi) 96), also given the coordinates
  // before it. The number of equal pairs at one lag is therefore at most Bin(1499, p) in stochastic order
  // (mean 6.2), and it is 25 or more with probability at most 1.1e-8. The false-alarm rate of all four lags
  // together is 4.4e-8.
  const std::vector<std::int64_t> first = steps(3);
  for (const std::size_t lag : {1u, 16u, 32u, 1024u}) {
    int equal = 0;
    for (std::size_t i = 0; i + lag < first.size(); ++i) equal += first[i] == first[i + lag];
    EXPECT_LT(equal, 25) << lag;
  }
}

// The drawn sum has the variance of the sum of the messages, which includes 1/12 of a squared step for
// the rounding of each message.
TEST(GaussianSum, HasTheVarianceOfTheMessages) {
  const auto randomizer = make_gaussian(kSigma, kClip, 5);
  const GaussianGrid grid = gaussian_grid(kSigma, kClip, 5);
  EXPECT_DOUBLE_EQ(randomizer->variance(0),
                   5 * (grid.deviation * grid.deviation + 1.0 / 12) * grid.step * grid.step);
  constexpr std::size_t kSize = 200'000;
  const auto sampler = make_gaussian_sum(0x1p-12, 1, kSize);
  const GaussianGrid fine = gaussian_grid(0x1p-12, 1, kSize);
  MessageSum exact = sampler->make_sum();
  for (int i = 0; i < 3; ++i) sampler->add(Vector(kSize), exact);
  const MessageSum sum = sampler->draw(exact, random::RunKey::from_seed(3), 1);
  double squares = 0;
  for (const std::int64_t steps : sum.sums())
    squares += static_cast<double>(steps) * static_cast<double>(steps);
  const double expected = 3 * (fine.deviation * fine.deviation + 1.0 / 12);
  const auto verdict = testing::mean_test(squares / kSize / expected, 1, std::sqrt(2.0), kSize, kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

std::vector<Vector> records(std::size_t k) {
  std::vector<Vector> clients;
  for (std::size_t j = 0; j < 50; ++j) {
    Vector x(k);
    if (j % 10 != 9) x[j % 3 == 0 ? 0 : j % k] = 1;  // a tenth of the clients have no category
    clients.push_back(x);
  }
  return clients;
}

TEST(KRandomizedResponseSum, HasTheLawOfTheMessages) {
  for (std::size_t k : {std::size_t{2}, std::size_t{5}}) {
    const double epsilon0 = 1.2;
    const std::vector<Vector> clients = records(k);
    const auto randomizer = make_k_rr(epsilon0, k);
    const Means messages = by_messages(*randomizer, clients);
    const Means sums = by_sums(*randomizer, *make_k_rr_sum(epsilon0, k), clients);
    // A client answers i with probability p, q or 1/k. The answers of the clients are independent.
    const double e = std::exp(epsilon0), total = e + static_cast<double>(k) - 1;
    const double p = e / total, q = 1 / total, none = 1 / static_cast<double>(k);
    std::vector<double> expected(k), variance(k);
    for (const Vector& x : clients) {
      const bool empty = category_of(x) == k;
      for (std::size_t i = 0; i < k; ++i) {
        const double chance = empty ? none : x[i] == 1 ? p : q;
        expected[i] += (empty ? none : static_cast<double>(x[i])) / 50;
        variance[i] += chance * (1 - chance) / ((p - q) * (p - q)) / 2500;
      }
    }
    std::string summary;
    EXPECT_TRUE(moments_hold(messages, expected, variance, summary)) << k << ": " << summary;
    EXPECT_TRUE(moments_hold(sums, expected, variance, summary)) << k << ": " << summary;
    EXPECT_TRUE(same_law(messages, sums, summary)) << k << ": " << summary;
    // Known bad: another epsilon0 in the draw, or some clients with another category.
    EXPECT_FALSE(same_law(messages, by_sums(*randomizer, *make_k_rr_sum(1.0, k), clients), summary));
    std::vector<Vector> moved = clients;
    for (std::size_t j = 0; j < 6; ++j) moved[3 * j] = moved[1];
    EXPECT_FALSE(same_law(messages, by_sums(*randomizer, *make_k_rr_sum(epsilon0, k), moved), summary));
  }
}

TEST(SumSampler, RefusesWhatTheMessagesRefuse) {
  const auto gaussian = make_gaussian_sum(1, 1, 3);
  const auto k_rr = make_k_rr_sum(1, 3);
  MessageSum a = gaussian->make_sum(), b = k_rr->make_sum(), wrong(4, 1);
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THROW(gaussian->add(Vector{0, bad, 0}, a), Error);
    EXPECT_THROW(k_rr->add(Vector{0, bad, 0}, b), Error);
  }
  EXPECT_THROW(k_rr->add(Vector{1, 1, 0}, b), Error);
  EXPECT_THROW(gaussian->add(Vector(4), a), Error);
  EXPECT_THROW(k_rr->add(Vector(4), b), Error);
  EXPECT_THROW(gaussian->add(Vector(3), wrong), Error);
  EXPECT_THROW(k_rr->add(Vector(3), wrong), Error);
  EXPECT_THROW(gaussian->draw(wrong, random::RunKey::from_seed(1), 1), Error);
  EXPECT_THROW(k_rr->draw(wrong, random::RunKey::from_seed(1), 1), Error);
  // If the last vector of a pass is not finite, no vector of the pass is added.
  for (const auto& [sampler, sum] : {std::pair{gaussian.get(), &a}, std::pair{k_rr.get(), &b}}) {
    std::vector<Vector> pass(VectorRandomizer::kPass, Vector{0, 1, 0});
    pass.back()[2] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::span<const float>> views(pass.begin(), pass.end());
    EXPECT_THROW(sampler->add_all(views, *sum), Error);
    EXPECT_THAT(sum->sums(), ::testing::Each(0));
  }
  EXPECT_EQ(a.count() + b.count(), 0u);
  EXPECT_THROW(make_gaussian_sum(0, 1, 3), Error);
  EXPECT_THROW(make_k_rr_sum(1, 1), Error);
}

}  // namespace
}  // namespace muster::randomizers

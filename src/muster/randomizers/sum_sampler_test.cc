// Compares the `sum` fidelity with the messages that it replaces. Many rounds of one population are simulated
// with messages, and as many with sums. Their estimates are compared with each other and with closed forms of
// the moments. The same tests must detect faulty variants. sum_sampler_contract_test.cc tests what else every
// sampler must do.
#include "muster/randomizers/sum_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
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

constexpr double kSigma = 1.5, kClip = 0.5, kEpsilon0 = 1.2;
constexpr std::size_t kClients = 50;

// A known bad case, whose sums must not have the law of the messages: a sampler, the randomizer that decodes
// its sums, and the clients' vectors.
struct KnownBad {
  const char* what;
  std::unique_ptr<VectorRandomizer> randomizer;
  std::unique_ptr<SumSampler> sampler;
  std::vector<Vector> clients;
};

struct Moments {
  std::vector<double> mean, variance;  // of the estimate, by coordinate
};

struct Law {
  const char* name;
  std::size_t dimension;
  std::function<std::unique_ptr<VectorRandomizer>(std::size_t dimension)> randomizer;
  std::function<std::unique_ptr<SumSampler>(std::size_t dimension)> sampler;
  std::function<std::vector<Vector>(std::size_t dimension)> clients;
  std::function<Moments(const std::vector<Vector>& clients)> moments;
  std::function<std::vector<KnownBad>(const std::vector<Vector>& clients)> known_bad;
};

void PrintTo(const Law& law, std::ostream* out) { *out << law.name << law.dimension; }

std::vector<Vector> gradients(std::size_t dimension) {
  std::vector<Vector> clients;
  for (std::size_t j = 0; j < kClients; ++j) {
    Vector x(dimension);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = 0.3f * std::sin(static_cast<float>(j) + 2 * static_cast<float>(i)) + 0.1f;
    }
    clients.push_back(j == 7 ? Vector(dimension) : x);  // one client has the zero vector
  }
  return clients;
}

Moments moments_of_gaussian(const std::vector<Vector>& clients) {
  const std::size_t dimension = clients.front().size();
  std::vector<double> expected(dimension);
  for (const Vector& x : clients) {
    double norm = 0;
    for (float value : x) norm += static_cast<double>(value) * static_cast<double>(value);
    const double factor = std::min(1.0, kClip / std::max(1e-300, std::sqrt(norm)));
    for (std::size_t i = 0; i < dimension; ++i) expected[i] += static_cast<double>(x[i]) * factor / kClients;
  }
  return {expected, std::vector<double>(dimension, kSigma * kSigma * kClip * kClip / kClients)};
}

std::vector<KnownBad> known_bad_gaussians(const std::vector<Vector>& clients) {
  const std::size_t d = clients.front().size();
  std::vector<KnownBad> bad;
  bad.push_back({"noise smaller by a tenth", make_gaussian(0.9 * kSigma, kClip, d),
                 make_gaussian_sum(0.9 * kSigma, kClip, d), clients});
  bad.push_back({"a clip norm smaller by a fifth, with the noise unchanged",
                 make_gaussian(kSigma / 0.8, 0.8 * kClip, d), make_gaussian_sum(kSigma / 0.8, 0.8 * kClip, d),
                 clients});
  bad.push_back({"five clients missing",
                 make_gaussian(kSigma, kClip, d),
                 make_gaussian_sum(kSigma, kClip, d),
                 {clients.begin(), clients.end() - 5}});
  return bad;
}

std::vector<Vector> records(std::size_t k) {
  std::vector<Vector> clients;
  for (std::size_t j = 0; j < kClients; ++j) {
    Vector x(k);
    if (j % 10 != 9) x[j % 3 == 0 ? 0 : j % k] = 1;  // a tenth of the clients have no category
    clients.push_back(x);
  }
  return clients;
}

// Returns the moments of the estimate. A client answers i with probability p if i is its category, with
// probability q if it has another category, and with probability 1/k if it has none. The answers of the
// clients are independent.
Moments moments_of_k_rr(const std::vector<Vector>& clients) {
  const std::size_t k = clients.front().size();
  const double e = std::exp(kEpsilon0), total = e + static_cast<double>(k) - 1;
  const double p = e / total, q = 1 / total, none = 1 / static_cast<double>(k);
  Moments moments{std::vector<double>(k), std::vector<double>(k)};
  for (const Vector& x : clients) {
    const bool empty = category_of(x) == k;
    for (std::size_t i = 0; i < k; ++i) {
      const double chance = empty ? none : x[i] == 1 ? p : q;
      moments.mean[i] += (empty ? none : static_cast<double>(x[i])) / kClients;
      moments.variance[i] += chance * (1 - chance) / ((p - q) * (p - q)) / (kClients * kClients);
    }
  }
  return moments;
}

std::vector<KnownBad> known_bad_k_rr(const std::vector<Vector>& clients) {
  const std::size_t k = clients.front().size();
  std::vector<Vector> moved = clients;
  for (std::size_t j = 0; j < 6; ++j) moved[3 * j] = moved[1];
  std::vector<KnownBad> bad;
  bad.push_back({"another epsilon0", make_k_rr(kEpsilon0, k), make_k_rr_sum(1.0, k), clients});
  bad.push_back({"clients moved", make_k_rr(kEpsilon0, k), make_k_rr_sum(kEpsilon0, k), moved});
  return bad;
}

Law law_of_gaussian(std::size_t dimension) {
  return {.name = "gaussian",
          .dimension = dimension,
          .randomizer = [](std::size_t d) { return make_gaussian(kSigma, kClip, d); },
          .sampler = [](std::size_t d) { return make_gaussian_sum(kSigma, kClip, d); },
          .clients = gradients,
          .moments = moments_of_gaussian,
          .known_bad = known_bad_gaussians};
}

Law law_of_k_rr(std::size_t dimension) {
  return {.name = "k_rr",
          .dimension = dimension,
          .randomizer = [](std::size_t k) { return make_k_rr(kEpsilon0, k); },
          .sampler = [](std::size_t k) { return make_k_rr_sum(kEpsilon0, k); },
          .clients = records,
          .moments = moments_of_k_rr,
          .known_bad = known_bad_k_rr};
}

class SumSamplerLaw : public ::testing::TestWithParam<Law> {};

TEST_P(SumSamplerLaw, IsThatOfTheMessages) {
  const Law& law = GetParam();
  const std::vector<Vector> clients = law.clients(law.dimension);
  const auto randomizer = law.randomizer(law.dimension);
  const Means messages = by_messages(*randomizer, clients);
  const Means sums = by_sums(*randomizer, *law.sampler(law.dimension), clients);
  const Moments moments = law.moments(clients);
  std::string summary;
  EXPECT_TRUE(moments_hold(messages, moments.mean, moments.variance, summary)) << summary;
  EXPECT_TRUE(moments_hold(sums, moments.mean, moments.variance, summary)) << summary;
  EXPECT_TRUE(same_law(messages, sums, summary)) << summary;
  for (const KnownBad& bad : law.known_bad(clients)) {
    EXPECT_FALSE(same_law(messages, by_sums(*bad.randomizer, *bad.sampler, bad.clients), summary))
        << bad.what << ": " << summary;
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, SumSamplerLaw,
                         ::testing::Values(law_of_gaussian(5), law_of_k_rr(2), law_of_k_rr(5)),
                         [](const auto& instance) {
                           return instance.param.name + std::to_string(instance.param.dimension);
                         });

// Every coordinate has noise of its own, even if the coordinates lie in different blocks. A coordinate is a
// rounded normal of deviation 96, so it has any given value with probability at most p = 1 / (sqrt(2 pi) 96),
// also given the coordinates before it. The number of equal pairs at one lag is therefore at most Bin(1499,
// p) in stochastic order (mean 6.2), and it is 25 or more with probability at most 1.1e-8. The false-alarm
// rate of all four lags together is 4.4e-8.
TEST(GaussianSum, EveryCoordinateHasItsOwnNoise) {
  const auto sampler = make_gaussian_sum(kSigma, kClip, 1500);
  MessageSum exact = sampler->make_sum();
  sampler->add(Vector(1500, 0.01f), exact);
  const MessageSum sum = sampler->draw(exact, random::RunKey::from_seed(2), 3);
  const auto most_equal = [](const std::vector<std::int64_t>& steps) {
    int most = 0;
    for (const std::size_t lag : {1u, 16u, 32u, 1024u}) {
      int equal = 0;
      for (std::size_t i = 0; i + lag < steps.size(); ++i) equal += steps[i] == steps[i + lag];
      most = std::max(most, equal);
    }
    return most;
  };
  std::vector<std::int64_t> steps(sum.sums().begin(), sum.sums().end());
  EXPECT_LT(most_equal(steps), 25);
  // Known bad: the second block of 1024 coordinates has the noise of the first.
  std::copy(steps.begin(), steps.end() - 1024, steps.begin() + 1024);
  EXPECT_GE(most_equal(steps), 25);
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

TEST(KRandomizedResponseSum, RefusesSeveralCategories) {
  const auto sampler = make_k_rr_sum(1, 3);
  MessageSum sum = sampler->make_sum();
  EXPECT_ERROR(ErrorCode::data, sampler->add(Vector{1, 1, 0}, sum));
  EXPECT_EQ(sum.count(), 0u);
}

}  // namespace
}  // namespace muster::randomizers

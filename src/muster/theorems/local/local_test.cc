// Compares the local bounds with their definitions, summed term by term or integrated in extended precision:
// they must lie above, and just above. Extreme rates, rounds and deltas must stay on the safe side.
#include "muster/theorems/local/local.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/gaussian_divergence.h"
#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

long double choose(int n, int k) {
  long double c = 1;
  for (int i = 1; i <= k; ++i) c = c * (n - k + i) / i;
  return c;
}

// Returns delta by its definition, summed over the number k of participations and the number j of losses
// +epsilon0 among them.
long double slow_pure(double epsilon0, double rate, int rounds, double epsilon) {
  const long double p = 1 / (1 + std::exp(-static_cast<long double>(epsilon0)));
  const long double g = rate;
  long double sum = 0;
  for (int k = 0; k <= rounds; ++k) {
    const long double coin = choose(rounds, k) * std::pow(g, k) * std::pow(1 - g, rounds - k);
    for (int j = 0; j <= k; ++j) {
      const long double gain = 1 - std::exp(static_cast<long double>(epsilon) - (2 * j - k) * epsilon0);
      if (gain > 0) sum += coin * choose(k, j) * std::pow(p, j) * std::pow(1 - p, k - j) * gain;
    }
  }
  return sum;
}

// Integrates (phi(x - mu) - e^eps phi(x))_+ by the midpoint rule over the half-line where it is positive. phi
// is the standard normal density.
long double slow_pair(double mu, double epsilon) {
  const long double from = epsilon / mu + mu / 2, width = 14;
  const int cells = 40000;
  long double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const long double x = from + width * (i + 0.5L) / cells;
    sum += (std::exp(-(x - mu) * (x - mu) / 2) - std::exp(epsilon - x * x / 2)) * width / cells;
  }
  return sum / std::sqrt(2 * 3.14159265358979323846L);
}

void expect_just_above(double upper, long double exact, double relative) {
  EXPECT_GE(upper, exact);
  EXPECT_LE(upper, exact * (1 + relative) + 1e-300L);
}

TEST(LocalPure, EqualsTheDefinitionAndRoundsUp) {
  for (const double epsilon0 : {0.01, 0.5, 2.0, 8.0}) {
    for (const double rate : {0.001, 0.1, 0.5, 0.97, 1.0}) {
      for (const int rounds : {1, 2, 7, 40}) {
        for (const double share : {0.0, 0.05, 0.31, 0.5, 0.77, 0.98}) {
          const double epsilon = share * rounds * epsilon0;
          const double upper = local_delta_upper(PureLocal{epsilon0}, Rate::of(rate),
                                                 static_cast<std::uint64_t>(rounds), epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << rate << " " << rounds << " " << epsilon);
          expect_just_above(upper, slow_pure(epsilon0, rate, rounds, epsilon), 1e-8);
        }
      }
    }
  }
}

// The quotient epsilon / epsilon0 of these values is rounded up to 3, but each epsilon is below 3 epsilon0.
// So those outcomes count in which three more messages have the loss epsilon0 than have the loss -epsilon0.
// Where messages are rare, three messages are much more likely than four.
TEST(LocalPure, AnEpsilonJustBelowAMultipleOfEpsilon0LeavesNothingOut) {
  using oracle::Ball;
  for (const auto& [epsilon0, epsilon] :
       {std::pair{2.5575578371179746, 7.672673511353923}, std::pair{2.3149463950321807, 6.944839185096542}}) {
    ASSERT_EQ(std::floor(epsilon / epsilon0), 3);
    for (const double rate : {1e-15, 1e-9, 1e-3}) {
      const Ball one(1.0), p = one / (one + exp(-Ball(epsilon0))), g(rate);
      const Ball asked(epsilon), loss(epsilon0);
      const auto gain = [&](double losses) { return -expm1(asked - Ball(losses) * loss); };
      const Ball cubed = g * p * g * p * g * p;
      const Ball truth = Ball(4.0) * cubed * (one - g) * gain(3) + cubed * g * p * gain(4);
      const double upper = local_delta_upper(PureLocal{epsilon0}, Rate::of(rate), 4, epsilon);
      EXPECT_FALSE(truth.surely_above(Ball(upper))) << epsilon0 << ' ' << rate;
      EXPECT_LE(upper, 4 * rate * rate * rate * (1e-12 + rate));
    }
  }
}

// At rates this small, T rounds have about T times the delta of one round.
TEST(LocalPure, RatesNearTheSmallestDouble) {
  const auto delta = [](double epsilon0, double rate, std::uint64_t rounds, double epsilon) {
    return local_delta_upper(PureLocal{epsilon0}, Rate::of(rate), rounds, epsilon);
  };
  for (const double rate : {1e-300, 1e-200, 1e-120, 1e-70}) {
    for (const std::uint64_t rounds : {1u, 3u, 1000u}) {
      const double upper = delta(700, rate, rounds, 210);
      EXPECT_GE(upper, rate * static_cast<double>(rounds) * (1 - 1e-12)) << rate << ' ' << rounds;
      EXPECT_LE(upper, rate * static_cast<double>(rounds) * (1 + 1e-7)) << rate << ' ' << rounds;
    }
  }
  // Here delta is smaller than every positive double, but it is not 0.
  EXPECT_GT(delta(1e-30, 1e-300, 3, 1e-300), 0);
}

TEST(LocalPure, EpsilonInvertsDelta) {
  for (const double delta : {1e-30, 1e-8, 1e-5, 0.2}) {
    for (const std::uint64_t rounds : {1u, 10u, 6800u}) {
      const double epsilon = local_epsilon_upper(PureLocal{2.0}, Rate::of(0.1), rounds, delta);
      const double back = local_delta_upper(PureLocal{2.0}, Rate::of(0.1), rounds, epsilon);
      EXPECT_LE(back, delta * (1 + 1e-7));
      if (epsilon > 0 && epsilon < 2.0 * static_cast<double>(rounds)) {
        EXPECT_GE(back, delta * (1 - 1e-7));
      }
    }
  }
}

// Tests deltas at the end of a double's range, where the allowance for underflow is as large as delta.
TEST(LocalPure, AnswersAtTheSmallestDeltas) {
  for (const double epsilon0 : {1e-9, 0.5, 60.0}) {
    for (const std::uint64_t rounds : {1ull, 3ull, 1000ull, 246259ull}) {
      for (const double delta : {5e-324, 2.3e-308, 1e-307, 1e-300}) {
        const double epsilon = local_detail::pure_epsilon_upper(epsilon0, 0.5, rounds, delta);
        EXPECT_GE(epsilon, 0) << epsilon0 << ' ' << rounds << ' ' << delta;
        EXPECT_LE(epsilon, static_cast<double>(rounds) * epsilon0 * (1 + 1e-12));
      }
    }
  }
}

TEST(LocalPure, ClosedFormAtOneRound) {
  // Everybody reports once: delta(eps) = (e^eps0 - e^eps) / (1 + e^eps0).
  const double upper = local_delta_upper(PureLocal{1.0}, Rate::of(1), 1, 0.25);
  expect_just_above(upper, (std::exp(1.0L) - std::exp(0.25L)) / (1 + std::exp(1.0L)), 1e-12);
  EXPECT_EQ(local_delta_upper(PureLocal{1.0}, Rate::of(1), 1, 1.01), 0);
  EXPECT_EQ(local_epsilon_upper(PureLocal{1.0}, Rate::of(0.5), 0, 1e-5), 0);
  // Without amplification, LDP-SGD is charged like any other epsilon0-LDP message.
  EXPECT_EQ(local_delta_upper(LdpSgdLocal{1.0}, Rate::of(0.3), 9, 2.0),
            local_delta_upper(PureLocal{1.0}, Rate::of(0.3), 9, 2.0));
}

TEST(LocalPure, MomentBoundDominatesTheExactOne) {
  for (const std::uint64_t rounds : {1u, 100u, 100000u}) {
    for (const double epsilon0 : {0.1, 2.0}) {
      const double exact = local_detail::pure_epsilon_upper(epsilon0, 0.1, rounds, 1e-6);
      const double moments = local_detail::pure_epsilon_upper_by_moments(epsilon0, 0.1, rounds, 1e-6);
      EXPECT_GE(moments, exact);
      EXPECT_LE(moments, exact * 1.2 + 0.1);
      EXPECT_GE(local_detail::pure_delta_upper_by_moments(epsilon0, 0.1, rounds, exact),
                local_detail::pure_delta_upper(epsilon0, 0.1, rounds, exact));
    }
  }
}

// Where t epsilon0 is small (t is the order of the moment), the two parts of the moment nearly cancel. The
// test's own sum, with 64 bits of mantissa, has an error of 1e-8.
TEST(LocalPure, MomentBoundIsRoundedUpWhereItsPartsNearlyCancel) {
  constexpr std::uint64_t kRounds = 1'000'000'000'000'000;
  for (const double epsilon0 : {1e-10, 3e-9, 1e-7}) {
    for (const double deviations : {5.0, 10.0, 20.0}) {
      const long double e0 = epsilon0, p = 1 / (1 + std::exp(-e0)), n = kRounds;
      const double epsilon = static_cast<double>(deviations * std::sqrt(n) * e0);
      const auto exponent = [&](long double log_t) {
        const long double t = std::exp(log_t), x = t * e0;
        const long double moment = n * std::log1p(p * std::expm1(x) + (1 - p) * std::expm1(-x));
        return moment - t * epsilon - t * std::log1p(1 / t) - std::log1p(t);
      };
      long double low = 0, high = -std::log(e0);
      for (int i = 0; i < 100; ++i) {
        const long double third = (high - low) / 3;
        if (exponent(low + third) < exponent(high - third)) {
          high -= third;
        } else {
          low += third;
        }
      }
      const long double least = std::exp(exponent(low));
      const double bound = local_detail::pure_delta_upper_by_moments(epsilon0, 1, kRounds, epsilon);
      EXPECT_GE(bound, least * (1 - 1e-8L)) << epsilon0 << ' ' << deviations;
      EXPECT_LE(bound, least * (1 + 1e-5L)) << epsilon0 << ' ' << deviations;
    }
  }
}

// At so tiny an epsilon0, the two sums of the exact composition agree to 16 digits, so their difference has
// no correct digit. The bound by the total variation must take its place.
TEST(LocalPure, ATinyEpsilon0LeavesATinyDelta) {
  for (const double epsilon0 : {1e-18, 4e-91, 1e-100}) {
    double before = 0;
    for (const std::uint64_t rounds : {1, 2, 3, 4, 10}) {
      const double bound = local_delta_upper(PureLocal{epsilon0}, Rate::of(0.9), rounds, 0.4 * epsilon0);
      EXPECT_GT(bound, before);
      EXPECT_LE(bound, 0.45 * static_cast<double>(rounds) * epsilon0 * (1 + 1e-14));
      before = bound;
    }
  }
}

// A delta that is at least the bound on the total variation leaves no loss.
TEST(LocalPure, TheTotalVariationLeadsBackToEpsilonZero) {
  for (const std::uint64_t rounds : {10ull, 2'492'985ull, 40'000'000ull}) {
    const PureLocal tiny{2.033e-9};
    const double variation = local_delta_upper(tiny, Rate::of(1.6e-8), rounds, 8.5e-15);
    EXPECT_LE(variation, 0.5 * 2.033e-9 * 1.6e-8 * static_cast<double>(rounds) * (1 + 1e-13));
    EXPECT_EQ(local_epsilon_upper(tiny, Rate::of(1.6e-8), rounds, variation), 0);
    EXPECT_GT(local_epsilon_upper(tiny, Rate::of(1.6e-8), rounds, 0.9 * variation), 0);
  }
}

TEST(LocalPure, AHugeEpsilon0IsANumber) {
  for (const double epsilon0 : {700.0, 718.0, 1e4, 1e300}) {
    for (const double share : {0.0, 0.5, 2.5}) {
      const double bound = local_delta_upper(PureLocal{epsilon0}, Rate::of(0.5), 3, share * epsilon0);
      EXPECT_GT(bound, 0);
      EXPECT_LE(bound, 1);
    }
  }
}

TEST(LocalPure, TenMillionRoundsAndMore) {
  const double exact = local_epsilon_upper(PureLocal{0.001}, Rate::of(1), 10'000'000, 1e-5);
  // The loss has mean 5.0 and deviation 3.162. To four digits, these are the mean and the deviation of the
  // loss of a Gaussian pair at mu = 3.1623.
  EXPECT_NEAR(exact, local_detail::gaussian_epsilon_upper(std::sqrt(10.0), 1, 1, 1e-5), 0.002);
  EXPECT_GE(local_epsilon_upper(PureLocal{0.001}, Rate::of(1), 40'000'000, 1e-5), exact);
}

TEST(LocalGaussian, PairEqualsQuadrature) {
  for (const double mu : {0.01, 0.4, 1.0, 4.0, 20.0}) {
    for (const double z : {-3.0, -0.5, 0.0, 1.0, 4.0}) {
      const double epsilon = mu * mu / 2 + z * mu;
      if (epsilon < 0) continue;
      SCOPED_TRACE(::testing::Message() << mu << " " << epsilon);
      expect_just_above(gaussian_divergence(mu, epsilon).upper, slow_pair(mu, epsilon) * (1 - 1e-6L), 2e-6);
    }
  }
}

TEST(LocalGaussian, MixtureOverParticipations) {
  for (const double rate : {0.01, 0.4, 0.9}) {
    for (const int rounds : {1, 5, 60}) {
      for (const double epsilon : {0.0, 0.5, 3.0}) {
        long double exact = 0;
        for (int k = 1; k <= rounds; ++k) {
          const double mu = 0.4 * std::sqrt(static_cast<double>(k));
          exact += choose(rounds, k) * std::pow(static_cast<long double>(rate), k) *
                   std::pow(1 - static_cast<long double>(rate), rounds - k) *
                   (gaussian_divergence(mu, epsilon).upper);
        }
        const double upper = local_delta_upper(GaussianLocal{5.0}, Rate::of(rate),
                                               static_cast<std::uint64_t>(rounds), epsilon);
        expect_just_above(upper * (1 + 1e-9), exact, 1e-8);
      }
    }
  }
}

TEST(LocalGaussian, EpsilonInvertsDelta) {
  for (const double delta : {1e-30, 1e-8, 1e-5, 0.2}) {
    for (const std::uint64_t rounds : {1u, 5540u, 10'000'000u}) {
      const double epsilon = local_epsilon_upper(GaussianLocal{5.0}, Rate::of(0.1), rounds, delta);
      const double back = local_delta_upper(GaussianLocal{5.0}, Rate::of(0.1), rounds, epsilon);
      EXPECT_LE(back, delta * (1 + 1e-6));
      if (epsilon > 0) {
        EXPECT_GE(back, delta * (1 - 1e-6));
      }
    }
  }
}

// The number of participations has so many values here that the question for delta first joins values into
// blocks. Once delta is roughly known, fewer values matter, and none are joined, as in the question for
// epsilon.
TEST(LocalGaussian, EpsilonAndDeltaUseTheSameBlocks) {
  const GaussianLocal little{0.0088};
  const double delta = 5.4e-158;
  const double epsilon = local_epsilon_upper(little, Rate::of(0.5), 66'218'496, delta);
  EXPECT_LE(local_delta_upper(little, Rate::of(0.5), 66'218'496, epsilon), delta * (1 + 1e-6));
}

TEST(Local, RefusesWhatIsNotAPrivacyLoss) {
  EXPECT_ERROR(ErrorCode::usage, local_delta_upper(PureLocal{1.0}, Rate::of(0.5), 3, -1));
  EXPECT_ERROR(ErrorCode::usage, local_delta_upper(PureLocal{1.0}, Rate::of(0.5), 3, NAN));
  EXPECT_ERROR(ErrorCode::plan, local_epsilon_upper(PureLocal{1.0}, Rate::of(0.5), 3, 0));
  EXPECT_ERROR(ErrorCode::plan, local_epsilon_upper(PureLocal{-1.0}, Rate::of(0.5), 3, 1e-5));
}

}  // namespace
}  // namespace muster::accounting

// Tests composition/dominated_losses.h on pairs of this folder with large losses. The composed lower values
// are compared with the exact composition of the true pair. For Gaussian messages, this is a sum over the
// number of rounds in which the victim's message is seen; for randomized response, the law of the loss is
// convolved. The tested and the exact computation share no curve, no table and no transform.
#include "muster/composition/dominated_losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "muster/composition/composed_curve.h"
#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_curve.h"
#include "muster/theorems/exact/homogeneous.h"

namespace muster::accounting {
namespace {

using Extended = long double;

ComposedPair composed(const Mechanism& mechanism, const RoundShape& shape) {
  const auto curve = std::make_shared<const HomogeneousCurve>(mechanism, shape);
  return {[curve](double e) { return curve->forward(e); }, [curve](double e) { return curve->reverse(e); }};
}

template <typename Delta>
double epsilon_at(const Delta& delta, Extended target, Extended high) {
  Extended low = 0;
  for (int i = 0; i < 60; ++i) {
    const Extended middle = (low + high) / 2;
    (delta(middle) > target ? low : high) = middle;
  }
  return static_cast<double>(high);
}

Extended log_choose(Extended n, Extended k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}
Extended phi(Extended x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }

// Returns Mills' ratio of the standard normal law: P(Z > x) divided by the density at x.
Extended mills(Extended x) {
  if (x < 20) return phi(-x) * std::sqrt(2 * std::acos(-1.0L)) * std::exp(x * x / 2);
  const Extended y = 1 / (x * x);
  return (1 - y * (1 - y * (3 - 15 * y))) / x;
}

// Computes the exact epsilon for a Gaussian message that is seen with probability s in each round and lies
// far from the alternative's message. The loss of a round is ln s plus a normal of mean mu^2/2 and
// deviation mu with probability s, and ln(1 - s) otherwise. The overlap of the two messages' laws, which is
// neglected, is below e^{-mu^2/8}.
double gaussian_epsilon(Extended mu, Extended s, int rounds, Extended delta) {
  const auto at = [&](Extended e) {
    Extended sum = 0;
    for (int k = 0; k <= rounds && k < 400; ++k) {
      const Extended chance =
          std::exp(log_choose(rounds, k) + k * std::log(s) + (rounds - k) * std::log1p(-s));
      const Extended mean = (rounds - k) * std::log1p(-s) + k * (std::log(s) + mu * mu / 2);
      const Extended deviation = mu * std::sqrt(static_cast<Extended>(k));
      if (k == 0) continue;  // the loss is then not above an epsilon >= 0
      const Extended z = (mean - e) / deviation;
      // With S the total loss, the mean of e^{e - S} over S > e is the density at z times Mills' ratio at
      // deviation - z.
      const Extended other = std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L)) * mills(deviation - z);
      sum += chance * (phi(z) - other);
    }
    return sum;
  };
  return epsilon_at(at, delta, rounds * mu * mu);
}

TEST(DominatedLosses, RareGaussianMessagesComposeToWhatTheyShow) {
  struct Case {
    double sigma, seen;
    int rounds;
  };
  // With noise of at most a tenth of the clip norm, the large losses are in the hundreds and thousands. In
  // most cases they are rare; in some the message is seen often.
  for (const Case c : {Case{0.0187, 1.87e-4, 7}, Case{0.0325, 4.95e-5, 30570}, Case{0.0444, 0.0225, 719},
                       Case{0.02, 0.4, 7}, Case{0.1, 1e-3, 100}, Case{0.1, 0.1, 300}}) {
    const double mu = 2 / c.sigma;
    const ComposedPair pair =
        composed(GaussianLocal{c.sigma}, {.clients = 1 / c.seen, .count = 1, .rate = 1});
    const double exact = gaussian_epsilon(mu, c.seen, c.rounds, 1e-5L);
    const double lower =
        pair.lower(static_cast<std::uint64_t>(c.rounds), {Question::Kind::epsilon_at_delta, 1e-5});
    std::printf("sigma %g, seen %g, %d rounds: lower %.8g, exact %.8g\n", c.sigma, c.seen, c.rounds, lower,
                exact);
    EXPECT_LE(lower, exact * (1 + 1e-9)) << c.sigma << ' ' << c.rounds;
    EXPECT_GE(lower, exact * 0.998) << c.sigma << ' ' << c.rounds;
    // If the loss ln(1 - s) of the rounds without the message were taken as 0, the lower value would exceed
    // the exact one.
    if (c.seen > 0.05 && c.rounds > 100) {
      EXPECT_GT(lower - c.rounds * std::log1p(-c.seen), exact) << c.sigma << ' ' << c.rounds;
    }
  }
}

struct Bracket {
  double low, high;
};
// Bounds the exact epsilon for randomized response from below and from above, in `rounds` check-ins of
// `clients` clients at `rate`. The law of one round's loss is computed atom by atom. For many rounds it is
// convolved directly, with losses rounded down (for `low`) or up (for `high`) to a lattice.
Bracket response_epsilon(Extended epsilon0, Extended rate, int clients, int rounds, Extended delta) {
  const Extended h = 2e-3L, rare = rate / (std::exp(epsilon0) + 1), common = rate - rare;
  std::vector<std::pair<Extended, Extended>> law;  // pairs of a loss and its P-mass
  for (int a = 0; a <= clients && a < 6; ++a) {
    for (int b = 0; a + b <= clients; ++b) {
      const int absent = clients - a - b;
      const Extended log_mass = std::lgamma(clients + 1.0L) - std::lgamma(a + 1.0L) - std::lgamma(b + 1.0L) -
                                std::lgamma(absent + 1.0L) + a * std::log(rare) + b * std::log(common) +
                                absent * std::log1p(-rate);
      const Extended ratio = (absent + a * std::exp(epsilon0) + b * std::exp(-epsilon0)) / clients;
      law.emplace_back(std::log(ratio), ratio * std::exp(log_mass));
    }
  }
  const auto composed_at = [&](bool up) {
    std::vector<std::pair<long, Extended>> one;
    long least = 0, most = 0;
    for (const auto& [loss, mass] : law) {
      if (mass < 1e-22L) continue;  // the outcomes skipped add less than 1e-18 to delta
      const auto index = static_cast<long>(up ? std::ceil(loss / h) : std::floor(loss / h));
      least = std::min(least, index);
      most = std::max(most, index);
      if (one.empty() || one.back().first != index) one.emplace_back(index, 0);
      one.back().second += mass;
    }
    std::vector<Extended> sum{1};
    for (int t = 0; t < rounds; ++t) {
      std::vector<Extended> next(sum.size() + static_cast<std::size_t>(most - least), 0);
      for (const auto& [index, mass] : one) {
        for (std::size_t i = 0; i < sum.size(); ++i)
          next[i + static_cast<std::size_t>(index - least)] += mass * sum[i];
      }
      sum = std::move(next);
    }
    return epsilon_at(
        [&](Extended e) {
          Extended total = 0;
          for (std::size_t i = 0; i < sum.size(); ++i) {
            const Extended loss = h * static_cast<Extended>(static_cast<long>(i) + rounds * least);
            if (loss > e) total += sum[i] * -std::expm1(e - loss);
          }
          return total;
        },
        delta, rounds * epsilon0);
  };
  return {composed_at(false), composed_at(true)};
}

TEST(DominatedLosses, RareResponsesComposeToWhatTheyShow) {
  struct Case {
    double epsilon0, rate;
    int clients, rounds;
  };
  for (const Case c : {Case{15, 0.2, 30, 12}, Case{12, 0.05, 60, 12}, Case{21, 0.6, 12, 8}}) {
    const double clients = c.clients;
    const ComposedPair pair =
        composed(PureLocal{c.epsilon0}, {.clients = clients, .count = clients, .rate = c.rate});
    const Bracket exact = response_epsilon(c.epsilon0, c.rate, c.clients, c.rounds, 1e-5L);
    const double lower =
        pair.lower(static_cast<std::uint64_t>(c.rounds), {Question::Kind::epsilon_at_delta, 1e-5});
    std::printf("epsilon0 %g, %d clients: lower %.8g, exact %.8g to %.8g\n", c.epsilon0, c.clients, lower,
                exact.low, exact.high);
    EXPECT_LE(lower, exact.high) << c.epsilon0 << ' ' << c.clients;
    EXPECT_GE(lower, exact.low * 0.99) << c.epsilon0 << ' ' << c.clients;
  }
}

// The curve of one round of a dominated pair lies below the curve that it was made from, also at alpha < 1.
// The tables are so coarse that most of the losses' probability lies in one or two cells.
TEST(DominatedLosses, StayUnderTheCurveOnBothSides) {
  const HomogeneousCurve truth(PureLocal{12}, {.clients = 100, .count = 100, .rate = 0.2});
  const auto at = [&truth](double epsilon) {  // delta of the true pair at an epsilon of either sign
    return epsilon >= 0 ? truth.forward(epsilon).minorant_upper
                        : -std::expm1(epsilon) + std::exp(epsilon) * truth.reverse(-epsilon).minorant_upper;
  };
  int questions = 0;
  double tightest = 0;
  for (const int per_deviation : {3, 10}) {
    const PairTable curve = tabulate([&](double e) { return truth.forward(e); },
                                     [&](double e) { return truth.reverse(e); }, {per_deviation, 1e-12, 0.5});
    for (const int refined : {2, 16}) {
      for (const bool swapped : {false, true}) {
        const LossDistribution law = LossDistribution::dominated(swapped ? curve.swapped() : curve, refined);
        for (double epsilon = -0.9; epsilon < 9; epsilon += 0.0313) {
          // With the records exchanged, the curve f becomes 1 - alpha + alpha f(1 / alpha).
          const double exact =
              swapped ? -std::expm1(epsilon) + std::exp(epsilon) * at(-epsilon) : at(epsilon);
          const double value = law.delta(1, epsilon).lower;
          EXPECT_LE(value, exact * (1 + 1e-7) + 1e-12) << per_deviation << ' ' << refined << ' ' << epsilon;
          ++questions;
          if (epsilon > 0.1 && !swapped) tightest = std::max(tightest, value / exact);
        }
      }
    }
  }
  std::printf("%d questions, tightest %.6f\n", questions, tightest);
  EXPECT_GT(tightest, 0.98);
}

}  // namespace
}  // namespace muster::accounting

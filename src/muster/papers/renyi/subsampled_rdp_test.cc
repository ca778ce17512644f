// Tests the Renyi bounds of subsampling against the formula of Theorem 9 (subsampled_rdp.h), evaluated
// directly in long double, and against the exact divergence of every data set of two to five clients, for
// uniform subsets and for check-ins.
#include "muster/papers/renyi/subsampled_rdp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "muster/papers/conversions/local_rdp.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using oracle::Law;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Evaluates Theorem 9 as stated, in long double.
long double theorem9(long double g, const RenyiCurve& eps, long double loss, int order) {
  long double sum = 1, choose = static_cast<long double>(order) * (order - 1) / 2, power = g * g;
  const long double gain = std::expm1(loss), e2 = eps(2);
  sum += power * choose * std::min(4 * std::expm1(e2), std::exp(e2) * std::min(2.0L, gain * gain));
  for (int j = 3; j <= order; ++j) {
    choose *= static_cast<long double>(order - j + 1) / j;
    power *= g;
    sum += power * choose * std::exp((j - 1) * static_cast<long double>(eps(static_cast<std::uint64_t>(j)))) *
           std::min(2.0L, std::pow(gain, static_cast<long double>(j)));
  }
  return std::log(sum) / (order - 1);
}

TEST(SubsampledRdp, EqualsTheTheoremRoundedUp) {
  struct Case {
    RenyiCurve curve;
    double loss;
  };
  const std::vector<Case> cases = {
      {[](std::uint64_t l) { return gaussian_rdp_upper(0.3, static_cast<double>(l)); }, kInfinity},
      {[](std::uint64_t l) { return pure_rdp_upper(0.2, static_cast<double>(l)); }, 0.2},
      {[](std::uint64_t l) { return pure_rdp_upper(2, static_cast<double>(l)); }, 2}};
  for (const Case& c : cases) {
    for (const double g : {1e-4, 0.01, 0.3}) {
      const SubsampledRdp rdp(g, c.curve, c.loss);
      for (const int order : {2, 3, 10, 64, 500}) {
        const long double exact = theorem9(g, c.curve, c.loss, order);
        const double own = c.curve(static_cast<std::uint64_t>(order));
        const double found = rdp.upper(static_cast<std::uint64_t>(order));
        SCOPED_TRACE(::testing::Message() << g << " " << order << " " << own);
        // theorem9() adds a small sum to 1 in long double, with an error of about 2^-64.
        EXPECT_GE(found, std::min(exact * (1 - 1e-15L) - 1e-19L, static_cast<long double>(own)));
        EXPECT_LE(found, std::min(exact * (1 + 1e-10L) + 1e-18L, own * (1 + 1e-12L)));
      }
    }
  }
}

// Finds the largest divergence of a shuffle of k reports, over every data set and ordered pair of records.
class WorstShuffle {
 public:
  explicit WorstShuffle(std::vector<Law> laws) : laws_(std::move(laws)) {}

  double operator()(int k, std::uint64_t order) {
    double& found = known_[{k, order}];
    if (found > 0) return found;
    each_dataset(k, [&](const std::vector<Law>& others, const Law& a, const Law& b) {
      found = std::max(found, static_cast<double>(oracle::renyi(oracle::subset(others, a, b, k),
                                                                static_cast<long double>(order))));
    });
    return found *= 1 + 1e-14;
  }

  template <class F>
  void each_dataset(int n, F&& f) const {
    const int records = static_cast<int>(laws_.size());
    for (const auto& dataset : oracle::multisets(records, n - 1)) {
      std::vector<Law> others;
      for (const int r : dataset) others.push_back(laws_[static_cast<std::size_t>(r)]);
      for (const Law& a : laws_) {
        for (const Law& b : laws_) {
          if (&a != &b) f(others, a, b);
        }
      }
    }
  }

 private:
  std::vector<Law> laws_;
  std::map<std::pair<int, std::uint64_t>, double> known_;
};

TEST(SubsampledRdp, NoDatasetExceedsIt) {
  std::mt19937_64 engine(5);
  int cases = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const auto family = trial % 2 ? oracle::Family::smooth : oracle::Family::extreme;
    const std::vector<Law> laws = oracle::random_randomizer(family, 2 + trial % 2, 2 + trial % 2, engine);
    const double loss = static_cast<double>(oracle::largest_log_ratio(laws)) * (1 + 1e-14);
    WorstShuffle worst(laws);
    for (int n = 2; n <= 5; ++n) {
      for (int k = 1; k <= n; ++k) {
        const RenyiCurve mechanism = [&](std::uint64_t order) { return worst(k, order); };
        const RenyiCurve message = [&](std::uint64_t order) {
          return pure_rdp_upper(loss, static_cast<double>(order));
        };
        const SubsampledRdp rdp(static_cast<double>(k) / n, mechanism, loss),
            local(static_cast<double>(k) / n, message, loss);
        for (const std::uint64_t order : {2, 3, 4, 7, 20}) {
          const long double bound = rdp.upper(order), loose = local.upper(order);
          EXPECT_LE(bound, loose * (1 + 1e-12L));
          worst.each_dataset(n, [&](const std::vector<Law>& others, const Law& a, const Law& b) {
            EXPECT_LE(oracle::renyi(oracle::subset(others, a, b, k), static_cast<long double>(order)), bound);
            ++cases;
          });
        }
      }
      for (const double rate : {0.05, 0.4, 0.9}) {
        const CheckInMixture mixture(
            n, rate,
            [&](double k) -> RenyiCurve {
              return [&worst, k](std::uint64_t order) { return worst(static_cast<int>(k), order); };
            },
            loss);
        for (const std::uint64_t order : {2, 3, 7, 20}) {
          const long double bound = mixture.upper(order);
          worst.each_dataset(n, [&](const std::vector<Law>& others, const Law& a, const Law& b) {
            const auto pair = oracle::check_in(others, a, b, static_cast<long double>(rate));
            EXPECT_LE(oracle::renyi(pair, static_cast<long double>(order)), bound);
            ++cases;
          });
        }
      }
    }
  }
  EXPECT_GT(cases, 3000);
}

// Equation (17) of Liew and Takahashi (2022) uses the check-in rate instead of the inclusion probability k/n,
// and leaves out k = 0. For two clients with binary response at epsilon0 = 1, the first error makes the
// value too small. With both errors it is even negative.
TEST(SubsampledRdp, PrintedMixtureIsFalse) {
  const double q = 1 / (std::exp(1.0) + 1), g = 0.05;
  const Law one{1 - q, q}, zero{q, 1 - q};
  const auto pair = oracle::check_in({one}, one, zero, static_cast<long double>(g));
  WorstShuffle worst({one, zero});
  const auto shuffled = [&](double k) -> RenyiCurve {
    return [&worst, k](std::uint64_t order) { return worst(static_cast<int>(k), order); };
  };
  const auto printed = [&](std::uint64_t order, bool with_zero) {
    double moment = with_zero ? (1 - g) * (1 - g) : 0;
    for (const double k : {1.0, 2.0}) {
      const double weight = k == 1 ? 2 * g * (1 - g) : g * g;
      moment += weight *
                std::exp((static_cast<double>(order) - 1) * SubsampledRdp(g, shuffled(k), 1.0).upper(order));
    }
    return std::log(moment) / (static_cast<double>(order) - 1);
  };
  const long double truth = oracle::renyi(pair, 20);
  EXPECT_LT(printed(20, true), truth * 0.7L);
  EXPECT_LT(printed(2, false), 0);
  EXPECT_GE(CheckInMixture(2, g, shuffled, 1.0).upper(20), truth);
}

TEST(SubsampledRdp, ExtremesAreTotal) {
  for (const double g : {1e-12, 0.5, 1.0}) {
    for (const double mu : {1e-6, 1.0, 30.0}) {
      const RenyiCurve message = [mu](std::uint64_t l) {
        return gaussian_rdp_upper(mu, static_cast<double>(l));
      };
      for (const std::uint64_t order : {2, 3, 100, 3000}) {
        const double subset = SubsampledRdp(g, message).upper(order);
        EXPECT_TRUE(subset >= 0 && subset <= message(order) * (1 + 1e-12))
            << g << " " << mu << " " << order << " " << subset;
        const double mixed =
            CheckInMixture(1e9, g, [&](double) -> const RenyiCurve& { return message; }).upper(order);
        EXPECT_TRUE(mixed >= 0 && mixed <= message(order) * (1 + 1e-9))
            << g << " " << mu << " " << order << " " << mixed;
      }
    }
  }
  EXPECT_TRUE(std::isinf(SubsampledRdp(0.5, [](std::uint64_t) { return kInfinity; }).upper(5)));
}

}  // namespace
}  // namespace muster::accounting

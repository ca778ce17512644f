// Tests the papers' Renyi bounds against exhaustive enumeration, against their formulas in long double, and
// at the parameters of the papers' experiments.
#include "muster/papers/published/published.h"

#include <gmock/gmock.h>

#include <cmath>

#include "muster/papers/published/published_subset.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using oracle::Law;
using ::testing::Contains;
using ::testing::HasSubstr;

// Evaluates Theorem 1 of Girgis et al. as printed, term by term.
long double theorem1(long double epsilon0, long double g, long double kbar, long double exponent, int order) {
  const auto choose = [&](int j) {
    return std::exp(std::lgamma(order + 1.0L) - std::lgamma(j + 1.0L) - std::lgamma(order - j + 1.0L));
  };
  const long double grown = std::exp(epsilon0), c = (grown * grown - 1) / grown;
  long double sum = 4 * choose(2) * g * g * (grown - 1) * (grown - 1) / (kbar * grown);
  for (int j = 3; j <= order; ++j) {
    sum += choose(j) * std::pow(g, j) * j * std::tgamma(j / 2.0L) * std::pow(2 * c * c / kbar, j / 2.0L);
  }
  for (int j = 2; j <= order; ++j) sum += choose(j) * std::pow(g * c, j) * std::exp(-exponent);
  return std::log1p(sum) / (order - 1);
}

TEST(SubsampledShuffleRdp, EqualsThePrintedFormulaRoundedUp) {
  for (const double epsilon0 : {0.2, 1.0, 2.0}) {
    for (const double k : {1.0, 10.0, 6000.0}) {
      for (const std::uint64_t order : {2u, 3u, 4u, 17u, 150u}) {
        const double n = 60000;
        const long double kbar = std::floor((k - 1) / (2 * std::exp(epsilon0))) + 1;
        const long double exact =
            theorem1(epsilon0, k / n, kbar, (k - 1) / (8 * std::exp(epsilon0)), static_cast<int>(order));
        const double upper = subsampled_shuffle_rdp_upper(epsilon0, n, k, order);
        SCOPED_TRACE(::testing::Message() << epsilon0 << " " << k << " " << order);
        EXPECT_GE(upper, exact);
        // Taylor's remainder, used for the last term where l g c < 0.1, makes that term up to 11 % larger.
        EXPECT_LE(upper, exact * (k > 100 ? 1 + 1e-9L : 1.11L));
      }
    }
  }
}

// Tests upper and lower bounds on every data set of small populations with random randomizers, for fixed
// subsets and check-ins.
TEST(PublishedRdp, SandwichTheEnumeratedDivergence) {
  std::mt19937_64 engine(21);
  int cases = 0;
  for (int trial = 0; trial < 9; ++trial) {
    std::vector<Law> laws = oracle::random_randomizer(
        trial % 2 ? oracle::Family::smooth : oracle::Family::extreme, 3, 2 + trial % 2, engine);
    const long double epsilon0 = oracle::largest_log_ratio(laws);
    const double q = static_cast<double>(1 / (std::exp(epsilon0) + 1));
    // The lower bounds are for binary response at the same epsilon0.
    const Law one{1 - q, q}, zero{q, 1 - q};
    for (int n = 3; n <= 5; ++n) {
      for (const std::uint64_t order : {2u, 3u, 5u}) {
        const auto e0 = static_cast<double>(epsilon0) * (1 + 1e-15);
        const auto l = static_cast<long double>(order);
        for (int k = 1; k <= n; ++k) {
          const double upper = subsampled_shuffle_rdp_upper(e0, n, k, order);
          for (const auto& dataset : oracle::multisets(3, n - 1)) {
            std::vector<Law> others;
            for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
            EXPECT_LE(oracle::renyi(oracle::subset(others, laws[0], laws[1], k), l), upper);
            ++cases;
          }
          const std::vector<Law> zeros(static_cast<std::size_t>(n - 1), one);
          const long double exact = oracle::renyi(oracle::subset(zeros, zero, one, k), l);
          const double lower = subsampled_shuffle_rdp_lower(e0, n, k, order);
          EXPECT_LE(lower, exact * (1 + 1e-13L));
          EXPECT_GE(lower, exact * (1 - 1e-9L));  // Theorem 2 gives the exact moment
        }
        for (const double rate : {0.1, 0.5, 0.8, 1.0}) {
          const double upper = CheckInRdp(e0, n, rate).upper(order);
          for (const auto& dataset : oracle::multisets(3, n - 1)) {
            std::vector<Law> others;
            for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
            const auto pair = oracle::check_in(others, laws[0], laws[1], static_cast<long double>(rate));
            EXPECT_LE(oracle::renyi(pair, l), upper);
            EXPECT_LE(oracle::renyi(pair.swapped(), l), upper);
            ++cases;
          }
          const std::vector<Law> zeros(static_cast<std::size_t>(n - 1), one);
          EXPECT_LE(check_in_rdp_lower(e0, n, rate, 0.5, order),
                    oracle::renyi(oracle::check_in(zeros, zero, one, static_cast<long double>(rate)), l));
        }
      }
    }
  }
  EXPECT_GT(cases, 5000);
}

// Liew et al. use their Lemma 5, "the bound falls with k", in their Theorem 2. The lemma is false at the true
// inclusion rate k/n.
TEST(PublishedRdp, TheBoundRisesWithTheNumberOfReports) {
  EXPECT_GT(subsampled_shuffle_rdp_upper(2, 60000, 12000, 3),
            subsampled_shuffle_rdp_upper(2, 60000, 3000, 3));
}

// Theorem 2 of Liew et al. is also false, even with its printed constants corrected and for any Chernoff
// slack. With probability g^n all n clients report, and then the victim is certainly among them, not with
// probability g.
TEST(PublishedRdp, PrintedCheckInTheoremIsFalse) {
  const double q = 1 / (std::exp(1.0) + 1);
  const Law one{1 - q, q}, zero{q, 1 - q};
  const auto pair = oracle::check_in({one}, one, zero, 0.05L);
  const long double truth = std::max(oracle::renyi(pair, 20), oracle::renyi(pair.swapped(), 20));
  EXPECT_NEAR(static_cast<double>(truth), 0.6517, 1e-4);
  for (const double slack : {0.01, 0.25, 0.5, 0.9}) {
    EXPECT_LT(check_in_rdp_printed(1, 2, 0.05, slack, 20), 0.263);
  }
  EXPECT_GE(CheckInRdp(1, 2, 0.05).upper(20), truth);
}

double epsilon_at(double n, double rate, double epsilon0, std::uint64_t rounds, double delta) {
  const ShuffledCheckIn protocol{ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(rate)};
  return *girgis_theorem1_bound(protocol, epsilon0, rounds, {Question::Kind::epsilon_at_delta, delta},
                                Conversion::canonne)
              .upper;
}

// Tests the values of Theorem 1 at the mean count, for three experiments of the papers. For the first two,
// the papers report epsilons of about 1 and of 2.91.
TEST(Published, PapersPoints) {
  EXPECT_NEAR(epsilon_at(60000, 0.1, 2, 6800, 1e-5), 11.5, 0.05);
  EXPECT_NEAR(epsilon_at(60000, 1.0 / 6, 1.5, 1200, 1e-5), 3.09, 0.005);
  EXPECT_NEAR(epsilon_at(1e6, 1e-3, 2, 100000, 1e-8), 1.040, 0.0005);
}

TEST(Published, SaysWhatItIs) {
  const ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  const std::vector<Bound> all = published_bounds(protocol, 2, 6800, question);
  ASSERT_EQ(all.size(), 6u);
  for (const Bound& bound : all) {
    EXPECT_EQ(bound.validity, Validity::as_published) << bound.id;
    EXPECT_FALSE(bound.lower.has_value()) << bound.id;
    EXPECT_FALSE(bound.assumptions.empty()) << bound.id;
    EXPECT_FALSE(bound.citation.empty()) << bound.id;
  }
  // For a subset of fixed size the theorem is proven, and the bound has another id.
  EXPECT_TRUE(all[0].id.starts_with("girgis-2021-at-mean-count")) << all[0].id;
  const Bound subset = subset_theorem1_bound(60000, 6000, 2, 6800, question, Conversion::exact);
  EXPECT_FALSE(subset.id.starts_with("girgis-2021-at-mean-count")) << subset.id;
  EXPECT_EQ(subset.validity, Validity::proven);
  EXPECT_EQ(all[4].id, "girgis-2021-theorem-2");
  EXPECT_FALSE(all[4].upper.has_value());
  EXPECT_THAT(all[4].assumptions, Contains(HasSubstr("no lower bound on epsilon")));
  const Bound proven = check_in_rdp_bound(protocol, 2, 6800, question, Conversion::exact);
  EXPECT_EQ(proven.validity, Validity::proven);
  EXPECT_NEAR(*proven.upper, 11.53, 0.01);
  // The bounds also answer questions for delta at a given epsilon.
  const Bound delta =
      check_in_rdp_bound(protocol, 2, 10, {Question::Kind::delta_at_epsilon, 1.0}, Conversion::exact);
  EXPECT_GT(*delta.upper, 0);
  EXPECT_LT(*delta.upper, 0.1);
}

// Tests a pure randomizer and the Gaussian under every participation. The number of bounds is the number of
// formulas that the papers have for the protocol, each bound has a citation, and no value is negative.
TEST(Published, EveryParticipation) {
  const ClientCount n = ClientCount::of(2000);
  const Rate rate = Rate::of(0.1), one = Rate::of(1);
  using Kind = RandomCheckIn::Kind;
  struct Case {
    Participation participation;
    std::size_t pure, gaussian;
  };
  const std::vector<Case> cases = {{Shuffle{n}, 10, 4},
                                   {FixedSubset{n, 200}, 8, 1},
                                   {ShuffledCheckIn{n, rate}, 12, 6},
                                   {ShuffledCheckIn{n, rate, Rate::of(0.05)}, 0, 0},
                                   {RandomCheckIn{Kind::fixed, n, 50, rate}, 1, 1},
                                   {RandomCheckIn{Kind::sliding, n, 50, one}, 1, 1},
                                   {RandomCheckIn{Kind::averaged, n, 50, one}, 1, 1},
                                   {RandomCheckIn{Kind::averaged, n, 50, rate}, 0, 0},
                                   {AggregatedCheckIn{n, rate, 10}, 0, 1}};
  for (const Question& question :
       {Question{Question::Kind::epsilon_at_delta, 1e-5}, Question{Question::Kind::delta_at_epsilon, 0.3}}) {
    for (const Case& c : cases) {
      for (const Mechanism& mechanism : {Mechanism(LdpSgdLocal{1.0}), Mechanism(GaussianLocal{5.0})}) {
        const std::vector<Bound> all = published_bounds(mechanism, c.participation, 3, question);
        EXPECT_EQ(all.size(), std::holds_alternative<GaussianLocal>(mechanism) ? c.gaussian : c.pure)
            << name_of(c.participation);
        for (const Bound& bound : all) {
          EXPECT_FALSE(bound.id.empty());
          EXPECT_FALSE(bound.citation.empty()) << bound.id;
          EXPECT_GE(bound.upper.value_or(0), 0) << bound.id;
          EXPECT_TRUE(bound.upper.has_value() || !bound.assumptions.empty()) << bound.id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

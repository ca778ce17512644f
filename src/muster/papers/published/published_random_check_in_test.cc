// Tests the bounds of "Privacy amplification via random check-ins" against the printed formulas in long
// double and against numbers of the paper, and the proven bounds also against exact divergences.
#include "muster/papers/published/published_random_check_in.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace muster::accounting {
namespace {

using namespace random_check_in;

const Question kAtMillionth{Question::Kind::epsilon_at_delta, 1e-6};

// Evaluate the theorems' formulas as printed; e0 is epsilon0.
long double theorem32(long double e0, long double m, long double p0, long double delta) {
  return p0 * (std::exp(e0) - 1) * std::sqrt(2 * std::exp(e0) * std::log(1 / delta) / m) +
         p0 * p0 * std::exp(e0) * (std::exp(e0) - 1) * (std::exp(e0) - 1) / (2 * m);
}
long double theorem41(long double e0, long double n, long double m, long double delta, long double delta2) {
  const long double e1 = std::sqrt(1 / n + 1 / m) + std::sqrt(std::log(1 / delta2) / n);
  return std::exp(4 * e0) * (std::exp(e0) - 1) * (std::exp(e0) - 1) * e1 * e1 / 2 +
         std::exp(2 * e0) * (std::exp(e0) - 1) * e1 * std::sqrt(2 * std::log(1 / delta));
}
long double theorem51(long double e0, long double n, long double delta) {
  return std::exp(3 * e0) * (std::exp(e0) - 1) * (std::exp(e0) - 1) / (2 * n) +
         std::exp(3 * e0 / 2) * (std::exp(e0) - 1) * std::sqrt(2 * std::log(1 / delta) / n);
}
long double erlingsson(long double e0, long double n, long double delta) {
  const long double one = 2 * std::exp(2 * e0) * (std::exp(e0) - 1);
  return one * (std::exp(one / n) - 1) + one * std::sqrt(2 * std::log(1 / delta) / n);
}

TEST(RandomCheckIn, EqualsThePrintedFormulas) {
  for (const double e0 : {0.05, 0.5, 1.0, 3.0}) {
    for (const double m : {1.0, 100.0, 1e6}) {
      for (const double delta : {1e-2, 1e-6, 1e-30}) {
        const auto near = [&](double value, long double printed) {
          EXPECT_GE(value, printed);
          EXPECT_LE(value, printed * (1 + 1e-11L));
        };
        near(fixed_window(e0, m, 0.3).epsilon_as_published(delta), theorem32(e0, m, 0.3, delta));
        near(averaged_updates(e0, 10 * m, m, 1e-7).epsilon_as_published(delta),
             theorem41(e0, 10 * m, m, delta, 1e-7));
        near(shuffling(e0, m).epsilon_as_published(delta), theorem51(e0, m, delta));
        near(erlingsson_2019_upper(e0, m, delta), erlingsson(e0, m, delta));
      }
    }
  }
}

TEST(RandomCheckIn, ReferenceFigures) {
  EXPECT_NEAR(*balle_theorem32_bound(1e4, 1, 1, 0, 1, kAtMillionth).upper, 0.149, 0.0005);
  EXPECT_NEAR(averaged_updates(1, 6e4, 100, 1e-6).epsilon_as_published(1e-6), 8.8, 0.05);
  const Bound averaged = balle_theorem41_bound(6e4, 100, 1, 0, 1, {Question::Kind::epsilon_at_delta, 2e-6});
  EXPECT_NEAR(*averaged.upper, averaged_updates(1, 6e4, 100, 1e-6).epsilon_as_published(1e-6), 1e-9);
  EXPECT_EQ(averaged.validity, Validity::as_published);
  // Theorem 4.3 is Theorem 3.2 for p0 = 1.
  EXPECT_EQ(*balle_theorem43_bound(1e4, 1, 0, 1, kAtMillionth).upper,
            *balle_theorem32_bound(1e4, 1, 1, 0, 1, kAtMillionth).upper);
}

// Figure 2's caption says, at delta = 1e-6: "our bounds with n = 10^3 and n = 10^4 are similar to the
// bounds from [19] with n = 10^4 and n = 10^5". The paper's reference [19] is Erlingsson et al. (2019). The
// bounds agree within a factor 1.75 wherever Theorem 5.1 gives less than epsilon0.
TEST(RandomCheckIn, FigureTwoCaption) {
  for (const double n : {1e3, 1e4}) {
    for (double e0 = 0.1; shuffling(e0, n).epsilon_as_published(1e-6) < e0; e0 += 0.1) {
      const double ours = shuffling(e0, n).epsilon_as_published(1e-6),
                   theirs = erlingsson_2019_upper(e0, 10 * n, 1e-6);
      EXPECT_LT(ours / theirs, 1.75) << e0;
      EXPECT_GT(ours / theirs, 1 / 1.75) << e0;
    }
  }
  // The paper claims "an improvement of O(e^(epsilon0/2))". The ratio of the leading terms is exactly
  // 2 e^(epsilon0/2).
  EXPECT_NEAR(erlingsson_2019_upper(2, 1e12, 1e-6) / shuffling(2, 1e12).epsilon_as_published(1e-6),
              2 * std::exp(1.0), 1e-3);
}

TEST(RandomCheckIn, SimplificationIsNeverBelowTheTheorem) {
  for (double e0 = 0.01; e0 < 1; e0 += 0.01) {
    for (const double m : {1.0, 2.0, 30.0, 1e5}) {
      for (const double p0 : {0.01, 1.0}) {
        for (const double delta : {0.0099, 1e-6}) {
          EXPECT_GE(*fixed_window_simplified(e0, m, p0, delta),
                    fixed_window(e0, m, p0).epsilon_as_published(delta));
        }
      }
    }
  }
  EXPECT_FALSE(fixed_window_simplified(1, 10, 1, 1e-6).has_value());
  EXPECT_FALSE(fixed_window_simplified(0.5, 10, 1, 0.01).has_value());
}

// Computes the exact hockey-stick divergence of a shuffle of m messages of binary response, if all records
// but the victim's are equal. It is also that of a run with p0 = 1 in which no other client checks in.
long double homogeneous_delta(int m, long double e0, long double epsilon) {
  const long double q = 1 / (std::exp(e0) + 1), p = 1 - q;
  // In iteration j, log_mass is the logarithm of the probability of j wrong answers among m.
  long double log_mass = static_cast<long double>(m) * std::log(p), sum = 0;
  for (int j = 0; j <= m; ++j) {
    const long double share = static_cast<long double>(j) / m;
    // This is the likelihood ratio of the victim's two records, given j wrong answers.
    const long double ratio = share * p / q + (1 - share) * q / p;
    sum += std::exp(log_mass) * std::max(0.0L, ratio - std::exp(epsilon));
    log_mass += std::log(static_cast<long double>(m - j) / (j + 1) * q / p);
  }
  return sum;
}

TEST(RandomCheckIn, ProvenOnesCoverTheExactCurve) {
  for (const int m : {2, 30, 1000, 10000}) {
    for (const double e0 : {0.1, 0.5, 1.0, 2.0}) {
      for (const double delta : {0.3, 1e-2, 1e-4, 1e-6}) {
        const double epsilon = fixed_window(e0, m, 1).epsilon_as_published(delta);
        EXPECT_LE(homogeneous_delta(m, e0, epsilon), delta);
        EXPECT_LE(homogeneous_delta(m, e0, shuffling(e0, m).epsilon_as_published(delta)), delta);
      }
    }
  }
  // The comparison would notice a bound that is four times too small.
  EXPECT_GT(homogeneous_delta(1000, 0.5, fixed_window(0.5, 1000, 1).epsilon_as_published(1e-4) / 4), 1e-4);
}

// Holds the laws of adaptive messages of one bit: the law of the next bit depends on all earlier bits and on
// the record, with likelihood ratios between e^-epsilon0 and e^epsilon0. The laws form a random tree with 16
// transcripts of four bits.
struct AdaptiveBits {
  static constexpr int kSlots = 4, kRecords = 3;
  // P(next bit = 1). The first index is a binary number, 1 followed by the past bits; the second is the
  // record.
  long double one[1 << kSlots][kRecords];
  AdaptiveBits(long double e0, std::mt19937_64& engine) {
    const long double q = 1 / (std::exp(e0) + 1);
    const long double choices[3] = {q, 1 - q, 0.5L};
    for (auto& node : one) {
      for (long double& law : node) law = choices[engine() % 3];
    }
  }
  long double probability(int transcript, const std::array<int, kSlots>& records) const {
    long double value = 1;
    for (int slot = 0, past = 1; slot < kSlots; ++slot) {
      const int bit = transcript >> slot & 1;
      const long double p = one[past][records[static_cast<std::size_t>(slot)]];
      value *= bit ? p : 1 - p;
      past = 2 * past + bit;
    }
    return value;
  }
};

// The proven bounds cover the divergence of every random tree. The law of the transcripts is computed from
// the protocols' definitions, as a sum over the victim's slot or over all orders of the clients.
TEST(RandomCheckIn, CoversEnumeratedAdaptiveRuns) {
  std::mt19937_64 engine(3);
  int cases = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double e0 = std::array{0.05, 0.2, 0.5, 1.0}[static_cast<std::size_t>(trial % 4)];
    const double p0 = trial % 3 ? 1 : 0.5;
    const AdaptiveBits bits(e0, engine);
    std::array<int, 4> others{};
    std::array<double, 4> asked{};
    for (std::size_t i = 0; i < 4; ++i) {
      others[i] = static_cast<int>(engine() % 3);
      asked[i] = 1.0 / static_cast<double>(1 + engine() % 2);
    }
    std::array<long double, 16> window[2]{}, shuffled[2]{};
    for (int record = 0; record < 2; ++record) {
      for (int t = 0; t < 16; ++t) {
        long double used = 0;
        for (std::size_t slot = 0; slot < 4; ++slot) {
          std::array<int, 4> with = others;
          with[slot] = record;
          window[record][static_cast<std::size_t>(t)] += p0 * asked[slot] / 4 * bits.probability(t, with);
          used += p0 * asked[slot] / 4;
        }
        window[record][static_cast<std::size_t>(t)] += (1 - used) * bits.probability(t, others);
        std::array<int, 4> order{0, 1, 2, 3};
        do {
          std::array<int, 4> with{};
          for (std::size_t i = 0; i < 4; ++i) {
            with[i] = order[i] == 0 ? record : others[static_cast<std::size_t>(order[i])];
          }
          shuffled[record][static_cast<std::size_t>(t)] += bits.probability(t, with) / 24;
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
    for (const double delta : {0.7, 0.3, 0.1, 0.03}) {
      const auto stick = [](const auto& laws, int first, double epsilon) {
        long double sum = 0;
        for (std::size_t t = 0; t < 16; ++t) {
          sum += std::max(0.0L,
                          laws[first][t] - std::exp(static_cast<long double>(epsilon)) * laws[1 - first][t]);
        }
        return sum;
      };
      for (const int first : {0, 1}) {
        EXPECT_LE(stick(window, first, fixed_window(e0, 4, p0).epsilon_as_published(delta)), delta);
        EXPECT_LE(stick(shuffled, first, shuffling(e0, 4).epsilon_as_published(delta)), delta);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 2400);
}

// Tests two inequalities of the proof on grids: one for the sum over slots, and one for the likelihood ratio
// of a slot.
TEST(RandomCheckIn, StepsOfTheDerivation) {
  for (const double e0 : {0.2, 1.0, 3.0}) {
    for (const double p0 : {0.05, 0.5, 1.0}) {
      const double c = -std::expm1(-e0) * p0;
      for (const int m : {1, 2, 5, 100}) {
        long double squares = 0;
        for (int i = 1; i <= m; ++i) squares += std::pow(p0 / (m - c * (i - 1)), 2.0L);
        EXPECT_LE(squares, p0 * p0 / (m * (1 - c)) * (1 + 1e-15L));
        EXPECT_LE(1 / (1 - c), std::exp(e0) * (1 + 1e-14));
      }
      // The second inequality is (1 + r (rho - 1)) / (1 + r' (rho' - 1)) <= 1 + x (e^e0 - 1), where x is the
      // larger of r and r', and rho / rho' <= e^e0.
      for (double r = 0; r <= 1; r += 0.1) {
        for (double other = 0; other <= 1; other += 0.1) {
          for (double log_rho = -e0; log_rho <= e0; log_rho += e0 / 7) {
            const double log_other = std::max(-e0, log_rho - e0);
            const double ratio = (1 + r * std::expm1(log_rho)) / (1 + other * std::expm1(log_other));
            EXPECT_LE(ratio, (1 + std::max(r, other) * std::expm1(e0)) * (1 + 1e-12));
          }
        }
      }
    }
  }
}

TEST(RandomCheckIn, ApproximateVersionsAreVacuous) {
  // The condition on delta0 and the definition of delta' hold with equality at the result.
  const double e0 = 0.05, delta0 = 1e-12;
  const double delta1 = *least_delta1(e0, delta0);
  const double right =
      (1 - std::exp(-e0)) * delta1 /
      (4 * std::exp(e0) * (2 + std::log(2 / delta1) / std::log(1 / (1 - std::exp(-5 * e0)))));
  EXPECT_NEAR(right / delta0, 1, 1e-9);
  EXPECT_GT(delta1, 100 * delta0);
  const SubGaussian form = fixed_window(8 * e0, 1e4, 1);
  const double epsilon = *approximate_epsilon_as_published(form, 1e4, delta1, 1e-4);
  const double delta = 1e-4 - 1e4 * (std::exp(epsilon) + 1) * delta1;
  EXPECT_NEAR(epsilon, static_cast<double>(theorem32(8 * e0, 1e4, 1, delta)), 1e-9);
  // A randomizer with epsilon0 = 1 and delta0 = 1e-12 has no amplification left: at 8 epsilon0 = 8 the
  // theorem's epsilon is in the thousands.
  const Bound bound = balle_theorem32_bound(1e4, 1, 1, 1e-12, 1, kAtMillionth);
  EXPECT_EQ(bound.id, "balle-2020-theorem-3-2-approximate");
  EXPECT_EQ(bound.validity, Validity::as_published);
  EXPECT_FALSE(bound.upper.has_value());
  EXPECT_GT(fixed_window(8, 1e4, 1).epsilon_as_published(1e-6), 3000);
}

TEST(RandomCheckIn, Dummies) {
  // With n = 3 and m = 2, each client is at slot 1 with probability p0/2, and likewise at slot 2.
  EXPECT_NEAR(expected_dummies_fixed(3, 2, 0.4), 2 * 0.8 * 0.8 * 0.8, 1e-15);
  EXPECT_LE(expected_dummies_fixed(1e6, 1e3, 2 * 1e3 / 1e6), 1e3 / std::exp(2.0));  // p0 = 2 m / n
  EXPECT_LE(expected_dummies_sliding(6e4, 100), expected_dummies_sliding_printed(6e4, 100));
  EXPECT_NEAR(expected_dummies_sliding(6e4, 100) / expected_dummies_sliding_printed(6e4, 100), 1, 0.01);
  EXPECT_EQ(expected_dummies_fixed(5, 1, 1), 0);
}

TEST(RandomCheckIn, NothingThrowsAndNothingIsNotANumber) {
  for (const double e0 : {1e-3, 1.0, 20.0}) {
    for (const double n : {1.0, 1e9, 1e12}) {
      for (const double delta0 : {0.0, 1e-9, 0.5}) {
        for (const std::uint64_t runs : {1u, 50u}) {
          for (const Question& question : {Question{Question::Kind::epsilon_at_delta, 1e-30},
                                           Question{Question::Kind::epsilon_at_delta, 0.9},
                                           Question{Question::Kind::delta_at_epsilon, 0.0},
                                           Question{Question::Kind::delta_at_epsilon, 3.0}}) {
            std::vector<Bound> all = published_fixed_window_bounds(n, 0.5, e0, delta0, runs, question);
            const auto add = [&](const std::vector<Bound>& more) {
              all.insert(all.end(), more.begin(), more.end());
            };
            add(published_sliding_window_bounds(n, e0, delta0, runs, question));
            add(published_averaged_updates_bounds(n, 10, e0, delta0, runs, question));
            add(published_shuffle_bounds(n, e0, delta0, runs, question));
            for (const Bound& bound : all) {
              EXPECT_FALSE(bound.id.empty());
              EXPECT_FALSE(bound.citation.empty());
              EXPECT_GE(bound.upper.value_or(0), 0) << bound.id;
              EXPECT_TRUE(bound.upper.has_value() || !bound.assumptions.empty()) << bound.id;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

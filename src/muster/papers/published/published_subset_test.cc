// Tests the curves of Figures 2 and 3 of Girgis et al. (NeurIPS 2021) at the points for which the paper
// states numbers.
#include "muster/papers/published/published_subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/papers/optimal_composition.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/papers/renyi/renyi_route.h"

namespace muster::accounting {
namespace {

const Question kHeadline{Question::Kind::epsilon_at_delta, 1e-8};
const Question kMnist{Question::Kind::epsilon_at_delta, 1e-5};

// The paper says "we save a factor of 14x compared to [24] with strong composition and 2.5x compared to
// [29] with subsampled RDP" at n = 10^6, g = 10^-3, epsilon0 = 2, T = 10^5 and delta = 10^-8. The paper's
// reference [24] is Feldman et al. (the clones), and its reference [29] is Girgis et al. (CCS 2021).
TEST(PublishedSubset, HeadlinePoint) {
  const double own = *subset_theorem1_bound(1e6, 1e3, 2, 100000, kHeadline, Conversion::canonne).upper;
  EXPECT_NEAR(own, 1.040, 0.0005);
  // The paper's 2.5x comes from using only one branch of Theorem 9's minimum. The full theorem gives less
  // than the paper's bound.
  EXPECT_NEAR(*subset_plotted_wang_bound(1e6, 1e3, 2, 100000, kHeadline).upper / own, 2.55, 0.01);
  EXPECT_NEAR(*subset_ccs_bound(1e6, 1e3, 2, 100000, kHeadline, Conversion::canonne).upper, 1.0237, 0.0005);
  // Instead of the paper's 14x, the closed form of the clones with optimal composition gives 12.4x.
  EXPECT_NEAR(*subset_strong_composition_bound(1e6, 1e3, 2, 100000, kHeadline).upper, 12.857, 0.05);
  // The paper's "10 times" refers to curve (ii), a lower bound of the divergence that is converted as if it
  // were an upper bound.
  EXPECT_NEAR(*subset_plotted_lower_bound(1e6, 1e3, 2, 100000, kHeadline).upper, 0.1157, 0.0005);
}

// The paper says of Figure 2b, k = 10^4: "[24] with the strong composition behaves better than [29] with
// subsampled RDP; our bound beats both". The first two values are those plotted for [29] and [24]. The others
// are those of the full Theorem 9 and of the paper's Theorem 1.
TEST(PublishedSubset, FigureTwoB) {
  EXPECT_NEAR(*subset_plotted_wang_bound(1e6, 1e4, 2, 100000, kHeadline).upper, 37.2, 0.1);
  EXPECT_NEAR(*subset_strong_composition_bound(1e6, 1e4, 2, 100000, kHeadline).upper, 18.95, 0.05);
  EXPECT_NEAR(*subset_ccs_bound(1e6, 1e4, 2, 100000, kHeadline, Conversion::canonne).upper, 4.965, 0.01);
  EXPECT_NEAR(*subset_theorem1_bound(1e6, 1e4, 2, 100000, kHeadline, Conversion::canonne).upper, 3.537,
              0.005);
}

// Computes the hockey-stick divergence of the clone pair (A, C - A), where C ~ Bin(k-1, e^-epsilon0),
// A ~ Bin(C, 1/2), and the victim adds one to A or to C - A. The sums follow this definition, in doubles.
class ClonePair {
 public:
  ClonePair(int k, double epsilon0)
      : k_(k), epsilon0_(epsilon0), log_factorial_(static_cast<std::size_t>(k) + 1) {
    for (std::size_t i = 1; i < log_factorial_.size(); ++i) {
      log_factorial_[i] = log_factorial_[i - 1] + std::log(static_cast<double>(i));
    }
  }
  double delta(double epsilon) const {
    const double p = std::exp(-epsilon0_), q = 1 / (1 + p), mean = (k_ - 1) * p,
                 sd = std::sqrt(mean * (1 - p));
    double total = 0;
    for (int c = std::max(0, static_cast<int>(mean - 8 * sd)); c <= std::min(k_ - 1.0, mean + 8 * sd); ++c) {
      const double weight = std::exp(log_choose(k_ - 1, c) + c * std::log(p) + (k_ - 1 - c) * std::log1p(-p));
      const int half = static_cast<int>(4.5 * std::sqrt(c + 1.0)) + 2, first = std::max(0, c / 2 - half);
      double before = coin(c, first - 1), sum = 0;
      for (int a = first; a <= std::min(c + 1, c / 2 + half); ++a) {
        const double now = coin(c, a);
        sum += std::max(0.0, q * before + (1 - q) * now - std::exp(epsilon) * ((1 - q) * before + q * now));
        before = now;
      }
      total += weight * sum;
    }
    return total;
  }
  double epsilon(double target) const {
    double low = 0, high = epsilon0_;
    for (int i = 0; i < 22; ++i) {
      const double middle = (low + high) / 2;
      (delta(middle) > target ? low : high) = middle;
    }
    return high;
  }

 private:
  double log_choose(int n, int j) const {
    return log_factorial_[static_cast<std::size_t>(n)] - log_factorial_[static_cast<std::size_t>(j)] -
           log_factorial_[static_cast<std::size_t>(n - j)];
  }
  double coin(int c, int a) const {
    return a < 0 || a > c ? 0 : std::exp(log_choose(c, a) - c * std::log(2.0));
  }
  int k_;
  double epsilon0_;
  std::vector<double> log_factorial_;
};

// Returns curve (iv) of published_subset.h with the clone pair evaluated numerically. Half of delta is spent
// on the rounds' own deltas.
double numerical_strong(int k, double rate, double epsilon0, std::uint64_t rounds, double delta) {
  const double share = delta / 2 / static_cast<double>(rounds);
  const Guarantee round{ClonePair(k, epsilon0).epsilon(share / rate), share / rate};
  return *optimal_composition_epsilon_upper(subsampled(round, rate), rounds, delta);
}

// Figure 3 has n = 60,000, k = 10,000, epsilon0 = 1.5, 200 epochs = 1,200 rounds and
// delta = 10^-5. For 90 % accuracy the paper gives 2.91 by Theorem 1, and 4.82 by [24] evaluated
// numerically with strong composition.
TEST(PublishedSubset, MnistPoint) {
  EXPECT_NEAR(*subset_theorem1_bound(60000, 10000, 1.5, 1200, kMnist, Conversion::canonne).upper, 3.086,
              0.001);
  // 2.91 is the value of Theorem 1 after 1,067 rounds, or 178 epochs.
  EXPECT_NEAR(*subset_theorem1_bound(60000, 10000, 1.5, 1067, kMnist, Conversion::canonne).upper, 2.91,
              0.001);
  EXPECT_NEAR(*subset_strong_composition_bound(60000, 10000, 1.5, 1200, kMnist).upper, 14.3, 0.1);
  EXPECT_NEAR(numerical_strong(10000, 1.0 / 6, 1.5, 1200, 1e-5), 3.153, 0.005);
  EXPECT_NEAR(*subset_numerical_composition_bound(60000, 10000, 1.5, 1200, kMnist).upper, 3.153, 0.005);
}

// At the headline point, the numerically evaluated clone pair gives an epsilon of 2.2. The paper's factor of
// 14 would make it 14 times 1.04.
TEST(PublishedSubset, NumericalClonesAtTheHeadline) {
  EXPECT_NEAR(numerical_strong(1000, 1e-3, 2, 100000, 1e-8), 2.214, 0.005);
  EXPECT_NEAR(*subset_numerical_composition_bound(1e6, 1000, 2, 100000, kHeadline).upper, 2.214, 0.01);
}

// Figure 3a of Liew et al. (2022) has "epsilon about 1" at n = 60,000, rate 0.1, epsilon0 = 2 and 6,800
// rounds. No upper bound of that paper or of Girgis et al. gives this value. The lower bounds of the
// divergence do, if they are converted as if they were upper bounds.
TEST(PublishedSubset, WhereAboutOneComesFrom) {
  EXPECT_NEAR(*subset_theorem1_bound(60000, 6000, 2, 6800, kMnist, Conversion::canonne).upper, 11.54, 0.01);
  EXPECT_NEAR(*subset_plotted_lower_bound(60000, 6000, 2, 6800, kMnist).upper, 1.014, 0.001);
  const Bound theorem3 =
      answer_by_renyi([](std::uint64_t l) { return check_in_rdp_lower(2, 60000, 0.1, 0.5, l); }, 6800, kMnist,
                      Conversion::canonne);
  EXPECT_NEAR(*theorem3.upper, 0.82, 0.01);
  // The figure also states "about 3 by strong composition". The numerically evaluated clone pair, the subset
  // and optimal composition give 13.
  EXPECT_NEAR(numerical_strong(6000, 0.1, 2, 6800, 1e-5), 13.05, 0.01);
}

TEST(PublishedSubset, SaysWhatItIs) {
  for (const double subset : {1.0, 40.0, 100.0}) {
    for (const Question& question : {kMnist, Question{Question::Kind::delta_at_epsilon, 0.4}}) {
      for (const Bound& bound : published_subset_bounds(100, subset, 1, 20, question)) {
        EXPECT_FALSE(bound.id.empty());
        EXPECT_FALSE(bound.citation.empty());
        EXPECT_GE(bound.upper.value_or(0), 0) << bound.id;
        const bool plotted =
            bound.id.starts_with("girgis-2021-figure") || bound.id == "feldman-2021-strong-composition";
        EXPECT_EQ(bound.validity, plotted ? Validity::as_published : Validity::proven) << bound.id;
      }
    }
  }
  for (const double epsilon0 : {1e-3, 20.0}) {
    for (const double n : {1.0, 1e9, 1e12}) {
      for (const Bound& bound : published_subset_bounds(n, n, epsilon0, 2, kMnist)) {
        EXPECT_GE(bound.upper.value_or(0), 0) << bound.id << " " << n;
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

// Compares composition on a lattice with direct convolution, for few rounds of a law on a fine lattice, for
// rare, very large losses, and for random laws of many shapes.
#include "muster/composition/composed_delta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "muster/composition/composed_epsilon.h"
#include "muster/composition/convolved_losses.h"
#include "muster/composition/convolved_near.h"
#include "muster/composition/loss_integral.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

// A law on multiples of `spacing`: its masses by lattice index, from -reach to reach.
struct Lattice {
  double spacing;
  int reach;
  std::vector<long double> mass;
};

Lattice on_lattice(const numerics::AtomicLaw& law, double spacing, int reach) {
  Lattice lattice{spacing, reach, std::vector<long double>(static_cast<std::size_t>(2 * reach + 1), 0)};
  long double rest = 1;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    lattice.mass[static_cast<std::size_t>(reach + std::lround(law.points[i] / spacing))] += law.weights[i];
    rest -= law.weights[i];
  }
  lattice.mass[static_cast<std::size_t>(reach)] += rest;
  return lattice;
}

Lattice convolved(const Lattice& a, const Lattice& b) {
  Lattice sum{a.spacing, a.reach + b.reach,
              std::vector<long double>(static_cast<std::size_t>(2 * (a.reach + b.reach) + 1), 0)};
  for (std::size_t j = 0; j < b.mass.size(); ++j) {
    if (b.mass[j] != 0) {
      for (std::size_t i = 0; i < a.mass.size(); ++i) {
        sum.mass[i + j] += a.mass[i] * b.mass[j];
      }
    }
  }
  return sum;
}

long double exact_delta(const Lattice& law, double epsilon) {
  long double delta = 0;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    const long double loss = law.spacing * (static_cast<long double>(i) - law.reach);
    delta += loss > epsilon ? law.mass[i] * -std::expm1(epsilon - loss) : 0;
  }
  return delta;
}

// A nearly normal law of the loss, whose Q-masses nearly sum to 1. Its weights are proportional to
// e^{-(y - m)^2 / 2 d^2} for |y| <= reach * spacing, where d is the deviation and m = d^2 / 2.
numerics::AtomicLaw normal_law(double deviation, double spacing, int reach) {
  numerics::AtomicLaw law;
  double total = 0;
  const auto weight = [&](int i) {
    const double z = (i * spacing - deviation * deviation / 2) / deviation;
    return std::exp(-z * z / 2);
  };
  for (int i = -reach; i <= reach; ++i) {
    total += weight(i);
  }
  for (int i = -reach; i <= reach; ++i) {
    law.add(i * spacing, weight(i) / total);
  }
  return law;
}

// One round's loss is h or -h with probability 1/2 each, so the exact delta follows from a
// binomial law. The saddle point is of the order of 1/h, up to 1e24, so that the two terms of the
// integral's kernel nearly cancel.
TEST(ComposedDelta, EnclosesLossesFarBelowOneByTheIntegral) {
  constexpr int kRounds = 1000;
  for (const double h : {0x1p-10, 0x1p-20, 0x1p-40, 0x1p-53, 0x1p-80}) {
    numerics::AtomicLaw law;
    law.add(-h, 0.5);
    law.add(h, 0.5);
    const std::array parts{RepeatedLoss{&law, 0, kRounds}};
    for (const double at : {-0.5, 0.0, 30.25, 150.0, 300.999, 500.5}) {
      long double exact = 0, mass = std::exp2(-static_cast<long double>(kRounds));
      for (int up = 0; up <= kRounds; ++up) {
        const long double beyond = h * (static_cast<long double>(2 * up - kRounds) - at);
        exact += beyond > 0 ? mass * -std::expm1(-beyond) : 0;
        mass = mass * (kRounds - up) / (up + 1);
      }
      const auto found = composed_delta_by_integral(parts, h, at * h);
      ASSERT_TRUE(found) << "h = " << h << ", epsilon = " << at << " h";
      EXPECT_LE(found->lower, exact) << "h = " << h << ", epsilon = " << at << " h";
      EXPECT_GE(found->upper, exact) << "h = " << h << ", epsilon = " << at << " h";
      EXPECT_LE(found->upper - found->lower, 1e-6 * exact) << "h = " << h << ", epsilon = " << at << " h";
    }
  }
}

// Equal terms are added to a sum whose size hardly changes, so that their roundings have the same sign and
// add up. The error bounds of the terms alone do not cover that.
TEST(ComposedDelta, TheSumOverManyPartsIsWithinItsErrorBound) {
  constexpr int kParts = 3000;
  int beyond_terms = 0;
  for (int i = 1; i <= 200; ++i) {
    numerics::AtomicLaw law;
    law.add(1, 1.0 / (1 + i));
    const double c = 40 + 0.01 * i;
    const std::vector<RepeatedLoss> parts(kParts, RepeatedLoss{&law, 0, 1});
    const long double exact = kParts * std::log1p(static_cast<long double>(law.weights[0]) *
                                                  std::expm1(static_cast<long double>(c)));
    const auto error = static_cast<double>(std::abs(log_mgf(parts, c) - exact));
    EXPECT_LE(error, log_mgf_error(parts, c)) << c;
    beyond_terms += error > kParts * log_mgf_error(law, numerics::tilt_of(law, c), c) ? 1 : 0;
  }
  EXPECT_GT(beyond_terms, 50);
}

// If every loss is zero, delta at a negative epsilon is 1 - e^epsilon. The enclosure must contain this
// value, although its ends are rounded.
TEST(ComposedDelta, RoundsOutwardWithoutFiniteLosses) {
  const numerics::AtomicLaw none;
  const std::array parts{RepeatedLoss{&none, 0, 3}};
  for (int i = 1; i < 4'000; ++i) {
    const double epsilon = -7.7e-7 * i;
    const long double exact = -std::expm1(static_cast<long double>(epsilon));
    const numerics::Enclosure got = composed_delta(parts, 0.5, epsilon);
    EXPECT_GE(got.upper, exact) << epsilon;
    EXPECT_LE(got.lower, exact) << epsilon;
  }
}

// The law has so many atoms that a sum over them at every frequency takes more work than a fast transform,
// and few rounds need many frequencies.
TEST(ComposedDelta, EnclosesFewRoundsOfAFineLaw) {
  constexpr int kReach = 1500;
  for (const double deviation : {0.004, 0.2}) {
    const double spacing = deviation / 250;
    const numerics::AtomicLaw law = normal_law(deviation, spacing, kReach);
    const Lattice one = on_lattice(law, spacing, kReach);
    Lattice sum = one;
    for (int rounds = 2; rounds <= 4; ++rounds) {
      sum = convolved(sum, one);
      for (const double at : {0.0, 0.5, 2.3, 6.0, 9.0}) {
        const double epsilon = at * deviation * std::sqrt(rounds);
        const auto exact = static_cast<double>(exact_delta(sum, epsilon));
        const std::array parts{RepeatedLoss{&law, 0, static_cast<double>(rounds)}};
        const numerics::Enclosure got = composed_delta(parts, spacing, epsilon);
        SCOPED_TRACE(::testing::Message() << deviation << ' ' << rounds << ' ' << at << ' ' << exact);
        EXPECT_GE(got.upper, exact * (1 - 1e-12));
        EXPECT_LE(got.lower, exact * (1 + 1e-12));
        EXPECT_LE(got.upper, exact * (1 + 1e-7));
        EXPECT_GE(got.lower, exact * (1 - 1e-7));
      }
    }
  }
}

// Each of many rounds has a loss of 5 or -5, so the exact delta follows from the binomial law of the number
// of losses of 5. Some deltas are nearly 1, some come almost only from infinite losses, and some are neither.
TEST(ComposedDelta, EnclosesManyRoundsOfTwoLosses) {
  constexpr int kRounds = 300;
  constexpr double kLoss = 5;
  int certain = 0, far = 0, between = 0;
  const auto check = [&](long double likely, double infinity, double epsilon) {
    numerics::AtomicLaw law;
    law.add(kLoss, static_cast<double>(likely));
    law.add(-kLoss, static_cast<double>(1 - likely));
    long double exact = 0, missing = 0;  // E (1 - e^{epsilon - S})_+ of finite losses, and 1 minus this value
    for (int k = 0; k <= kRounds; ++k) {
      const long double sum = kLoss * (2.0L * k - kRounds);
      const long double ways =
          std::lgamma(kRounds + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(kRounds - k + 1.0L);
      const long double chance = std::exp(ways + k * std::log(likely) + (kRounds - k) * std::log1p(-likely));
      exact += sum > epsilon ? chance * -std::expm1(epsilon - sum) : 0;
      missing += sum > epsilon ? chance * std::exp(epsilon - sum) : chance;
    }
    const long double infinite = -std::expm1(kRounds * std::log1p(-static_cast<long double>(infinity)));
    const std::array parts{RepeatedLoss{&law, infinity, static_cast<double>(kRounds)}};
    const numerics::Enclosure got = composed_delta(parts, kLoss, epsilon);
    SCOPED_TRACE(::testing::Message()
                 << likely << ' ' << infinity << ' ' << epsilon << ' ' << exact << ' ' << missing);
    EXPECT_GE(got.upper, static_cast<double>(exact) * (1 - 1e-12));
    EXPECT_GE(got.upper, static_cast<double>(infinite) * (1 - 1e-12));
    EXPECT_LE(got.upper, static_cast<double>(exact + infinite) * (1 + 1e-5) + 1e-299);
    EXPECT_LE(got.lower, static_cast<double>(exact + infinite) * (1 + 1e-12));
    if (missing < 1e-3L) {  // delta is so near to 1 that its distance from 1 is checked as well
      EXPECT_LE(static_cast<long double>(got.lower), 1 - missing * (1 - 1e-12L) + infinite);
    }
    EXPECT_EQ(composed_delta(parts, kLoss, epsilon, Ends::upper).upper, got.upper);
    EXPECT_EQ(composed_delta(parts, kLoss, epsilon, Ends::lower).lower, got.lower);
    certain += got.lower > 1 - 1e-12 ? 1 : 0;
    far += exact < 1e-6L * infinite ? 1 : 0;
    between += exact > infinite && missing > 1e-12L ? 1 : 0;
  };
  for (const long double likely : {0.5L, 1 / (1 + std::exp(-5.0L))}) {
    for (const double infinity : {0.0, 1e-30, 1e-9}) {
      // A negative epsilon is used only where the law is that of a pair: its masses times e^-loss sum to at
      // most 1.
      for (double epsilon = likely > 0.5L ? -50 : 0; epsilon < kRounds * kLoss; epsilon += 33) {
        check(likely, infinity, epsilon);
      }
    }
  }
  EXPECT_GT(certain, 50);
  EXPECT_GT(far, 30);
  EXPECT_GT(between, 20);
  std::printf("%d next to 1, %d of infinite losses alone, %d between\n", certain, far, between);
}

// Most losses are small, but with small probability a loss is up to a hundred times as large. The rounds have
// two different laws.
TEST(ComposedDelta, EnclosesRareLossesFarOut) {
  constexpr int kReach = 2000;
  constexpr double kSpacing = 0.001;
  int found = 0;
  int narrow = 0;
  for (const double rare : {1e-2, 1e-4, 1e-7}) {
    for (const double power : {1.0, 2.5, 4.0}) {
      std::array<numerics::AtomicLaw, 2> laws{normal_law(0.004, kSpacing, 20),
                                              normal_law(0.006, kSpacing, 30)};
      double total = 0;
      for (int y = 31; y <= kReach; y += 7) {
        total += std::pow(y, -power);
      }
      for (numerics::AtomicLaw& law : laws) {
        for (double& w : law.weights) {
          w *= 1 - 2 * rare;
        }
        for (int y = 31; y <= kReach; y += 7) {
          law.add(kSpacing * y, rare * std::pow(y, -power) / total);
          law.add(-kSpacing * y, 0.5 * rare * std::pow(y, -power) / total);
        }
      }
      const Lattice first = on_lattice(laws[0], kSpacing, kReach);
      const Lattice second = on_lattice(laws[1], kSpacing, kReach);
      const Lattice sum = convolved(convolved(convolved(first, first), second), first);
      const std::array parts{RepeatedLoss{&laws[0], 0, 3}, RepeatedLoss{&laws[1], 0, 1}};
      for (const double epsilon : {-0.01, 0.0, 0.005, 0.02, 0.04, 0.1, 0.4, 1.1, 1.9}) {
        const auto exact = static_cast<double>(exact_delta(sum, epsilon));
        SCOPED_TRACE(::testing::Message() << rare << ' ' << power << ' ' << epsilon << ' ' << exact);
        const numerics::Enclosure whole = composed_delta(parts, kSpacing, epsilon);
        EXPECT_GE(whole.upper, exact * (1 - 1e-12));
        EXPECT_LE(whole.lower, exact * (1 + 1e-12));
        const numerics::Enclosure got = convolved_at(parts, kSpacing, epsilon);
        ++found;
        EXPECT_GE(got.upper, exact * (1 - 1e-12));
        EXPECT_LE(got.lower, exact * (1 + 1e-12));
        narrow += got.upper - got.lower < 0.01 * exact ? 1 : 0;
        // A lower bound that leaves out the large losses would fail here.
        if (epsilon >= 0.1) {
          EXPECT_GT(got.lower, 0.3 * exact);
        }
      }
    }
  }
  EXPECT_GT(narrow, 9 * found / 10);
  RecordProperty("found", found);
  RecordProperty("narrow", narrow);
}

// Makes rounds that have up to three different random laws. A law is smooth, ragged or sparse. In half of the
// laws, all masses away from zero loss are multiplied by a random factor that may be as small as e^-12. Some
// laws have a few very large losses whose weights are as small as e^-40, and some have mass at infinite loss.
class RandomRounds {
 public:
  explicit RandomRounds(std::mt19937_64& bits) : bits_(bits) {
    spacing_ = uniform() < 0.5 ? std::exp2(-std::floor(20 * uniform())) : std::exp(-14 * uniform());
    laws_.resize(1 + static_cast<std::size_t>(3 * uniform()));
    Lattice finite{spacing_, 0, {1}};  // the law of the sum over outcomes with finite losses only
    zeroed_ = finite;                  // the law of the sum with infinite losses taken as zero
    long double log_finite = 0;
    for (numerics::AtomicLaw& law : laws_) {
      const int reach = draw(law);
      const Lattice one = on_lattice(law, spacing_, reach);
      const long double at_zero = one.mass[static_cast<std::size_t>(reach)];
      const double infinity =
          uniform() < 0.3 ? static_cast<double>(at_zero) * uniform() * std::exp(-30 * uniform()) : 0;
      Lattice one_finite = one;
      one_finite.mass[static_cast<std::size_t>(reach)] -= infinity;
      const int rounds = 1 + static_cast<int>(4 * uniform());
      for (int round = 0; round < rounds; ++round) {
        zeroed_ = convolved(zeroed_, one);
        finite = convolved(finite, one_finite);
        log_finite += std::log1p(-static_cast<long double>(infinity));
      }
      parts_.push_back({&law, infinity, static_cast<double>(rounds)});
    }
    finite_ = finite;
    at_infinity_ = -std::expm1(log_finite);
    top_ = zeroed_.reach;
    while (top_ > 0 && zeroed_.mass[static_cast<std::size_t>(zeroed_.reach + top_)] == 0) {
      --top_;
    }
  }

  // A random epsilon: anywhere, on a lattice point, or within a few ulps of the largest sum or of the lattice
  // point before the largest sum.
  double random_epsilon() {
    const double kind = uniform();
    const double u = uniform();
    return kind < 0.1   ? 0
           : kind < 0.2 ? spacing_ * std::floor(u * top_)
           : kind < 0.3 ? spacing_ * top_ * (1 - 1e-16 * std::floor(8 * u))
           : kind < 0.4 ? std::max(0.0, spacing_ * (top_ - 1) * (1 + 1e-15 * (u - 0.5)))
           : kind < 0.5 ? std::max(0.0, spacing_ * (top_ - 1 + u))
                        : spacing_ * top_ * u * uniform();
  }
  // Random hints for placing cells. The answer must be valid even if the hints are poor.
  ConvolvedLosses::Evaluation random_evaluation() {
    return {spacing_ * top_ * (2 * uniform() - 0.5), {std::exp(8 * uniform() - 4) / (spacing_ * (1 + top_))}};
  }

  Parts parts() const { return parts_; }
  double spacing() const { return spacing_; }
  long double delta(double epsilon) const { return at_infinity_ + exact_delta(finite_, epsilon); }
  long double delta_with_infinity_at_zero(double epsilon) const { return exact_delta(zeroed_, epsilon); }

 private:
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  int draw(numerics::AtomicLaw& law) {
    const int bulk = 1 + static_cast<int>(std::exp(4 * uniform()));
    const int far = uniform() < 0.5 ? 0 : static_cast<int>(bulk * (1 + 12 * uniform()));
    const double mass = uniform() < 0.5 ? 1 : std::exp(-12 * uniform());
    const double spread = bulk * (0.05 + uniform());
    const double rare = far > 0 ? std::exp(-40 * uniform()) : 0;
    const int style = static_cast<int>(4 * uniform());
    std::vector<double> weights(static_cast<std::size_t>(2 * bulk + 1));
    double total = 0;
    for (int i = -bulk; i <= bulk; ++i) {
      const double v = style == 0   ? std::exp(-0.5 * i * i / (spread * spread))
                       : style == 1 ? uniform()
                       : style == 2 ? (uniform() < 0.2 ? std::exp(-30 * uniform()) : 0)
                                    : std::exp(-std::abs(i) / spread);
      const int at = i + bulk;
      weights[static_cast<std::size_t>(at)] = v;
      total += v;
    }
    for (int i = -bulk; i <= bulk; ++i) {
      const int at = i + bulk;
      law.add(spacing_ * i,
              weights[static_cast<std::size_t>(at)] * mass * (1 - rare) * 0.999 / std::max(total, 1e-300));
    }
    int at = bulk;
    for (int k = 0; k < 3 && at < far; ++k) {
      at = std::min(far, at + 1 + static_cast<int>(uniform() * (far - at)));
      law.add(spacing_ * at, mass * rare * uniform() / 3);
    }
    return std::max(bulk, far);
  }

  std::mt19937_64& bits_;
  double spacing_ = 1;
  double top_ = 0;
  std::vector<numerics::AtomicLaw> laws_;
  std::vector<RepeatedLoss> parts_;
  Lattice zeroed_;
  Lattice finite_;
  long double at_infinity_ = 0;
};

// For random laws and epsilons, every way to compute delta encloses the value by direct convolution.
TEST(ComposedDelta, EnclosesRandomLawsByEveryRoute) {
  std::mt19937_64 bits(11);
  int narrow = 0;
  int crossed = 0;  // the number of cases in which exchanged upper and lower bounds would be noticed
  int routes = 0;
  for (int trial = 0; trial < 250; ++trial) {
    RandomRounds rounds(bits);
    const double h = rounds.spacing();
    for (int question = 0; question < 5; ++question) {
      const double epsilon = rounds.random_epsilon();
      SCOPED_TRACE(::testing::Message() << trial << ' ' << h << ' ' << epsilon);
      // The tolerance covers only the rounding of the exact value, which is computed in extended precision.
      const auto expect = [&](const numerics::Enclosure& got, long double exact, const char* route) {
        EXPECT_GE(got.upper, exact * (1 - 2e-16L)) << route;
        EXPECT_LE(got.lower, exact * (1 + 2e-16L)) << route;
        ++routes;
        narrow += got.upper < exact * (1 + 1e-7L) && got.lower > exact * (1 - 1e-7L) ? 1 : 0;
      };
      const long double exact = rounds.delta_with_infinity_at_zero(epsilon);
      expect(composed_delta(rounds.parts(), h, epsilon), rounds.delta(epsilon), "composed_delta");
      if (!trivial_value(rounds.parts(), h, epsilon)) {
        const Integral integral(rounds.parts(), h, epsilon);
        expect({0, integral.chernoff()}, exact, "Chernoff");
        if (const auto atom_by_atom = integral.value(0, 1e9)) {
          expect(*atom_by_atom, exact, "atom by atom");
        }
        if (const auto fast = integral.value(20, 1e-3)) {
          expect(*fast, exact, "fast transform");
        }
      }
      // Convolution with few cells, placed by random hints.
      using Side = ConvolvedLosses::Side;
      const ConvolvedLosses::Evaluation evaluation = rounds.random_evaluation();
      const std::size_t cells = 3 + static_cast<std::size_t>(20 * question);
      const double below = ConvolvedLosses(rounds.parts(), evaluation, cells, Side::below).delta(epsilon);
      const double above = ConvolvedLosses(rounds.parts(), evaluation, cells, Side::above).delta(epsilon);
      expect({below, above}, exact, "convolved");
      crossed += above > exact * (1 + 1e-9L) && below < exact * (1 - 1e-9L) ? 1 : 0;
      if (question == 0) {
        expect(convolved_at(rounds.parts(), h, epsilon), exact, "convolved with many cells");
      }
    }
  }
  EXPECT_GT(narrow, routes / 3);
  EXPECT_GT(crossed, 200);
  RecordProperty("routes", routes);
  RecordProperty("narrow", narrow);
  RecordProperty("crossed", crossed);
}

// The loss of each round is zero except with probability 1e-12, so the rounds' total variation distances add
// up to little more than delta at epsilon = 0. Where their sum is at most the target, the lower bound on
// epsilon is 0 without a search; where it is not, the search finds a positive one.
TEST(ComposedEpsilon, ALowerBoundThatIsSurelyZeroIsNotSearchedFor) {
  constexpr double kSpacing = 0.01, kRounds = 4e5;
  numerics::AtomicLaw law = normal_law(0.5, kSpacing, 400);
  for (double& w : law.weights) w *= 1e-12;
  double distance = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    distance += law.weights[i] * -std::expm1(-std::max(0.0, law.points[i]));
  }
  const std::array parts{RepeatedLoss{&law, 0, kRounds}};
  const double before = numerics::work_done();
  EXPECT_EQ(composed_epsilon_lower(parts, kSpacing, 1.01 * kRounds * distance), 0);
  EXPECT_LT(numerics::work_done() - before, 1e4);
  EXPECT_GT(composed_epsilon_lower(parts, kSpacing, 0.9 * kRounds * distance), 0);
  EXPECT_GT(numerics::work_done() - before, 1e4);
}

}  // namespace
}  // namespace muster::accounting

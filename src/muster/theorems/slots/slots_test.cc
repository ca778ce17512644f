// Compares the slot bounds with an exhaustive enumeration of adaptive protocols, and with the bounds'
// formulas summed term by term.
#include "muster/theorems/slots/slots.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/theorems/exact/homogeneous.h"
#include "tests/oracle/ball.h"
#include "tests/oracle/domination.h"
#include "tests/oracle/expect_pair.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slot_enumeration.h"
#include "tests/oracle/unequal_formula.h"

namespace muster::accounting {
namespace {

using oracle::Channel;
using oracle::Law;
using oracle::SlotProtocol;
using Kind = SlotProtocol::Kind;

const std::vector<double> kShares = {0, 0.15, 0.4, 0.7, 0.9, 0.98};  // values of epsilon / epsilon0

// Returns a channel with a random epsilon0-LDP randomizer for every slot and past. It is either randomized
// response, with a random bit for each record, or one base law for all records, whose weights are multiplied
// by 1 or e^{epsilon0/2} at random for each record. The same slot and past always have the same randomizer.
Channel adaptive_channel(double epsilon0, int records, int messages, unsigned seed) {
  using Key = std::pair<int, std::uint64_t>;
  const auto memory = std::make_shared<std::map<Key, std::vector<Law>>>();
  return [=](int slot, std::uint64_t past, int record) {
    auto& laws = (*memory)[{slot, past}];
    if (laws.empty()) {
      std::mt19937_64 engine(seed * 1000003ULL + static_cast<std::uint64_t>(slot) * 7919 +
                             past * 0x9E3779B97F4A7C15ULL);
      std::uniform_real_distribution<double> uniform(0, 1);
      const bool response = messages == 2 && uniform(engine) < 0.6;
      Law base;
      for (int y = 0; y < messages; ++y) base.push_back(0.05 + uniform(engine));
      for (int r = 0; r < records; ++r) {
        Law law(base.size());
        if (response) {
          const long double q = 1 / (std::exp(static_cast<long double>(epsilon0)) + 1);
          law = uniform(engine) < 0.5 ? Law{q, 1 - q} : Law{1 - q, q};
        } else {
          long double total = 0;
          for (std::size_t y = 0; y < law.size(); ++y) {
            law[y] = base[y] * std::exp(epsilon0 / 2 * (uniform(engine) < 0.5 ? 0 : 1));
            total += law[y];
          }
          for (long double& p : law) p /= total;
        }
        laws.push_back(law);
      }
    }
    return laws[static_cast<std::size_t>(record)];
  };
}

// Visits the pair of transcript laws for every data set of the others, in both orders of the victim's
// records.
void for_each_dataset(const SlotProtocol& protocol, const Channel& channel, int records,
                      const std::function<void(const oracle::OutputPair&)>& visit) {
  const std::size_t others = protocol.rates.size() - 1;
  std::vector<int> dataset(others, 0);
  const std::function<void(std::size_t)> choose = [&](std::size_t j) {
    if (j < others) {
      for (int r = 0; r < records; ++r) {
        dataset[j] = r;
        choose(j + 1);
      }
      return;
    }
    const oracle::OutputPair pair = oracle::transcripts(protocol, dataset, 0, 1, channel);
    visit(pair);
    visit(pair.swapped());
  };
  choose(0);
}

// With one client per slot, the bounds with and without counting the others' check-ins must cover every data
// set and dummy, for random adaptive channels.
TEST(Slots, FixedWindowDominatesEveryAdaptiveRun) {
  oracle::Domination plain, counted;
  unsigned seed = 1;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    const ReportingSum sum({Profile::pure(epsilon0)});
    for (const auto& [n, m] : {std::pair{1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {3, 2}, {3, 3}, {4, 2}}) {
      for (const double p0 : {0.3, 0.7, 1.0}) {
        std::vector<long double> rates(static_cast<std::size_t>(n), p0);
        if (seed % 2 == 0) rates.back() = std::min(1.0, p0 + 0.2);
        SlotProtocol protocol = oracle::fixed_window(Kind::selected, m, rates);
        const int messages = m <= 3 && seed % 3 == 0 ? 3 : 2;
        const Channel channel = adaptive_channel(epsilon0, 2, messages, seed++);
        const double mine = static_cast<double>(rates[0]);
        const SumCurve curve = slot_curve(sum, m, mine);
        const CountedSlotCurve sharper(sum, m, mine, n - 1, p0);
        std::vector<long double> worst(kShares.size(), 0);
        for (protocol.dummy = 0; protocol.dummy < 2; ++protocol.dummy) {
          for_each_dataset(protocol, channel, 2, [&](const oracle::OutputPair& pair) {
            for (std::size_t i = 0; i < kShares.size(); ++i) {
              worst[i] = std::max(worst[i], oracle::hockey_stick(pair, kShares[i] * epsilon0));
            }
          });
        }
        const std::vector<long double> others(static_cast<std::size_t>(n - 1), p0);
        for (std::size_t i = 0; i < kShares.size(); ++i) {
          const double epsilon = kShares[i] * epsilon0;
          plain.add(worst[i], curve.delta(epsilon).upper);
          counted.add(worst[i], sharper.delta(epsilon).upper);
          // The exact average over the counts lies between the truth and the computed bound.
          const long double exact =
              oracle::counted_slot_sum(oracle::pure_law(epsilon0, epsilon), m, mine, others, epsilon);
          EXPECT_LE(worst[i], exact * (1 + 1e-12L) + 1e-17L);
          EXPECT_GE(sharper.delta(epsilon).upper, exact * (1 - 1e-12L));
          const long double formula =
              oracle::slot_sum(oracle::pure_law(epsilon0, epsilon),
                               std::vector<long double>(static_cast<std::size_t>(m), 1), mine, epsilon);
          EXPECT_GE(curve.delta(epsilon).upper, formula * (1 - 1e-12L));
          EXPECT_LE(curve.delta(epsilon).upper, formula * (1 + 1e-9L) + 1e-12L);
        }
      }
    }
  }
  EXPECT_EQ(plain.violations, 0) << "of " << plain.cases;
  EXPECT_EQ(counted.violations, 0) << "of " << counted.cases;
  EXPECT_GT(plain.tightest, 0.85L);
}

// Windows start one slot after the other, as in Section 4.2 of Balle et al. (2020).
TEST(Slots, SlidingWindowDominatesEveryAdaptiveRun) {
  oracle::Domination domination;
  unsigned seed = 100;
  for (const double epsilon0 : {0.5, 2.0}) {
    const ReportingSum sum({Profile::pure(epsilon0)});
    for (const auto& [n, m] : {std::pair{2, 2}, {3, 2}, {2, 3}, {3, 3}}) {
      for (const double p0 : {0.6, 1.0}) {
        for (int victim = 0; victim < n; ++victim) {
          SlotProtocol protocol{Kind::selected, n + m - 1, {}, {}, 0};
          for (int j = 0; j < n; ++j) {
            // The victim comes first in the list, and starts `victim` slots after the first arrival.
            const int start = j == 0 ? victim : (j <= victim ? j - 1 : j);
            std::vector<int> window;
            for (int i = 0; i < m; ++i) window.push_back(start + i);
            protocol.windows.push_back(window);
            protocol.rates.push_back(p0);
          }
          const Channel channel = adaptive_channel(epsilon0, 2, 2, seed++);
          const SumCurve curve = slot_curve(sum, m, p0);
          for_each_dataset(protocol, channel, 2, [&](const oracle::OutputPair& pair) {
            for (const double share : kShares) {
              domination.add(oracle::hockey_stick(pair, share * epsilon0),
                             curve.delta(share * epsilon0).upper);
            }
          });
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
}

// Everybody at a slot answers, and the run costs one check-in, whatever the number of slots. Some
// rates are unequal.
TEST(Slots, AveragedUpdatesDominateEveryAdaptiveRun) {
  oracle::Domination domination;
  unsigned seed = 200;
  for (const double epsilon0 : {0.5, 1.0, 2.0}) {
    const ReportingSum sum({Profile::pure(epsilon0)});
    for (const auto& [n, m] : {std::pair{2, 1}, {2, 3}, {3, 2}, {3, 3}, {4, 2}}) {
      for (const auto& [lo, hi] : {std::pair{0.2, 0.2}, {0.5, 0.5}, {0.8, 0.8}, {0.3, 0.7}}) {
        std::vector<long double> rates(static_cast<std::size_t>(n), hi);
        for (std::size_t j = 1; j < rates.size(); ++j) rates[j] = j % 2 ? lo : hi;
        const SlotProtocol protocol = oracle::fixed_window(Kind::averaged, m, rates);
        const Channel channel =
            adaptive_channel(epsilon0, 2, n == 4 ? 2 : 2 + static_cast<int>(seed % 2), seed);
        ++seed;
        const UnequalRatesCurve curve = averaged_slots(sum, n, lo, hi);
        for_each_dataset(protocol, channel, 2, [&](const oracle::OutputPair& pair) {
          for (const double share : kShares) {
            domination.add(oracle::hockey_stick(pair, share * epsilon0), curve.delta(share * epsilon0).upper);
          }
        });
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.5L);
}

// Protocols that the theorems exclude exceed the bound, so the comparison notices a broken assumption. The
// two numbers below are from tools/golden/slots.py.
TEST(Slots, VariantsThatBreakTheTheoremAreCaught) {
  const double epsilon0 = 1;
  const long double q = 1 / (std::exp(1.0L) + 1);
  const Channel response = [q](int, std::uint64_t, int record) {
    return record == 0 ? Law{1 - q, q} : Law{q, 1 - q};
  };
  const ReportingSum sum({Profile::pure(epsilon0)});
  // Four other clients, one per slot, learn whether they were asked.
  SlotProtocol watched = oracle::fixed_window(Kind::watched, 4, {1, 1, 1, 1, 1});
  for (int i = 0; i < 4; ++i) watched.windows[static_cast<std::size_t>(i) + 1] = {i};
  const std::vector<int> others(4, 1);
  const long double seen = oracle::hockey_stick(oracle::transcripts(watched, others, 0, 1, response), 0.5L);
  const double bound = slot_curve(sum, 4, 1).delta(0.5).upper;
  EXPECT_NEAR(static_cast<double>(seen), 0.1438, 5e-5);
  EXPECT_NEAR(bound, 0.1124, 5e-5);
  // If the same clients do not learn this, the bound holds.
  SlotProtocol honest = watched;
  honest.kind = Kind::selected;
  EXPECT_LE(oracle::hockey_stick(oracle::transcripts(honest, others, 0, 1, response), 0.5L), bound);
  // If empty slots are visible, the only client is identified.
  const SlotProtocol skipping = oracle::fixed_window(Kind::skipping, 4, {1});
  EXPECT_GT(oracle::hockey_stick(oracle::transcripts(skipping, {}, 0, 1, response), 0.5L), 2 * bound);
  // Averaged updates of m slots cost a check-in of rate p0, not of rate p0 / m.
  const SlotProtocol averaged = oracle::fixed_window(Kind::averaged, 3, {0.6L, 0.6L, 0.6L});
  const std::vector<int> two(2, 1);
  const long double truth = oracle::hockey_stick(oracle::transcripts(averaged, two, 0, 1, response), 0.5L);
  EXPECT_LE(truth, averaged_slots(sum, 3, 0.6, 0.6).delta(0.5).upper);
  EXPECT_GT(truth, 1.1 * averaged_slots(sum, 3, 0.2, 0.2).delta(0.5).upper);
  EXPECT_ERROR(ErrorCode::uncovered, averaged_slots(sum, 10, 1, 1));
}

// The homogeneous curve of slot_pair_shape() is the exact divergence of its data set.
TEST(Slots, HomogeneousPairIsItsDataset) {
  const double epsilon0 = 1.5;
  const long double q = 1 / (std::exp(static_cast<long double>(epsilon0)) + 1);
  const Channel response = [q](int, std::uint64_t, int record) {
    return record == 0 ? Law{1 - q, q} : Law{q, 1 - q};
  };
  for (const auto& [n, m] : {std::pair{1, 3}, {3, 2}, {3, 3}, {4, 2}}) {
    for (const double p0 : {0.4, 1.0}) {
      SlotProtocol protocol =
          oracle::fixed_window(Kind::selected, m, std::vector<long double>(static_cast<std::size_t>(n), p0));
      protocol.dummy = 1;
      const oracle::OutputPair pair =
          oracle::transcripts(protocol, std::vector<int>(static_cast<std::size_t>(n - 1), 1), 0, 1, response);
      const HomogeneousCurve curve(PureLocal{epsilon0}, slot_pair_shape(m, p0, n - 1, p0));
      for (const double share : kShares) {
        oracle::expect_curve_of_pair(curve, pair, share * epsilon0, 1e-9, 1e-15, 1e-14);
      }
    }
  }
}

// Expects that delta equals 1e-6 at an epsilon that is within 0.3 % of the given one.
void expect_about(const std::function<numerics::UpperAndEstimate(double)>& delta, double epsilon) {
  EXPECT_LE(delta(epsilon * 1.003).upper, 1e-6);
  EXPECT_GE(delta(epsilon * 0.997).estimate, 1e-6);
}

// The values are those of tools/golden/slots.py.
TEST(Slots, ReferenceValues) {
  const ReportingSum one({Profile::pure(1)});
  const SumCurve fixed = slot_curve(one, 1e4, 1);
  expect_about([&](double e) { return fixed.delta(e); }, 0.0432061581);
  const UnequalRatesCurve averaged = averaged_slots(one, 6e4, 1 - 50 / 6e4, 1 - 50 / 6e4);
  expect_about([&](double e) { return averaged.delta(e); }, 0.0164);
  // With as many clients as slots, counting the others' check-ins lowers epsilon from 0.0432 to 0.0297; the
  // lower bound is 0.0215.
  const CountedSlotCurve counted(one, 1e4, 1, 9999, 1);
  expect_about([&](double e) { return counted.delta(e); }, 0.029717);
  const HomogeneousCurve lower(PureLocal{1}, slot_pair_shape(1e4, 1, 9999, 1));
  EXPECT_LE(lower.reverse(0.021568 * 1.003).minorant_upper, 1e-6);
  EXPECT_GE(lower.reverse(0.021568 * 0.997).lower, 1e-6);
}

// The law of a heavy-tailed term with a random weight is coarsened. Even far in the tail, where delta is as
// small as 1e-18, the upper bound exceeds the estimate by at most a relative 1e-4. The first two limits are
// at most 0.15 per cent above the values of tools/golden/slots.py; the third is a round number.
TEST(Slots, CountedGaussianIsPreciseFarOut) {
  const CountedSlotCurve counted(ReportingSum(GaussianLocal{5}), 1e3, 0.5, 6e4, 0.5);
  for (const auto& [epsilon, delta] : {std::pair{1e-4, 6.1876e-5}, {1e-3, 4.613e-9}, {2.5e-3, 1e-18}}) {
    const numerics::UpperAndEstimate value = counted.delta(epsilon);
    EXPECT_LE(value.upper, delta) << epsilon;
    EXPECT_LE(value.upper, value.estimate * (1 + 1e-4)) << epsilon;
  }
}

// Counting the others' check-ins never makes the bound larger, and makes it smaller with as many clients as
// slots.
TEST(Slots, CountingIsNeverWorse) {
  for (const Mechanism& mechanism : {Mechanism(PureLocal{2}), Mechanism(GaussianLocal{5})}) {
    const ReportingSum sum(mechanism);
    for (const auto& [m, others] :
         {std::pair{30.0, 2.0}, {100.0, 400.0}, {1e4, 1e2}, {1e4, 1e4}, {1e4, 1e7}}) {
      for (const double rate : {0.2, 1.0}) {
        const SumCurve plain = slot_curve(sum, m, rate);
        const CountedSlotCurve counted(sum, m, rate, others, rate);
        for (const double deviations : {0.0, 1.0, 4.0}) {
          const double epsilon = deviations * std::sqrt(rate) / std::sqrt(m);
          const numerics::UpperAndEstimate value = counted.delta(epsilon);
          EXPECT_LE(value.upper, plain.delta(epsilon).upper);
          EXPECT_LE(value.estimate, value.upper);
          if (others >= 1e4 && others * rate >= m && value.upper > 1e-30) {
            EXPECT_LT(value.upper, 0.9 * plain.delta(epsilon).upper);
          }
        }
      }
    }
  }
}

// Where the search changes from one level to another, the bound may rise, but by no more than it falls again
// when epsilon grows by a hundredth. Otherwise the gate, which checks an epsilon by the delta at an epsilon
// that is larger by a hundredth, would take the bound for a defect.
TEST(Slots, CountedDeltaFallsAcrossLevels) {
  struct Case {
    Mechanism mechanism;
    double m, others, rate;
  };
  for (const auto& [mechanism, m, others, rate] : {Case{LaplaceLocal{1.386}, 10, 99, 0.5},
                                                   {LaplaceLocal{1.386}, 30, 300, 1},
                                                   {PureLocal{2}, 30, 300, 1},
                                                   {GaussianLocal{2}, 100, 2e4, 0.2}}) {
    const CountedSlotCurve counted(ReportingSum(mechanism), m, rate, others, rate);
    double before = 1;
    for (double epsilon = 0.1; before > 1e-11; epsilon *= 1.01) {
      const double delta = counted.delta(epsilon).upper;
      EXPECT_LE(delta, before) << describe(mechanism) << ", m = " << m << ", epsilon = " << epsilon;
      before = delta;
    }
  }
}

// At a single slot, the message is the victim's with probability a = p0 w, and otherwise the dummy or another
// client sends a message of her alternative. With p = 1 / (1 + e^-epsilon0), the reverse curve is p (1 - E
// (1 + a (e^-epsilon0 - 1)))_+. Next to the zero of this curve, rounding must not lift the lower end that
// reverse() returns above the curve.
TEST(Slots, PairNextToItsZeroIsNotTooLarge) {
  using oracle::Ball;
  const Ball one(1.0);
  for (const double others : {0.0, 1.0, 2.0, 5.0}) {
    for (const double p0 : {0.169, 0.31, 0.481, 0.7619, 0.941}) {
      Ball nobody = one;  // (1 - p0)^(others + 1)
      for (int i = 0; i <= static_cast<int>(others); ++i) nobody = nobody * (one - Ball(p0));
      const Ball a = (one - nobody) / Ball(others + 1);
      for (const double epsilon0 : {1.9e-3, 0.031, 0.58, 1.88, 8.19}) {
        const HomogeneousCurve curve(KRandomizedResponse{epsilon0, 2}, slot_pair_shape(1, p0, others, p0));
        const Ball less = a * expm1(-Ball(epsilon0)), p = one / (one + exp(-Ball(epsilon0)));
        double epsilon = -log1p(less).middle();
        for (int step = 0; step < 6; ++step, epsilon = std::nextafter(epsilon, 0.0)) {
          const Ball truth = positive_part(p * (one - exp(Ball(epsilon)) * (one + less)));
          const double lower = curve.reverse(epsilon).lower;
          EXPECT_TRUE(lower == 0 || truth.surely_above(Ball(lower)))
              << others << ' ' << p0 << ' ' << epsilon0 << ' ' << epsilon << ' ' << lower;
        }
        // Away from the zero the rounding costs nothing.
        const Ball far = p * (one - exp(Ball(epsilon / 2)) * (one + less));
        EXPECT_TRUE(Ball(curve.reverse(epsilon / 2).lower).surely_above(far * Ball(1 - 1e-11)));
      }
    }
  }
}

TEST(Slots, AnswersEverywhere) {
  for (const double epsilon0 : {1e-3, 1.0, 20.0}) {
    const ReportingSum sum({Profile::pure(epsilon0)});
    for (const double m : {1.0, 7.0, 1e5, 1e9}) {
      for (const double p0 : {1e-6, 0.5, 1.0}) {
        for (const double others : {0.0, 10.0, 1e9}) {
          const SumCurve plain = slot_curve(sum, m, p0);
          const CountedSlotCurve counted(sum, m, p0, others, p0);
          for (const double epsilon : {0.0, 1e-6, 0.1, 19.0, 800.0}) {
            for (const numerics::UpperAndEstimate value : {plain.delta(epsilon), counted.delta(epsilon)}) {
              EXPECT_TRUE(value.estimate >= 0 && value.estimate <= value.upper && value.upper <= 1)
                  << epsilon0 << " " << m << " " << p0 << " " << others << " " << epsilon;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

// Simulates runs to compare the frequency of false alarms with the stated one, and the counts outside their
// bands with the exact law. Drifted rates must raise an alarm, and a band for one round alone must fail the
// test.
#include "muster/protocols/monitor/check_in_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

using Direction = CheckInMonitor::Direction;
using Generator = std::mt19937_64;

accounting::ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate), std::nullopt};
}

std::uint64_t draw(Generator& generator, std::uint64_t trials, double p) {
  return std::binomial_distribution<std::uint64_t>(trials, p)(generator);
}

struct Raised {
  std::uint64_t any = 0;       // runs that raised an alarm
  std::uint64_t by_count = 0;  // runs in which a count left its band
};
// Simulates `runs` runs of `rounds` rounds, watched in blocks of `block` rounds, whose clients report at
// `rate`, and counts the runs that raise an alarm.
Raised alarms(std::uint64_t runs, double rate, double declared, std::uint64_t rounds, double false_alarm,
              std::uint64_t block = 1) {
  constexpr std::uint64_t kClients = 500;
  Raised raised;
  Generator generator(runs + rounds);
  for (std::uint64_t run = 0; run < runs; ++run) {
    CheckInMonitor monitor({{check_in(kClients, declared), rounds}}, false_alarm);
    bool outside = false;
    for (std::uint64_t round = 0; round < rounds; round += block) {
      const std::uint64_t messages = draw(generator, kClients * block, rate);
      const CountBand band = *monitor.band(block);
      outside = outside || messages < band.low || messages > band.high;
      monitor.watch(block, messages);
    }
    raised.by_count += outside ? 1 : 0;
    raised.any += monitor.alarm() ? 1 : 0;
  }
  return raised;
}

// Returns the probability that one round's count is outside the band. It is computed by a sum over the counts
// inside, and not from the tails that the band uses.
double chance_outside(const CountBand& band, std::uint64_t trials, double p) {
  const boost::math::binomial_distribution<double> law(static_cast<double>(trials), p);
  double inside = 0;
  for (std::uint64_t k = band.low; k <= band.high; ++k) {
    inside += boost::math::pdf(law, static_cast<double>(k));
  }
  return 1 - inside;
}

// Each call of binomial_test in this file fails by chance with probability at most 1e-6.
constexpr double kAlpha = 1e-6;

TEST(CheckInMonitor, CountsLeaveTheirBandAsOftenAsTheExactLawSays) {
  constexpr std::uint64_t kRuns = 3000, kRounds = 40;
  const CountBand band = *CheckInMonitor({{check_in(500, 0.1), kRounds}}, 0.4).band(1);
  const double once = chance_outside(band, 500, 0.1);
  const double in_a_run = -std::expm1(static_cast<double>(kRounds) * std::log1p(-once));
  EXPECT_LE(in_a_run, 0.2);  // the bands may use half of the false-alarm probability 0.4
  EXPECT_GT(in_a_run, 0.1);  // counts are integers, so the bands use somewhat less
  const testing::Verdict verdict =
      testing::binomial_test(alarms(kRuns, 0.1, 0.1, kRounds, 0.4).by_count, kRuns, in_a_run, kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

// A one-sided test that at most a fraction `p` of the runs raised an alarm. It applies the two-sided test
// only if the fraction is above p.
testing::Verdict at_most(std::uint64_t raised, std::uint64_t runs, double p) {
  const auto ceiling = static_cast<std::uint64_t>(p * static_cast<double>(runs));
  return testing::binomial_test(std::max(raised, ceiling), runs, p, kAlpha);
}

TEST(CheckInMonitor, AlarmsAreFalseNoMoreOftenThanStatedHoweverRoundsAreGrouped) {
  for (const std::uint64_t block : {1, 5, 20}) {
    constexpr std::uint64_t kRuns = 1000;
    const testing::Verdict verdict = at_most(alarms(kRuns, 0.1, 0.1, 60, 0.2, block).any, kRuns, 0.2);
    EXPECT_TRUE(verdict.pass) << block << ": " << verdict.summary;
  }
}

// A band for a single round ignores that many rounds are watched. The same test must detect this mistake.
TEST(CheckInMonitor, ABandWithoutTheUnionOverRoundsFails) {
  constexpr std::uint64_t kRuns = 1000, kRounds = 60;
  const CountBand band = binomial_band(500, 0.1, 0.1, 0.05);  // a quarter of 0.2 for each single round
  Generator generator(1);
  std::uint64_t raised = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    bool outside = false;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t messages = draw(generator, 500, 0.1);
      outside = outside || messages < band.low || messages > band.high;
    }
    raised += outside ? 1 : 0;
  }
  EXPECT_FALSE(at_most(raised, kRuns, 0.2).pass) << raised;
}

// The expectation of the evidence after two rounds is computed by enumeration. It is 1 at the declared rate,
// below 1 if the true rate deviates against the direction of the evidence, and above 1 if it deviates in the
// direction of the evidence.
TEST(CheckInMonitor, EvidenceIsAMartingaleAtTheDeclaredRate) {
  constexpr int kTrials = 30;
  const auto expectation = [](bool upward, double actual, double declared) {
    const boost::math::binomial_distribution<double> law(kTrials, actual);
    double mean = 0;
    for (int first = 0; first <= kTrials; ++first) {
      for (int second = 0; second <= kTrials; ++second) {
        DriftEvidence evidence(upward);
        evidence.add(kTrials, static_cast<std::uint64_t>(first), declared);
        evidence.add(kTrials, static_cast<std::uint64_t>(second), declared);
        mean +=
            boost::math::pdf(law, first) * boost::math::pdf(law, second) * std::exp(evidence.log_evidence());
      }
    }
    return mean;
  };
  EXPECT_NEAR(expectation(true, 0.2, 0.2), 1, 1e-11);
  EXPECT_NEAR(expectation(false, 0.2, 0.2), 1, 1e-11);
  EXPECT_LT(expectation(true, 0.15, 0.2), 1);
  EXPECT_LT(expectation(false, 0.25, 0.2), 1);
  EXPECT_GT(expectation(true, 0.25, 0.2), 1);
}

TEST(CheckInMonitor, ADriftOfOnePercentIsSeenLongBeforeAnyCountLeavesItsBand) {
  for (const double rate : {0.099, 0.101}) {
    CheckInMonitor monitor({{check_in(60'000, 0.1), 700}});
    std::uint64_t round = 0;
    for (; round < 700 && !monitor.alarm(); ++round) {
      monitor.watch(1, static_cast<std::uint64_t>(std::llround(60'000 * rate)));
    }
    ASSERT_TRUE(monitor.alarm()) << rate;
    EXPECT_EQ(monitor.alarm()->direction, rate < 0.1 ? Direction::too_few : Direction::too_many);
    EXPECT_THAT(monitor.alarm()->reason, ::testing::HasSubstr("drift"));
    // In each round, the log likelihood ratio for the factor e^(1/128) on the odds (or for its inverse) gains
    // 0.304. A ratio of 18 * 4 / 0.001, whose logarithm is 11.2, is enough for an alarm: 37 rounds reach it.
    EXPECT_LT(round, 45u);
  }
}

TEST(CheckInMonitor, ADriftedRateAlarmsInEveryRun) {
  // At rate 0.13, the 30,000 coins of a run give 3,900 +- 58 reports where 3,000 are declared. An excess of
  // about 250 is enough for an alarm.
  EXPECT_EQ(alarms(300, 0.13, 0.1, 60, 1e-3).any, 300u);
  EXPECT_EQ(alarms(300, 0.07, 0.1, 60, 1e-3).any, 300u);
}

TEST(CheckInMonitor, OneCountFarOutsideSaysWhichRound) {
  CheckInMonitor monitor({{check_in(1000, 0.1), 100}});
  monitor.watch(4, 400);
  monitor.watch(1, 30);
  monitor.watch(1, 100);
  ASSERT_TRUE(monitor.alarm());
  EXPECT_EQ(monitor.alarm()->round, 5u);
  EXPECT_EQ(monitor.alarm()->direction, Direction::too_few);
  EXPECT_THAT(monitor.alarm()->reason, ::testing::StartsWith("round 5 had 30 check-ins, outside "));
}

TEST(CheckInMonitor, ARateOfOneLeavesNoRoom) {
  CheckInMonitor monitor({{check_in(100, 1), 10}});
  monitor.watch(1, 100);
  EXPECT_FALSE(monitor.alarm());
  monitor.watch(1, 99);
  EXPECT_TRUE(monitor.alarm());
}

TEST(CheckInMonitor, ARangeOfRatesAlarmsOutsideItAlone) {
  const accounting::ShuffledCheckIn range{ClientCount::of(10'000), Rate::of(0.2), Rate::of(0.1)};
  for (const std::uint64_t messages : {1010u, 1500u, 1990u}) {
    CheckInMonitor monitor({{range, 50}});
    monitor.watch(50, 50 * messages);
    EXPECT_FALSE(monitor.alarm()) << messages;
  }
  for (const std::uint64_t messages : {950u, 2050u}) {
    CheckInMonitor monitor({{range, 50}});
    monitor.watch(50, 50 * messages);
    EXPECT_TRUE(monitor.alarm()) << messages;
  }
}

TEST(CheckInMonitor, ADeclarationMayChangeWithTheRounds) {
  const std::vector<accounting::Stage> stages = {{check_in(10'000, 0.1), 20}, {check_in(10'000, 0.05), 20}};
  CheckInMonitor as_declared(stages), as_before(stages);
  for (std::uint64_t round = 0; round < 40; round += 8) {  // the third block has rounds of both stages
    as_before.watch(8, 8'000);
    as_declared.watch(8, round < 16 ? 8'000 : round == 16 ? 6'000 : 4'000);
  }
  EXPECT_FALSE(as_declared.alarm());
  ASSERT_TRUE(as_before.alarm());
  EXPECT_EQ(as_before.alarm()->round, 32u);
}

// Draws a run of averaged check-ins as the protocol defines it: each client tosses a coin, then takes a
// uniform slot. Returns the number of reports in each slot.
std::vector<std::uint64_t> averaged_run(Generator& generator, std::uint64_t clients, std::uint64_t slots,
                                        double rate) {
  std::vector<std::uint64_t> count(slots);
  const std::uint64_t reports = draw(generator, clients, rate);
  for (std::uint64_t i = 0; i < reports; ++i) {
    ++count[std::uniform_int_distribution<std::uint64_t>(0, slots - 1)(generator)];
  }
  return count;
}

TEST(CheckInMonitor, SlotsOfARunAreWatchedGivenThoseBefore) {
  constexpr std::uint64_t kClients = 400, kSlots = 20, kRuns = 2, kTimes = 300;
  const accounting::RandomCheckIn averaged{accounting::RandomCheckIn::Kind::averaged,
                                           ClientCount::of(kClients), kSlots, Rate::of(0.8), std::nullopt};
  Generator generator(7);
  std::uint64_t raised = 0, raised_drifted = 0;
  for (std::uint64_t time = 0; time < kTimes; ++time) {
    for (const double rate : {0.8, 0.5}) {
      CheckInMonitor monitor({{averaged, kRuns}}, 0.2);
      for (std::uint64_t run = 0; run < kRuns; ++run) {
        for (const std::uint64_t messages : averaged_run(generator, kClients, kSlots, rate)) {
          monitor.watch(1, messages);
        }
      }
      (rate == 0.8 ? raised : raised_drifted) += monitor.alarm() ? 1 : 0;
      EXPECT_EQ(monitor.rounds_skipped(), 0u);
    }
  }
  const testing::Verdict verdict = at_most(raised, kTimes, 0.2);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
  // Each run lacks 120 of the 320 expected reports, which is 15 standard deviations.
  EXPECT_EQ(raised_drifted, kTimes);
}

TEST(CheckInMonitor, BlocksAcrossTheEndOfARunAreSkippedUntilTheNextBegins) {
  const accounting::RandomCheckIn averaged{accounting::RandomCheckIn::Kind::averaged, ClientCount::of(1000),
                                           10, Rate::of(0.5), std::nullopt};
  CheckInMonitor monitor({{averaged, 4}});
  monitor.watch(7, 350);
  ASSERT_TRUE(monitor.estimate());
  EXPECT_NEAR(monitor.estimate()->rate, 0.5, 1e-12);
  EXPECT_FALSE(monitor.band(7));
  monitor.watch(7, 350);
  EXPECT_FALSE(monitor.estimate());  // no run was watched to its end
  monitor.watch(6, 300);
  EXPECT_EQ(monitor.rounds_skipped(), 13u);
  EXPECT_NEAR(monitor.estimate()->rate, 0.5, 1e-12);
  EXPECT_TRUE(monitor.band(10));
  monitor.watch(10, 500);
  EXPECT_EQ(monitor.rounds_watched(), 17u);
  EXPECT_FALSE(monitor.alarm());
}

TEST(CheckInMonitor, TheEstimateIsClopperAndPearsonsOnAllRounds) {
  CheckInMonitor monitor({{check_in(1000, 0.1), 100}});
  EXPECT_FALSE(monitor.estimate());
  monitor.watch(10, 950);
  const CheckInMonitor::Estimate estimate = *monitor.estimate();
  EXPECT_DOUBLE_EQ(estimate.rate, 0.095);
  const boost::math::binomial_distribution<double> at_low(10'000, estimate.low),
      at_high(10'000, estimate.high);
  EXPECT_NEAR(boost::math::cdf(complement(at_low, 949)), 5e-4, 1e-12);
  EXPECT_NEAR(boost::math::cdf(at_high, 950), 5e-4, 1e-12);
}

TEST(CheckInMonitor, ProtocolsWithoutCoinsSaySo) {
  const ClientCount n = ClientCount::of(100);
  using Kind = accounting::RandomCheckIn::Kind;
  const std::vector<accounting::Participation> blind = {
      accounting::Shuffle{n}, accounting::FixedSubset{n, 10},
      accounting::RandomCheckIn{Kind::fixed, n, 5, Rate::of(0.5), std::nullopt},
      accounting::RandomCheckIn{Kind::sliding, n, 5, Rate::of(0.5), std::nullopt}};
  for (const accounting::Participation& participation : blind) {
    CheckInMonitor monitor({{participation, 10}});
    EXPECT_NE(monitor.blind(), "");
    monitor.watch(1, 3);
    EXPECT_FALSE(monitor.alarm());
    EXPECT_FALSE(monitor.estimate());
    EXPECT_FALSE(monitor.band(1));
  }
  const accounting::AggregatedCheckIn aggregated{n, Rate::of(0.5), 3, std::nullopt};
  EXPECT_EQ(CheckInMonitor({{aggregated, 1}}).blind(), "");
}

TEST(CheckInMonitor, ImpossibleCountsAreRefused) {
  CheckInMonitor monitor({{check_in(100, 0.1), 10}});
  EXPECT_ERROR(ErrorCode::data, monitor.watch(1, 101));
  EXPECT_ERROR(ErrorCode::data, monitor.watch(0, 1));
  monitor.watch(10, 100);
  EXPECT_ERROR(ErrorCode::data, monitor.watch(1, 10));
}

// A population that grows keeps its rate. A test of its counts against the declared number of clients would
// take them for too many check-ins.
TEST(CheckInMonitor, ARoundMayHaveItsOwnNumberOfClients) {
  constexpr std::uint64_t kRuns = 1000, kRounds = 60;
  Generator generator(11);
  std::uint64_t raised = 0, raised_as_declared = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    CheckInMonitor each({{check_in(500, 0.1), kRounds}}, 0.2),
        as_declared({{check_in(500, 0.1), kRounds}}, 0.2);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t clients = 500 + 10 * round, messages = draw(generator, clients, 0.1);
      each.watch_round(clients, messages);
      as_declared.watch(1, messages);
    }
    raised += each.alarm() ? 1 : 0;
    raised_as_declared += as_declared.alarm() ? 1 : 0;
  }
  const testing::Verdict verdict = at_most(raised, kRuns, 0.2);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
  EXPECT_FALSE(at_most(raised_as_declared, kRuns, 0.2).pass) << raised_as_declared;
}

TEST(CheckInMonitor, ADriftAmongThoseHeardIsSeen) {
  CheckInMonitor monitor({{check_in(500, 0.5), 60}});
  for (std::uint64_t round = 0; round < 60 && !monitor.alarm(); ++round) {
    monitor.watch_round(600 + round, (600 + round) * 9 / 20);
  }
  ASSERT_TRUE(monitor.alarm());
  EXPECT_EQ(monitor.alarm()->direction, Direction::too_few);
}

TEST(CheckInMonitor, ARoundOfAsManyClientsAsDeclaredIsTheRoundOfTheDeclaration) {
  CheckInMonitor each({{check_in(1000, 0.1), 100}}), declared({{check_in(1000, 0.1), 100}});
  for (const std::uint64_t messages : {95u, 110u, 99u, 180u}) {
    const CountBand next = declared.band(1).value();
    each.watch_round(1000, messages);
    declared.watch(1, messages);
    EXPECT_EQ(each.last_band()->low, next.low);
    EXPECT_EQ(each.last_band()->high, next.high);
    EXPECT_EQ(declared.last_band()->high, next.high);
  }
  EXPECT_EQ(each.alarm()->reason, declared.alarm()->reason);
  EXPECT_EQ(each.estimate()->rate, declared.estimate()->rate);
  EXPECT_EQ(each.estimate()->low, declared.estimate()->low);
  EXPECT_EQ(each.rounds_watched(), 4u);
}

TEST(CheckInMonitor, TheEstimateCountsTheClientsThatWereThere) {
  CheckInMonitor monitor({{check_in(1000, 0.1), 100}});
  monitor.watch_round(2000, 200);
  monitor.watch(1, 100);
  EXPECT_DOUBLE_EQ(monitor.estimate()->rate, 0.1);
}

TEST(CheckInMonitor, ARoundWithoutClientsIsNotTested) {
  CheckInMonitor monitor({{check_in(10, 1), 10}});
  monitor.watch_round(0, 0);
  EXPECT_FALSE(monitor.last_band());
  EXPECT_FALSE(monitor.alarm());
  EXPECT_FALSE(monitor.estimate());
  EXPECT_EQ(monitor.rounds_skipped(), 1u);
  EXPECT_ERROR(ErrorCode::data, monitor.watch_round(0, 1));
  EXPECT_ERROR(ErrorCode::data, monitor.watch_round(5, 6));
  monitor.watch_round(5, 5);
  EXPECT_EQ(monitor.last_band()->high, 5u);
  EXPECT_FALSE(monitor.alarm());
}

TEST(CheckInMonitor, ASlotHasNoClientsOfItsOwn) {
  const accounting::RandomCheckIn averaged{accounting::RandomCheckIn::Kind::averaged, ClientCount::of(400),
                                           20, Rate::of(0.8), std::nullopt};
  CheckInMonitor monitor({{averaged, 2}});
  EXPECT_ERROR(ErrorCode::internal, monitor.watch_round(400, 10));
}

TEST(CheckInMonitor, TheEndsOfAnEstimateReplaceEveryRate) {
  const accounting::Participation changed =
      at_rate(accounting::ShuffledCheckIn{ClientCount::of(10), Rate::of(0.2), Rate::of(0.1)}, Rate::of(0.15));
  EXPECT_EQ(changed, accounting::Participation(check_in(10, 0.15)));
}

}  // namespace
}  // namespace muster::protocols

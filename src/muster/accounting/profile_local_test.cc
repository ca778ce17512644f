// Compares the cost of a randomizer that is given by a table of its profile, or by its channel, with the cost
// of the same randomizer as a built-in one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "muster/accounting/accountant.h"
#include "muster/accounting/launches.h"
#include "muster/accounting/running_accountant.h"
#include "muster/composition/composed_curve.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/view.h"
#include "muster/gate/gate.h"
#include "muster/theorems/applicable.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Point = TabulatedProfile::Point;

const Question kEpsilon = {Question::Kind::epsilon_at_delta, 1e-6};
// The tables are so dense that a bound from them is this close, relative to epsilon, to the profile itself.
constexpr double kClose = 1e-3;

ClientCount clients(std::uint64_t n) { return ClientCount::of(n); }

// The tables are made by formulas that share no code with the library's profiles.
ProfileLocal gaussian_table(double sigma) {
  const long double mu = 2 / static_cast<long double>(sigma);
  const auto upper = [](long double x) { return 0.5L * std::erfc(x / std::numbers::sqrt2_v<long double>); };
  std::vector<Point> points;
  for (int i = 0; i <= 1200; ++i) {
    const auto alpha = static_cast<double>(std::exp(mu * 11 * i / 1200));
    const long double l = std::log(static_cast<long double>(alpha));
    points.push_back({alpha, static_cast<double>(upper(l / mu - mu / 2) - alpha * upper(l / mu + mu / 2))});
  }
  return ProfileLocal(TabulatedProfile::of_table(points));
}

ProfileLocal laplace_table(double epsilon0) {
  std::vector<Point> points;
  for (int i = 0; i < 400; ++i) {
    const double alpha = std::exp(epsilon0 * i / 400);
    points.push_back({alpha, -std::expm1((std::log(alpha) - epsilon0) / 2)});
  }
  points.push_back({std::exp(epsilon0) * (1 + 1e-15), 0});
  return ProfileLocal(TabulatedProfile::of_table(points));
}

ProfileLocal k_rr_channel(std::size_t k, double epsilon0) {
  const double other = 1 / (std::exp(epsilon0) + static_cast<double>(k) - 1);
  std::vector<std::vector<double>> rows(k, std::vector<double>(k, other));
  for (std::size_t x = 0; x < k; ++x) rows[x][x] = std::exp(epsilon0) * other;
  return ProfileLocal(Channel(rows));
}

struct Twin {
  ProfileLocal given;
  Mechanism built_in;
};

std::vector<Twin> twins() {
  return {{gaussian_table(5), GaussianLocal{5}},
          {laplace_table(2), LaplaceLocal{2}},
          {k_rr_channel(4, 2), KRandomizedResponse{2, 4}},
          {k_rr_channel(2, 1), PureLocal{1}}};
}

const std::vector<Participation>& participations() {
  using Kind = RandomCheckIn::Kind;
  static const std::vector<Participation> all = {
      Shuffle{clients(10'000)},
      FixedSubset{clients(10'000), 500},
      ShuffledCheckIn{clients(60'000), Rate::of(0.1)},
      ShuffledCheckIn{clients(60'000), Rate::of(0.1), Rate::of(0.05)},
      RandomCheckIn{Kind::fixed, clients(10'000), 1'000, Rate::of(0.5)},
      RandomCheckIn{Kind::sliding, clients(10'000), 1'000, Rate::of(0.5)},
      RandomCheckIn{Kind::averaged, clients(10'000), 100, Rate::of(0.5)},
      AggregatedCheckIn{clients(10'000), Rate::of(0.1), 20}};
  return all;
}

// The ids of the bounds that need no more than a profile.
const std::vector<std::string> kOfProfiles = {"swap-profile", "subset-swap",       "unequal-rates-swap",
                                              "slot-swap",    "slot-swap-counted", "slot-averaged-swap"};

// Returns the value of the theorem with this id; nullopt if the list has none.
std::optional<double> value_of(const Applicable& list, const std::string& id, std::uint64_t rounds) {
  for (const RoundBound& bound : list.uppers) {
    if (bound.id == id) return ComposedCurve(bound.delta, bound.knot, bound.share).upper(rounds, kEpsilon);
  }
  return std::nullopt;
}

// For each theorem that needs no more than a profile, the value from the table is that from the built-in
// profile.
TEST(ProfileLocal, CostsWhatTheBuiltInProfileCosts) {
  int compared = 0;
  for (const auto& [given, built_in] : twins()) {
    for (const Participation& participation : participations()) {
      const Applicable mine = applicable(given, participation), other = applicable(built_in, participation);
      for (const std::string& id : kOfProfiles) {
        SCOPED_TRACE(fmt::format("{}; {}; {}", describe(built_in), name_of(participation), id));
        const bool composed = std::holds_alternative<ShuffledCheckIn>(participation);
        for (const std::uint64_t rounds :
             composed ? std::vector<std::uint64_t>{1, 50} : std::vector<std::uint64_t>{1}) {
          const std::optional<double> from_table = value_of(mine, id, rounds),
                                      known = value_of(other, id, rounds);
          if (!from_table || !known) continue;
          EXPECT_NEAR(*from_table, *known, kClose * *known) << rounds;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 30);
}

// The best value from a table is never below what the built-in randomizer certainly costs.
TEST(ProfileLocal, CostsNoLessThanTheBuiltInRandomizer) {
  const ShuffledCheckIn participation{clients(60'000), Rate::of(0.1)};
  for (const auto& [given, built_in] : twins()) {
    const Statement of_table = Accountant(given, participation).account(1, kEpsilon);
    const Statement of_built_in = Accountant(built_in, participation).account(1, kEpsilon);
    EXPECT_EQ(of_table.best.validity, Validity::proven);
    EXPECT_GE(of_table.best.upper.value(), of_built_in.best.lower.value());
    EXPECT_GE(of_table.best.upper.value(), of_built_in.best.upper.value() * (1 - kClose));
    EXPECT_LE(*of_table.best.upper, of_table.local_upper.value());
  }
}

// No theorem may know more of the randomizer than its profile.
TEST(ProfileLocal, IsCoveredByTheoremsOfProfilesAlone) {
  const std::vector<std::string> of_any = {"swap-profile",    "subset-swap",       "unequal-rates-swap",
                                           "slot-swap",       "slot-swap-counted", "slot-averaged-swap",
                                           "privacy-blanket", "clone-pair",        "unequal-rates-blanket",
                                           "adaptive-blanket"};
  std::vector<Participation> all = participations();
  all.emplace_back(ShuffledCheckIn{clients(50), Rate::of(0.9)});
  all.emplace_back(ShuffledCheckIn{clients(50), Rate::of(1), Rate::of(0.9)});
  all.emplace_back(RandomCheckIn{RandomCheckIn::Kind::averaged, clients(50), 10, Rate::of(1)});
  for (const auto& [given, built_in] : twins()) {
    for (const Participation& participation : all) {
      const Applicable list = applicable(given, participation);
      for (const RoundBound& bound : list.uppers) EXPECT_THAT(of_any, Contains(bound.id));
      for (const RoundPair& pair : list.lowers) {
        EXPECT_EQ(pair.id, "homogeneous-pair");
        EXPECT_NE(given.channel(), nullptr) << "a table bounds the profile from above alone";
      }
    }
  }
}

// Nothing is known of a table from below, so every lower value is 0, in every view.
TEST(ProfileLocal, ATableHasNoLowerValue) {
  const ProfileLocal given = laplace_table(2);
  for (const Participation& participation : participations()) {
    EXPECT_TRUE(applicable(given, participation).lowers.empty());
    for (const View view : {own_view(participation), View::shuffler_colludes, View::sum_only}) {
      const Gate gate(given, {participation}, view);
      EXPECT_EQ(gate.floor(kEpsilon), 0);
      EXPECT_EQ(gate.floor({Question::Kind::delta_at_epsilon, 0.1}), 0);
    }
  }
  const Statement statement = Accountant(given, participations()[1]).account(2, kEpsilon);
  for (const Bound& bound : statement.all) EXPECT_EQ(bound.lower.value_or(0), 0) << bound.id;
}

// Two rows of a channel are a pair of laws, here the pair of the built-in randomizer, and give a lower value.
// Where the adversary sees only sums there is no lower value, because nothing is known of the sum of such
// messages.
TEST(ProfileLocal, AChannelHasTheLowerValueOfTwoOfItsRows) {
  const ProfileLocal given = k_rr_channel(4, 2);
  const KRandomizedResponse built_in{2, 4};
  for (const Participation& participation : participations()) {
    const std::string name = name_of(participation);
    SCOPED_TRACE(name + "; " + describe(participation));
    const Applicable mine = applicable(given, participation), other = applicable(built_in, participation);
    const double floor = Gate(given, {participation}, own_view(participation)).floor(kEpsilon);
    if (name == "random-check-in-averaged" || name == "aggregated-check-in") {
      EXPECT_TRUE(mine.lowers.empty());
      EXPECT_EQ(floor, 0);
      continue;
    }
    EXPECT_GT(floor, 0);
    EXPECT_NEAR(floor, Gate(built_in, {participation}, own_view(participation)).floor(kEpsilon),
                2e-3 * floor);
    ASSERT_EQ(mine.lowers.size(), 1u);
    ASSERT_EQ(other.lowers.front().id, "homogeneous-pair");
    for (const double epsilon : {0.0, 0.01, 0.1, 0.5}) {
      const double forward = other.lowers.front().forward(epsilon).lower,
                   reverse = other.lowers.front().reverse(epsilon).lower;
      EXPECT_NEAR(mine.lowers.front().forward(epsilon).lower, forward, 1e-6 * forward + 1e-12) << epsilon;
      EXPECT_NEAR(mine.lowers.front().reverse(epsilon).lower, reverse, 1e-6 * reverse + 1e-12) << epsilon;
    }
  }
}

TEST(ProfileLocal, BoundedLossesAreEpsilon0Ldp) {
  EXPECT_NEAR(pure_epsilon0(laplace_table(2)).value(), 2, 1e-14);
  EXPECT_EQ(pure_epsilon0(gaussian_table(5)), std::nullopt);
  EXPECT_FALSE(in_class_c(k_rr_channel(2, 1)));
  // The plain shuffle has a theorem for every epsilon0-LDP randomizer.
  const Shuffle everybody{clients(10'000)};
  const Statement bounded = Accountant(laplace_table(2), everybody).account(1, kEpsilon);
  const Statement any = Accountant(PureLocal{2}, everybody).account(1, kEpsilon);
  EXPECT_EQ(bounded.best.id, "privacy-blanket");
  EXPECT_NEAR(*bounded.best.upper, *any.best.upper, 1e-9);
  // No theorem covers the plain shuffle of other profiles, and the answer says what to do instead.
  const Statement unbounded = Accountant(gaussian_table(5), everybody).account(1, kEpsilon);
  EXPECT_EQ(unbounded.best.id, "local-composition");
  EXPECT_THAT(unbounded.best.assumptions, Contains(HasSubstr("a rate of 1 - 50/n is enough")));
}

// The mass at infinity is charged once, times the probability that the client reports, whatever epsilon is.
TEST(ProfileLocal, MassAtInfinityIsChargedOnce) {
  const double infinite = 1e-4, rate = 0.1;
  std::vector<Point> points;
  for (int i = 0; i <= 100; ++i) {
    const double alpha = std::exp(i / 100.0), own = std::exp(1.0) / (std::exp(1.0) + 1);
    points.push_back({alpha, infinite + (1 - infinite) * (own - alpha * (1 - own))});
  }
  points.back().divergence = infinite;
  const ProfileLocal given(TabulatedProfile::of_table(points, infinite));
  const Accountant accountant(given, ShuffledCheckIn{clients(10'000), Rate::of(rate)});
  const Question far = {Question::Kind::delta_at_epsilon, 20};
  EXPECT_NEAR(*accountant.account(1, far).best.upper, rate * infinite, 1e-9 * infinite);
  EXPECT_GE(*accountant.account(1, far).best.upper, rate * infinite);
  EXPECT_NEAR(*accountant.account(10, far).best.upper, 10 * rate * infinite, 1e-2 * infinite);
  EXPECT_GE(*accountant.account(10, far).best.upper, 1 - std::pow(1 - rate * infinite, 10));
  // No epsilon has a delta below the mass that is charged.
  EXPECT_EQ(accountant.account(1, kEpsilon).best.upper, std::nullopt);
  EXPECT_TRUE(accountant.account(1, {Question::Kind::epsilon_at_delta, 2 * rate * infinite}).best.upper);
}

// Without amplification the composition of randomized response and of the Gaussian is known exactly.
TEST(ProfileLocal, LocalCompositionIsNeverBelowTheExactOne) {
  for (const auto& [given, exact] :
       {Twin{k_rr_channel(2, 1), PureLocal{1}}, Twin{gaussian_table(5), GaussianLocal{5}}}) {
    for (const double rate : {0.05, 0.5, 1.0}) {
      const LocalCost cost(given, Rate::of(rate));
      for (const std::uint64_t rounds : {1, 2, 7, 100, 3000}) {
        for (const double delta : {1e-3, 1e-6}) {
          const Question question{Question::Kind::epsilon_at_delta, delta};
          const double truth = local_epsilon_upper(exact, Rate::of(rate), rounds, delta);
          const double upper = cost.upper(rounds, question);
          EXPECT_GE(upper, truth * (1 - 1e-9))
              << describe(exact) << " " << rate << " " << rounds << " " << delta;
          EXPECT_LE(upper, truth * (1 + 2e-3) + 1e-9) << describe(exact) << " " << rate << " " << rounds;
          EXPECT_EQ(upper, local_epsilon_upper(given, Rate::of(rate), rounds, delta));
        }
        const double epsilon = 0.3 * static_cast<double>(rounds > 10 ? 10 : rounds);
        EXPECT_GE(local_delta_upper(given, Rate::of(rate), rounds, epsilon),
                  local_delta_upper(exact, Rate::of(rate), rounds, epsilon) * (1 - 1e-6));
      }
    }
  }
  EXPECT_EQ(local_delta_upper(k_rr_channel(2, 1), Rate::of(0.5), 0, 1), 0);
  EXPECT_EQ(local_delta_upper(gaussian_table(5), Rate::of(0.5), 3, std::numeric_limits<double>::infinity()),
            0);
  EXPECT_ERROR(ErrorCode::usage, local_delta_upper(gaussian_table(5), Rate::of(0.5), 3, -1));
}

// Schedules, several launches and a running account charge a channel as they charge the built-in randomizer.
TEST(ProfileLocal, ComposesWithOtherRounds) {
  const ShuffledCheckIn often{clients(20'000), Rate::of(0.1)}, rarely{clients(20'000), Rate::of(0.03)};
  const Mechanism given = k_rr_channel(4, 2), built_in = KRandomizedResponse{2, 4};
  const auto scheduled = [&](const Mechanism& mechanism) {
    return *Accountant(mechanism, {{often, 50}, {rarely, 50}}).account(kEpsilon).best.upper;
  };
  EXPECT_NEAR(scheduled(given), scheduled(built_in), kClose * scheduled(built_in));
  const auto launched = [&](const Mechanism& mechanism) {
    return *Launches({{mechanism, {{often, 50}}}, {PureLocal{1}, {{rarely, 30}}}})
                .account(kEpsilon)
                .best.upper;
  };
  EXPECT_NEAR(launched(given), launched(built_in), kClose * launched(built_in));
  RunningAccountant running(Delta::of(1e-6));
  running.charge(laplace_table(2), often, 30);
  running.charge(given, rarely, 30);
  EXPECT_GT(running.epsilon().upper, 0);
}

}  // namespace
}  // namespace muster::accounting

// Tests that every subset of k out of n is equally likely: exactly, by enumerating every sequence of draws,
// and statistically, on keyed streams. Samplers with a known bias must fail both tests.
#include "muster/protocols/roll_call_subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/random/samplers.h"
#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

constexpr double kAlpha = 1e-6;

using Subset = std::vector<std::uint64_t>;
using Sampler = std::function<Subset(random::BitSource&, std::uint64_t, std::uint64_t)>;

Subset ours(random::BitSource& bits, std::uint64_t count, std::uint64_t size) {
  SubsetSampler sampler;
  Subset subset;
  sampler.draw(bits, count, size, subset);
  std::ranges::sort(subset);
  return subset;
}

// A sampler with a known bias: it draws its integers from [0, last) instead of [0, last].
Subset short_draws(random::BitSource& bits, std::uint64_t count, std::uint64_t size) {
  std::set<std::uint64_t> members;
  for (std::uint64_t last = count - size; last < count; ++last) {
    const std::uint64_t drawn = random::uniform_below(bits, std::max<std::uint64_t>(last, 1));
    if (!members.insert(drawn).second) members.insert(last);
  }
  return {members.begin(), members.end()};
}

// A source whose i-th word makes uniform_below(radices[i]) return choices[i].
class ChosenSource final : public random::BitSource {
 public:
  ChosenSource(const Subset& radices, const Subset& choices) : radices_(radices), choices_(choices) {}
  std::uint64_t next_u64() override {
    const std::size_t i = used_++;
    return choices_.at(i) * (~std::uint64_t{0} / radices_.at(i)) + choices_.at(i) + 1;
  }

 private:
  const Subset& radices_;
  const Subset& choices_;
  std::size_t used_ = 0;
};

std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  return k == 0 ? 1 : binomial(n - 1, k - 1) * n / k;
}

// Returns whether each of the C(n, k) subsets results from the same number of sequences of draws.
bool uniform(std::uint64_t n, std::uint64_t k, const Sampler& sampler, bool short_radices) {
  Subset radices;
  for (std::uint64_t last = n - k; last < n; ++last) {
    radices.push_back(short_radices ? std::max<std::uint64_t>(last, 1) : last + 1);
  }
  std::map<Subset, std::uint64_t> counts;
  Subset choices(radices.size(), 0);
  for (bool more = true; more;) {
    ChosenSource source(radices, choices);
    ++counts[sampler(source, n, k)];
    std::size_t digit = 0;
    while (digit < choices.size() && ++choices[digit] == radices[digit]) choices[digit++] = 0;
    more = digit < choices.size();
  }
  return counts.size() == binomial(n, k) && std::ranges::all_of(counts, [&](const auto& entry) {
           return entry.second == counts.begin()->second && entry.first.size() == k;
         });
}

TEST(SubsetSampler, EverySubsetComesFromEquallyManySequencesOfDraws) {
  for (std::uint64_t n = 1; n <= 7; ++n) {
    for (std::uint64_t k = 1; k <= std::min<std::uint64_t>(n, 5); ++k) {
      EXPECT_TRUE(uniform(n, k, ours, false)) << n << " " << k;
    }
  }
  EXPECT_FALSE(uniform(5, 2, short_draws, true));
  EXPECT_FALSE(uniform(7, 3, short_draws, true));
}

TEST(SubsetSampler, ExtremesAndHugePopulations) {
  random::KeyedStream bits(random::RunKey::from_seed(1), {random::Purpose::subset, 1, 0});
  EXPECT_TRUE(ours(bits, 5, 0).empty());
  EXPECT_EQ(ours(bits, 3, 3), (Subset{0, 1, 2}));
  EXPECT_ERROR(ErrorCode::internal, ours(bits, 3, 4));
  constexpr std::uint64_t kHuge = 1'000'000'000'000;
  const Subset subset = ours(bits, kHuge, 20'000);
  EXPECT_EQ(std::set<std::uint64_t>(subset.begin(), subset.end()).size(), 20'000);
  std::vector<double> places;
  for (const std::uint64_t member : subset) places.push_back(static_cast<double>(member) / kHuge);
  const auto verdict = testing::uniformity_test(places, kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

testing::Verdict pairs_test(const std::function<Subset(std::uint64_t)>& subset_of) {
  constexpr std::uint64_t kRounds = 30'000;
  std::map<Subset, std::uint64_t> counts;
  for (std::uint64_t round = 1; round <= kRounds; ++round) ++counts[subset_of(round)];
  std::vector<std::uint64_t> observed;
  for (std::uint64_t a = 0; a < 6; ++a) {
    for (std::uint64_t b = a + 1; b < 6; ++b) observed.push_back(counts[{a, b}]);
  }
  return testing::chi_squared_test(observed, std::vector<double>(15, kRounds / 15.0), kAlpha);
}

TEST(RollCallOfSubset, EveryPairOfClientsIsEquallyOftenTheSubset) {
  const random::RunKey key = random::RunKey::from_seed(2);
  RollCallOfSubset roll_call(key, 6, 2);
  const auto verdict = pairs_test([&](std::uint64_t round) {
    std::vector<Sender> senders;
    roll_call.append_senders(round, {}, senders);
    Subset subset;
    for (const Sender& sender : senders) subset.push_back(sender.client);
    std::ranges::sort(subset);
    return subset;
  });
  EXPECT_TRUE(verdict.pass) << verdict.summary;
  EXPECT_FALSE(pairs_test([&](std::uint64_t round) {
                 random::KeyedStream bits(key, {random::Purpose::subset, round, 0});
                 return short_draws(bits, 6, 2);
               }).pass);
}

TEST(RollCallOfSubset, AnyTwoClientsOfManyMeetAsOftenAsTheyShould) {
  constexpr std::uint64_t kClients = 200;
  constexpr std::uint64_t kSubset = 60;
  constexpr std::uint64_t kRounds = 40'000;
  RollCallOfSubset roll_call(random::RunKey::from_seed(3), kClients, kSubset);
  std::uint64_t first = 0, last = 0, both = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    std::vector<Sender> senders;
    roll_call.append_senders(round, {}, senders);
    ASSERT_EQ(senders.size(), kSubset);
    const auto in = [&](std::uint64_t client) {
      return std::ranges::any_of(senders, [client](const Sender& s) { return s.client == client; });
    };
    first += in(0) ? 1 : 0;
    last += in(kClients - 1) ? 1 : 0;
    both += in(0) && in(kClients - 1) ? 1 : 0;
  }
  const double one = 60.0 / 200, two = one * 59 / 199;
  for (const auto& [count, p] : {std::pair{first, one}, {last, one}, {both, two}}) {
    const auto verdict = testing::binomial_test(count, kRounds, p, kAlpha);
    EXPECT_TRUE(verdict.pass) << verdict.summary;
  }
  EXPECT_FALSE(testing::binomial_test(both, kRounds, 0.3 * 0.26, kAlpha).pass);
}

}  // namespace
}  // namespace muster::protocols

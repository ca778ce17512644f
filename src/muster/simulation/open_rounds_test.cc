// Compares rounds whose vectors come from outside with the engine that computes them itself, bit for bit, and
// tries everything that a caller may do wrong.
#include "muster/simulation/open_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/k_rr_sum.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"
#include "muster/simulation/round_engine.h"

namespace muster::simulation {
namespace {

constexpr std::uint64_t kClients = 300;
constexpr std::size_t kDimension = 37;

// Returns entry i of the vector of a client, whose only input is its number.
float entry(float client, std::size_t i) { return std::sin(client + 0.1f * static_cast<float>(i)); }

class Sines final : public learning::ClientFunction {
 public:
  std::size_t dimension() const override { return kDimension; }
  std::unique_ptr<learning::Workspace> make_workspace() const override {
    return std::make_unique<learning::Workspace>();
  }
  void evaluate(std::span<const float>, const learning::Example& example, learning::Workspace&,
                std::span<float> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = example.inputs[0] == odd ? NAN : entry(example.inputs[0], i);
    }
  }
  float odd = -1;  // the client whose vector is not finite
};

// Lists two clients and two dummies in one step of four rounds.
class TwoDummies final : public protocols::RollCall {
 public:
  std::uint64_t rounds_a_step() const override { return 4; }
  void append_senders(std::uint64_t first_round, protocols::Share,
                      std::vector<protocols::Sender>& senders) override {
    senders.push_back({11, first_round, false});
    senders.push_back({kClients, first_round + 1, true});
    senders.push_back({24, first_round + 2, false});
    senders.push_back({kClients, first_round + 3, true});
  }
};

class OpenRoundsTest : public ::testing::Test {
 protected:
  OpenRoundsTest() {
    data_.shape = {1, 1, 1};
    for (std::uint64_t i = 0; i < kClients; ++i) {
      data_.labels.push_back(0);
      data_.values.push_back(static_cast<float>(i));
    }
  }

  std::vector<float> by_engine(const randomizers::VectorRandomizer& randomizer,
                               protocols::RollCall& roll_call, std::uint64_t round,
                               const randomizers::SumSampler* sum = nullptr) {
    const Population population({.clients = kClients}, data_, key_);
    WorkerTeam team(1);
    const std::unique_ptr<Ranks> ranks = alone();
    RoundEngine engine(function_, randomizer, roll_call, population, key_, team, *ranks, sum);
    std::vector<float> estimate(kDimension);
    step_ = engine.run(round, estimate, estimate);
    return estimate;
  }

  // Row i is the vector of who[i]; rows are kDimension + 3 floats apart.
  static constexpr std::size_t kStride = kDimension + 3;
  std::vector<float> rows_of(std::span<const std::uint64_t> who) const {
    std::vector<float> rows(who.size() * kStride, NAN);
    for (std::size_t c = 0; c < who.size(); ++c) {
      for (std::size_t i = 0; i < kDimension; ++i) {
        const auto client = static_cast<float>(who[c]);
        rows[c * kStride + i] = client == function_.odd ? NAN : entry(client, i);
      }
    }
    return rows;
  }
  void send_all(OpenRounds& rounds, std::span<const std::uint64_t> who, std::size_t piece) const {
    const std::vector<float> rows = rows_of(who);
    for (std::size_t at = 0; at < who.size(); at += piece) {
      rounds.send(who.subspan(at, std::min(piece, who.size() - at)), rows.data() + at * kStride, kStride);
    }
  }

  protocols::RollCallByCoins coins(double rate = 0.4) const {
    return {protocols::CheckInCoins(key_, rate, 0.0), kClients, 1};
  }

  static std::string refusal(const std::function<void()>& call, ErrorCode code = ErrorCode::usage) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }

  const random::RunKey key_ = random::RunKey::from_seed(9);
  learning::Dataset data_;
  Sines function_;
  Step step_{};
};

TEST_F(OpenRoundsTest, TheEstimateIsThatOfTheEngineBitForBit) {
  const auto gaussian = randomizers::make_gaussian(2.0, 0.5, kDimension);
  const auto gaussian_sum = randomizers::make_gaussian_sum(2.0, 0.5, kDimension);
  const auto ldp_sgd = randomizers::make_ldp_sgd(2.0, 0.5, kDimension);
  const auto linf = randomizers::make_linf(2.0, 0.5, kDimension);
  struct Case {
    const randomizers::VectorRandomizer& randomizer;
    const randomizers::SumSampler* sum;
  };
  for (const Case& each :
       {Case{*gaussian, nullptr}, {*gaussian, gaussian_sum.get()}, {*ldp_sgd, nullptr}, {*linf, nullptr}}) {
    for (const unsigned threads : {1u, 2u, 3u}) {
      protocols::RollCallByCoins roll_call = coins(), same = coins();
      WorkerTeam team(threads);
      OpenRounds rounds(each.randomizer, each.sum, roll_call, kClients, key_, team);
      std::uint64_t round = 0;
      for (const std::size_t piece : {1u, 7u, 37u, 512u}) {
        ++round;
        send_all(rounds, rounds.open(round), piece);
        std::vector<float> estimate(kDimension, NAN);
        const Step step = rounds.close(estimate);
        EXPECT_EQ(estimate, by_engine(each.randomizer, same, round, each.sum)) << threads << ' ' << piece;
        EXPECT_EQ(step.messages, step_.messages);
        EXPECT_TRUE(step.decoded);
      }
    }
  }
}

// The mean of what messages decode to one by one is the estimate, whose bits are the same whether or not they
// are decoded, and however many workers make them.
TEST_F(OpenRoundsTest, MessagesDecodeOneByOne) {
  const auto gaussian = randomizers::make_gaussian(5, 1, kDimension);
  const auto ldp_sgd = randomizers::make_ldp_sgd(2, 1, kDimension);
  const auto linf = randomizers::make_linf(2, 1, kDimension);
  for (const randomizers::VectorRandomizer* randomizer :
       std::initializer_list<const randomizers::VectorRandomizer*>{gaussian.get(), ldp_sgd.get(),
                                                                   linf.get()}) {
    protocols::RollCallByCoins roll_call = coins();
    const std::vector<float> expected = by_engine(*randomizer, roll_call, 3);
    std::map<std::uint64_t, std::vector<float>> first;  // what each client's message decodes to
    for (const unsigned workers : {1u, 3u}) {
      WorkerTeam team(workers);
      OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team);
      const auto who = rounds.open(3);
      const std::vector<float> rows = rows_of(who);
      std::vector<float> decoded(who.size() * kDimension), estimate(kDimension);
      const std::size_t half = who.size() / 2;
      rounds.send_decoded(who.first(half), rows.data(), kStride, decoded.data());
      rounds.send_decoded(who.subspan(half), rows.data() + half * kStride, kStride,
                          decoded.data() + half * kDimension);
      rounds.close(estimate);
      EXPECT_EQ(estimate, expected);
      std::map<std::uint64_t, std::vector<float>> by_client;
      for (std::size_t c = 0; c < who.size(); ++c) {
        const auto row = decoded.begin() + static_cast<std::ptrdiff_t>(c * kDimension);
        by_client[who[c]].assign(row, row + kDimension);
      }
      if (first.empty()) first = by_client;
      EXPECT_EQ(by_client, first);
      for (std::size_t i = 0; i < kDimension; ++i) {
        double sum = 0, size = 0;
        for (std::size_t c = 0; c < who.size(); ++c) {
          sum += decoded[c * kDimension + i];
          size += std::fabs(decoded[c * kDimension + i]);
        }
        const auto count = static_cast<double>(who.size());
        EXPECT_NEAR(sum / count, estimate[i], 1e-6 * size / count);
      }
    }
  }
  const auto sum = randomizers::make_gaussian_sum(5, 1, kDimension);
  WorkerTeam team(1);
  protocols::RollCallByCoins roll_call = coins();
  OpenRounds rounds(*gaussian, sum.get(), roll_call, kClients, key_, team);
  const auto who = rounds.open(3);
  std::vector<float> decoded(kDimension);
  EXPECT_NE(refusal([&] {
              rounds.send_decoded(who.first(1), rows_of(who).data(), kStride, decoded.data());
            }).find("no message is made"),
            std::string::npos);
  EXPECT_EQ(rounds.sent(), 0);
}

TEST_F(OpenRoundsTest, DummiesAreMadeHereAndNotTold) {
  const auto randomizer = randomizers::make_gaussian(2.0, 0.5, kDimension);
  for (const unsigned threads : {1u, 2u}) {
    TwoDummies roll_call, same;
    WorkerTeam team(threads);
    OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team);
    const std::span<const std::uint64_t> who = rounds.open(5);
    std::vector<std::uint64_t> sorted(who.begin(), who.end());
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, (std::vector<std::uint64_t>{11, 24}));
    send_all(rounds, who, 1);
    std::vector<float> estimate(kDimension);
    EXPECT_EQ(rounds.close(estimate).messages, 4u);
    EXPECT_EQ(estimate, by_engine(*randomizer, same, 5));
  }
}

TEST_F(OpenRoundsTest, EveryClientSendsOnceAndInItsTurn) {
  const auto randomizer = randomizers::make_gaussian(2.0, 0.5, kDimension);
  protocols::RollCallByCoins roll_call = coins();
  WorkerTeam team(2);
  OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team);
  std::vector<float> estimate(kDimension);
  const std::vector<float> row(kStride, 0.25f);
  EXPECT_EQ(refusal([&] { rounds.close(estimate); }), "no round is open, so there is no mean");
  const std::uint64_t nobody = kClients;
  EXPECT_EQ(refusal([&] {
              rounds.send({&nobody, 1}, row.data(), kStride);
            }),
            "no round is open, so nobody can send");

  const std::span<const std::uint64_t> open = rounds.open(1);
  const std::vector<std::uint64_t> who(open.begin(), open.end());
  const std::string first = std::to_string(who[0]), second = std::to_string(who[1]);
  EXPECT_EQ(refusal([&] {
              rounds.send({&nobody, 1}, row.data(), kStride);
            }),
            "client 300 does not send in this round; the next to send is client " + first);
  EXPECT_EQ(refusal([&] {
              rounds.send({&who[1], 1}, row.data(), kStride);
            }),
            "client " + second + " is not the next in the order of this round; the next to send is client " +
                first);
  rounds.send({who.data(), 1}, row.data(), kStride);
  EXPECT_EQ(refusal([&] {
              rounds.send({who.data(), 1}, row.data(), kStride);
            }),
            "client " + first + " has sent in this round; the next to send is client " + second);
  EXPECT_EQ(refusal([&] { rounds.close(estimate); }), "client " + second + " and " +
                                                          std::to_string(who.size() - 2) +
                                                          " more have not sent, so the round has no mean");
  EXPECT_EQ(rounds.sent(), 1u);  // the refused calls took in no vector

  const std::vector<std::uint64_t> rest(who.begin() + 1, who.end());
  send_all(rounds, rest, 50);
  EXPECT_EQ(refusal([&] {
              rounds.send({who.data(), 1}, row.data(), kStride);
            }),
            "client " + first + " cannot send: all " + std::to_string(who.size()) +
                " senders of the round have sent");
  EXPECT_EQ(rounds.close(estimate).messages, who.size());
  EXPECT_FALSE(rounds.is_open());
}

TEST_F(OpenRoundsTest, AVectorThatIsNotFiniteIsRefusedOrAnsweredNeutrally) {
  const auto randomizer = randomizers::make_gaussian(2.0, 0.5, kDimension);
  const auto sum = randomizers::make_gaussian_sum(2.0, 0.5, kDimension);
  for (const bool sums_only : {false, true}) {
    const randomizers::SumSampler* const sampler = sums_only ? sum.get() : nullptr;
    for (const unsigned threads : {1u, 3u}) {
      protocols::RollCallByCoins roll_call = coins(), same = coins();
      WorkerTeam team(threads);
      OpenRounds strict(*randomizer, sampler, roll_call, kClients, key_, team);
      std::vector<float> estimate(kDimension, 1.0f);
      function_.odd = static_cast<float>(strict.open(1)[3]);
      const std::string text = refusal([&] { send_all(strict, strict.open(1), 512); }, ErrorCode::data);
      EXPECT_EQ(text, "the vector of client " + std::to_string(static_cast<int>(function_.odd)) +
                          " has an entry that is NaN or infinite");
      EXPECT_FALSE(strict.is_open());

      OpenRounds lenient(*randomizer, sampler, roll_call, kClients, key_, team,
                         BadVector::answered_neutrally);
      send_all(lenient, lenient.open(1), 11);
      EXPECT_EQ(lenient.close(estimate).neutral, 1u);
      EXPECT_EQ(estimate, by_engine(*randomizer, same, 1, sampler));
      // The next round of `strict` is not affected by the round that was abandoned.
      function_.odd = -1;
      send_all(strict, strict.open(2), 11);
      EXPECT_EQ(strict.close(estimate).neutral, 0u);
      EXPECT_EQ(estimate, by_engine(*randomizer, same, 2, sampler));
    }
  }
}

// k-rr also refuses finite vectors: those that are no indicator of a category.
TEST_F(OpenRoundsTest, AFiniteVectorThatTheRandomizerRefusesIsRefusedOrAnsweredNeutrally) {
  const auto randomizer = randomizers::make_k_rr(2.0, kDimension);
  const auto sum = randomizers::make_k_rr_sum(2.0, kDimension);
  // Sends the indicator of each client's category, but of client `odd` the number `odd_entry` in entry 0.
  const auto step = [](OpenRounds& rounds, std::uint64_t odd, float odd_entry) {
    const auto who = rounds.open(1);
    std::vector<float> rows(who.size() * kDimension);
    for (std::size_t c = 0; c < who.size(); ++c) {
      rows[c * kDimension + (who[c] == odd ? 0 : who[c] % kDimension)] = who[c] == odd ? odd_entry : 1.0f;
    }
    rounds.send(who, rows.data(), kDimension);
  };
  for (const randomizers::SumSampler* sampler : {static_cast<const randomizers::SumSampler*>(nullptr),
                                                 static_cast<const randomizers::SumSampler*>(sum.get())}) {
    for (const unsigned threads : {1u, 3u}) {
      protocols::RollCallByCoins roll_call = coins();
      WorkerTeam team(threads);
      OpenRounds strict(*randomizer, sampler, roll_call, kClients, key_, team);
      const std::uint64_t odd = strict.open(1)[3];
      const Error error = error_of([&] { step(strict, odd, 0.5f); });
      EXPECT_EQ(error.code(), ErrorCode::data);
      EXPECT_EQ(error.key(), "vector");
      EXPECT_EQ(error.value(), "client " + std::to_string(odd));
      EXPECT_EQ(error.allowed(), "1 at one category at most, else 0");
      EXPECT_EQ(std::string(error.what()),
                "the vector of client " + std::to_string(odd) +
                    " is refused: gradient[0] is not the indicator of a category, as k-rr needs; found: "
                    "0.500000, expected: 1 at one category at most, else 0");
      EXPECT_FALSE(strict.is_open());

      OpenRounds lenient(*randomizer, sampler, roll_call, kClients, key_, team,
                         BadVector::answered_neutrally);
      std::vector<float> estimate(kDimension), expected(kDimension);
      step(lenient, odd, 0.5f);
      EXPECT_EQ(lenient.close(estimate).neutral, 1u);
      step(strict, odd, 0.0f);
      EXPECT_EQ(strict.close(expected).neutral, 0u);
      EXPECT_EQ(estimate, expected);
    }
  }
}

TEST_F(OpenRoundsTest, AnAbandonedRoundLeavesNothingBehind) {
  const auto randomizer = randomizers::make_ldp_sgd(2.0, 0.5, kDimension);
  protocols::RollCallByCoins roll_call = coins(), same = coins();
  WorkerTeam team(2);
  OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team);
  std::vector<float> estimate(kDimension);
  for (const bool by_next : {false, true}) {
    const std::span<const std::uint64_t> who = rounds.open(1);
    send_all(rounds, who.first(who.size() / 2), 16);
    if (!by_next) rounds.abandon();
    send_all(rounds, rounds.open(2), 16);
    rounds.close(estimate);
    EXPECT_EQ(estimate, by_engine(*randomizer, same, 2));
  }
}

TEST_F(OpenRoundsTest, AnInterruptAbandonsTheRound) {
  const auto randomizer = randomizers::make_ldp_sgd(2.0, 0.5, kDimension);
  protocols::RollCallByCoins roll_call = coins(), same = coins();
  WorkerTeam team(2);
  std::atomic<bool> flag{false};
  OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team, BadVector::refused,
                    Interrupt(&flag));
  const std::span<const std::uint64_t> who = rounds.open(1);
  flag = true;
  refusal([&] { send_all(rounds, who, 512); }, ErrorCode::interrupted);
  EXPECT_FALSE(rounds.is_open());
  refusal([&] { rounds.open(1); }, ErrorCode::interrupted);
  EXPECT_FALSE(rounds.is_open());
  flag = false;
  std::vector<float> estimate(kDimension);
  send_all(rounds, rounds.open(1), 512);
  rounds.close(estimate);
  EXPECT_EQ(estimate, by_engine(*randomizer, same, 1));
}

TEST_F(OpenRoundsTest, ARoundWithoutSendersHasNoMean) {
  const auto randomizer = randomizers::make_ldp_sgd(2.0, 0.5, kDimension);
  protocols::RollCallByCoins roll_call = coins(1e-15);
  WorkerTeam team(2);
  OpenRounds rounds(*randomizer, nullptr, roll_call, kClients, key_, team);
  EXPECT_TRUE(rounds.open(1).empty());
  std::vector<float> estimate(kDimension, 1.0f);
  const Step step = rounds.close(estimate);
  EXPECT_EQ(step.messages, 0u);
  EXPECT_FALSE(step.decoded);
  EXPECT_EQ(estimate, std::vector<float>(kDimension));
}

}  // namespace
}  // namespace muster::simulation

// The issuer is killed before and after every operation of its disk, and again while it starts, and its
// machine loses what was not synced. Whoever talks to it goes on asking, and must never see two answers for
// a device and a round, an answer that is forgotten, a directory that goes back, or a round that comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/issuer/small_deployment_test.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::KeyDirectory;
using wire::TokenBlock;

// What a faulty disk, or an issuer that uses it wrongly, leaves out.
enum class Fault {
  none,
  no_sync,       // logs are never synced
  no_removal,    // the store keeps what is removed
  no_directory,  // the store keeps the first directory it was given
};

class FaultyStore final : public StoreBetween {
 public:
  FaultyStore(Store& store, Fault fault) : StoreBetween(store), fault_(fault) {}
  void commit(const Commit& changes) override {
    Commit made = changes;
    if (fault_ == Fault::no_removal) made.remove.clear();
    if (fault_ == Fault::no_directory && store_.blob("directory")) {
      std::erase_if(made.put, [](const auto& put) { return put.first == "directory"; });
    }
    store_.commit(made);
  }

 private:
  Fault fault_;
};

class FaultyLog final : public Log {
 public:
  FaultyLog(std::unique_ptr<Log> log, Fault fault) : log_(std::move(log)), fault_(fault) {}
  std::size_t width() const override { return log_->width(); }
  std::uint64_t size() const override { return log_->size(); }
  void append(wire::Bytes record) override { log_->append(record); }
  void sync() override {
    if (fault_ != Fault::no_sync) log_->sync();
  }
  void read(std::uint64_t first, std::uint64_t count, const std::function<void(wire::Bytes)>& take) override {
    log_->read(first, count, take);
  }

 private:
  std::unique_ptr<Log> log_;
  Fault fault_;
};

class FaultyFolder final : public LogFolder {
 public:
  FaultyFolder(LogFolder& logs, Fault fault) : logs_(logs), fault_(fault) {}
  std::unique_ptr<Log> create(const std::string& name, std::size_t width) override {
    return std::make_unique<FaultyLog>(logs_.create(name, width), fault_);
  }
  std::unique_ptr<Log> open(const std::string& name, std::size_t width) override {
    return std::make_unique<FaultyLog>(logs_.open(name, width), fault_);
  }
  std::vector<std::string> names() override { return logs_.names(); }
  void remove(const std::string& name) override { logs_.remove(name); }

 private:
  LogFolder& logs_;
  Fault fault_;
};

// When the issuer is killed in one life (class Life).
struct Kills {
  static constexpr std::uint64_t kNever = ~0ull;
  std::uint64_t operation = kNever;  // of the disk, from 0
  Disk::When when = Disk::When::before;
  std::optional<Disk::When> again;  // at the first operation after that, if at all
  bool loses_all = true;            // whether all is lost that was not synced, or half of it
};

const TaskDocument& task() {
  static const TaskDocument task = small_task();
  return task;
}

// Returns one of two requests of a device for a round. They are the same in all lives in which the round has
// the same key.
const wire::TokenRequest& request_of(const KeyDirectory& keys, std::uint8_t device, std::uint64_t round,
                                     bool second) {
  static std::map<std::tuple<wire::RsaBlock, std::uint8_t, std::uint64_t, bool>, wire::TokenRequest> made;
  const auto entry = std::ranges::find(keys.entries, round, &KeyDirectory::Entry::round);
  if (entry == keys.entries.end())
    throw Error(ErrorCode::internal, "round", "", "", "is not in the directory");
  const auto [found, is_new] = made.try_emplace({entry->modulus, device, round, second});
  if (is_new) found->second = begin(keys, round).request;
  return found->second;
}

// The life of an issuer, with everybody who talks to it.
class Life {
 public:
  Life(Fault fault, const Kills& kills)
      : kills_(kills), store_(disk_.store(), fault), logs_(disk_.logs(), fault) {
    disk_.kill_after(kills.operation, kills.when);
  }

  // Performs steps(), each again after a kill, and starts the issuer once more. Returns what went wrong.
  std::set<std::string> live() {
    try {
      for (const auto& step : steps()) repeat(step);
      crash();
      repeat([this] { start(); });
      expect(issued_ == std::map<std::uint64_t, std::uint64_t>{{1, 5}, {2, 4}}, "a final count is wrong");
    } catch (const Error& error) {
      wrong_.insert(error.what());
    }
    return wrong_;
  }
  std::uint64_t operations() const { return disk_.operations(); }

 private:
  std::vector<std::function<void()>> steps() {
    return {[this] { start(); },
            [this] { issuer_->enrol(devices(6)); },
            [this] { prepare(2); },
            [this] {
              ask({0, 1}, {1, 2});
            },
            [this] { issuer_->publish(); },
            [this] {
              ask({2, 3}, {1});
            },
            [this] { ask({4}, {1}); },
            [this] { close(1); },
            [this] { prepare(2); },
            [this] {
              ask({0, 1, 2, 3}, {2, 3});
            },
            [this] { issuer_->publish(); },
            [this] { close(2); },
            [this] { ask({4}, {3}); }};
  }

  // Does the step, and does it again after each kill.
  void repeat(const std::function<void()>& step) {
    for (;;) {
      try {
        if (!issuer_) start();
        step();
        look();
        return;
      } catch (const Killed&) {
        crash();
      }
    }
  }

  void crash() {
    issuer_.reset();
    disk_.crash([&](std::size_t unsynced) { return !kills_.loses_all ? unsynced / 2 : unsynced; });
    if (kills_.again) disk_.kill_after(0, *std::exchange(kills_.again, std::nullopt));
  }

  void start() {
    if (issuer_) return;
    issuer_ = std::make_unique<Issuer>(task(), issuer_identity(), store_, logs_, "issuer.db",
                                       stored_keys(keys_made_ + 1));
    look();
    probe();
  }

  void prepare(std::uint64_t ahead) {
    // A key that was lost in a crash is made anew, and is then another one.
    ++keys_made_;
    issuer_->prepare(ahead);
  }

  // The devices ask for tokens of the rounds, and get their answers after one sync. If the step was killed
  // before, a device without an answer tries its second request before its first one.
  void ask(const std::vector<std::uint8_t>& askers, const std::vector<std::uint64_t>& rounds) {
    const KeyDirectory keys = read(issuer_->keys());
    for (const bool second : {asked_before_, !asked_before_}) {
      std::vector<std::pair<Buffer, Issuer::Tokens>> answers;
      for (const std::uint8_t device : askers) {
        std::vector<TokenBlock::Entry> entries;
        for (const std::uint64_t round : rounds) {
          entries.push_back({round, request_of(keys, device, round, second && !answered(device, round))});
        }
        Buffer block = block_of(device, entries, task().name());
        Issuer::Tokens tokens = issuer_->take(block);
        answers.emplace_back(std::move(block), std::move(tokens));
      }
      asked_before_ = true;
      issuer_->sync();
      for (const auto& [block, tokens] : answers) receive(block, tokens);
      if (std::ranges::all_of(answers, [](const auto& a) { return a.second.answer == Answer::stored; }))
        break;
    }
    asked_before_ = false;
  }

  void receive(const Buffer& signed_block, const Issuer::Tokens& tokens) {
    if (tokens.answer != Answer::stored) return;
    const TokenBlock block = wire::read_token_block(signed_block).value();
    for (std::size_t i = 0; i < block.entries.size(); ++i) {
      const auto& [round, request] = block.entries[i];
      const auto from = tokens.responses.begin() + static_cast<std::ptrdiff_t>(i * wire::kTokenResponse);
      const std::pair answer(request, Buffer(from, from + wire::kTokenResponse));
      const auto [found, is_new] = answers_.try_emplace({block.device, round}, answer);
      expect(found->second == answer, "a device has two answers for a round");
    }
  }
  bool answered(std::uint8_t device, std::uint64_t round) const {
    return answers_.contains({device_identity(device).identity(), round});
  }

  void close(std::uint64_t round) {
    const auto closed = issuer_->close_issuance(order_to_close(round, task().name()));
    expect(closed.has_value(), "an order is refused");
    if (!closed) return;
    const KeyDirectory directory = read(*closed);
    for (const auto& entry : directory.entries) {
      if (entry.round == round) issued_[round] = entry.issued;
    }
    closed_ = round;
  }

  // Looks at the directory, and at the disk.
  void look() {
    const KeyDirectory now = read(issuer_->keys());
    if (seen_) expect(wire::follows(now, *seen_), "a directory does not follow the one before it");
    seen_ = now;
    for (std::uint64_t round = 1; round <= closed_; ++round) {
      expect(!disk_.memory().blob("key-" + std::to_string(round)), "the key of a closed round is left");
      const auto names = disk_.logs().names();
      expect(std::ranges::find(names, "tokens-" + std::to_string(round)) == names.end(),
             "the log of a closed round is left");
    }
  }

  // Every device that has an answer asks with its other request, which must not be answered, and then again
  // with the request that was answered.
  void probe() {
    const KeyDirectory keys = read(issuer_->keys());
    for (std::uint8_t device = 0; device < 6; ++device) {
      for (std::uint64_t round = 1; round <= 3; ++round) {
        if (!answered(device, round)) continue;
        const auto request = answers_.at({device_identity(device).identity(), round}).first;
        const auto again = [&](const wire::TokenRequest& of) {
          const Buffer block = block_of(device, {{round, of}}, task().name());
          const Issuer::Tokens tokens = issuer_->tokens(block);
          receive(block, tokens);
          return tokens.answer;
        };
        if (round <= closed_) {
          expect(again(request) == Answer::over, "a closed round is not over");
          continue;
        }
        const bool is_second = request == request_of(keys, device, round, true);
        const Answer other = again(request_of(keys, device, round, !is_second));
        // The round may have been closed without the shuffler having heard of it.
        expect(other != Answer::stored, "another request is answered");
        expect(again(request) == (other == Answer::over ? Answer::over : Answer::stored),
               "an answer is forgotten");
      }
    }
  }

  void expect(bool holds, const char* what) {
    if (!holds) wrong_.insert(what);
  }

  Kills kills_;
  Disk disk_;
  FaultyStore store_;
  FaultyFolder logs_;
  std::unique_ptr<Issuer> issuer_;
  std::uint64_t keys_made_ = 0, closed_ = 0;
  bool asked_before_ = false;  // whether the present step was begun before
  std::optional<KeyDirectory> seen_;
  std::map<std::pair<wire::IdentityKey, std::uint64_t>, std::pair<wire::TokenRequest, Buffer>> answers_;
  std::map<std::uint64_t, std::uint64_t> issued_;  // final counts by rounds
  std::set<std::string> wrong_;
};

std::string text_of(const Kills& kills) {
  const auto word = [](Disk::When when) { return when == Disk::When::before ? "before" : "after"; };
  return "killed " + std::string(word(kills.when)) + " operation " + std::to_string(kills.operation) +
         (kills.again ? std::string(", again ") + word(*kills.again) + " the next one" : "") +
         (kills.loses_all ? ", loses all" : ", loses half");
}

// Returns every way to kill a life of `operations` operations.
std::vector<Kills> all_kills(std::uint64_t operations) {
  using When = Disk::When;
  std::vector<Kills> kills;
  for (std::uint64_t operation = 0; operation < operations; ++operation) {
    for (const When when : {When::before, When::after}) {
      kills.push_back({operation, when, std::nullopt, true});
      kills.push_back({operation, when, std::nullopt, false});
      kills.push_back({operation, when, When::before, true});
      kills.push_back({operation, when, When::after, true});
    }
  }
  return kills;
}

TEST(IssuerCrash, NothingIsForgottenOrDoneTwiceWhereverItIsKilled) {
  Life unharmed(Fault::none, Kills{});
  EXPECT_TRUE(unharmed.live().empty());
  EXPECT_GT(unharmed.operations(), 20u);
  for (const Kills& kills : all_kills(unharmed.operations())) {
    for (const std::string& what : Life(Fault::none, kills).live())
      ADD_FAILURE() << text_of(kills) << ": " << what;
  }
}

// Returns whether each of `expected` goes wrong in some life with the fault.
bool shows(Fault fault, std::set<std::string> expected) {
  Life unharmed(fault, Kills{});
  const auto seen = [&](const std::set<std::string>& wrong) {
    for (const std::string& what : wrong) expected.erase(what);
    return expected.empty();
  };
  if (seen(unharmed.live())) return true;
  return std::ranges::any_of(all_kills(unharmed.operations()),
                             [&](const Kills& kills) { return seen(Life(fault, kills).live()); });
}

TEST(IssuerCrash, AFaultyIssuerIsNoticed) {
  EXPECT_TRUE(shows(Fault::no_sync, {"another request is answered", "a device has two answers for a round"}));
  EXPECT_TRUE(shows(Fault::no_removal, {"the key of a closed round is left"}));
  EXPECT_TRUE(shows(Fault::no_directory, {"a directory does not follow the one before it"}));
}

}  // namespace
}  // namespace muster::service

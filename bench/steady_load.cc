// Simulates the devices of bench/steady_load.py: many devices in one process that fetch tokens, and each send
// one upload in every round. Unlike `muster client`, this program keeps nothing on the disk, sends the
// uploads of each thread evenly over the round instead of at times that the devices choose, and reports the
// zero vector, randomized.
//
//     steady_load keys COUNT                        prints the enrolment list of COUNT devices
//     steady_load run TASK SHUFFLER ISSUER COUNT    takes part until the task is over
//
// `run` prints a line of JSON for each round: how many uploads were acknowledged, refused or not answered,
// and the median, the 99th percentile and the largest of the milliseconds until the answer.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "muster/http/remote_issuer.h"
#include "muster/http/remote_shuffler.h"
#include "muster/random/os_source.h"
#include "muster/random/samplers.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/ports/clock.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"
#include "muster/wire/hex.h"
#include "muster/wire/issuance.h"
#include "muster/wire/key_directory.h"
#include "muster/wire/payload.h"
#include "muster/wire/upload.h"

namespace {

using namespace muster;
using service::TaskDocument;
using wire::Buffer;

constexpr unsigned kThreads = 32;
constexpr std::size_t kMaxBlob = std::size_t{1} << 20;

std::int64_t now() { return service::system_clock().steady_ms(); }

wire::SigningKey key_of(std::uint64_t device) {
  const wire::Hash seed = wire::hash_of({wire::FieldWriter(8).integer(device).take()});
  return wire::SigningKey::from_seed(wire::SecretBytes<wire::SigningKey::kSeed>(seed));
}

void print_keys(std::uint64_t count) {
  for (std::uint64_t device = 0; device < count; ++device) {
    fmt::print("{}\n", wire::hex_of(key_of(device).identity()));
  }
}

struct Load {
  TaskDocument task;
  std::string shuffler, issuer;
  std::uint64_t devices;
};

// The round and the key directory that all threads use, and what became of their uploads.
class Shared {
 public:
  struct Round {
    wire::Descriptor descriptor;
    std::int64_t begins, ends;  // milliseconds of the steady clock
  };
  struct Seen {
    std::vector<float> waits;  // milliseconds until an upload was acknowledged
    std::uint64_t refused = 0, unanswered = 0, without_token = 0;
  };

  std::shared_ptr<const Round> round() const { return round_.load(); }
  std::shared_ptr<const wire::KeyDirectory> directory() const { return directory_.load(); }
  bool is_over() const { return is_over_; }

  void set(std::shared_ptr<const Round> round) { round_ = std::move(round); }
  void set(std::shared_ptr<const wire::KeyDirectory> directory) { directory_ = std::move(directory); }
  void end() { is_over_ = true; }

  template <typename Note>
  void note(const Note& note) {
    const std::lock_guard lock(mutex_);
    note(seen_);
  }
  Seen take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  std::atomic<std::shared_ptr<const Round>> round_;
  std::atomic<std::shared_ptr<const wire::KeyDirectory>> directory_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  Seen seen_;
};

// The devices of one thread, each with the tokens of coming rounds.
class Crowd {
 public:
  Crowd(const Load& load, Shared& shared, unsigned thread)
      : load_(load),
        shared_(shared),
        shuffler_(load.shuffler, "", kMaxBlob),
        issuer_(load.issuer, ""),
        randomizer_(service::randomizer_of(load.task)),
        scratch_(randomizer_->make_scratch()),
        format_(*randomizer_),
        rate_(random::Probability::at_most(load.task.plan().rate())) {
    for (std::uint64_t device = thread; device < load.devices; device += kThreads) {
      devices_.push_back({device, 1 + device % kStagger, 0, {}});
    }
  }

  void run() {
    while (!shared_.is_over()) {
      const auto directory = shared_.directory();
      for (Device& device : devices_) {
        if (directory && device.asked == 0) fetch(device, *directory);
        if (const auto round = shared_.round(); round && round->descriptor.round > last_) send_all(*round);
      }
      if (const auto round = shared_.round(); round && round->descriptor.round > last_) send_all(*round);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  // A device asks for the tokens of all rounds listed, in one block. The first blocks of devices differ in
  // length, so that their later requests are spread over the rounds.
  static constexpr std::uint64_t kStagger = 8;
  struct Held {
    std::uint64_t round;
    wire::Token token;
  };
  // The key is made when it is used: a process may have about 20,000 keys, each in locked pages of its own.
  struct Device {
    std::uint64_t number;
    std::uint64_t first_block, asked;  // asked: the last round for which the device has asked
    std::deque<Held> tokens;
  };

  // Sends the uploads evenly over the middle seven eighths of the time that is left of the round.
  void send_all(const Shared::Round& round) {
    last_ = round.descriptor.round;
    const std::int64_t left = round.ends - now(), begin = now() + left / 16;
    const auto count = static_cast<std::int64_t>(devices_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = begin + left * 7 / 8 * i / count;
      std::this_thread::sleep_for(std::chrono::milliseconds(std::max<std::int64_t>(0, at - now())));
      Device& device = devices_[static_cast<std::size_t>(i)];
      send(device, round.descriptor);
      const auto directory = shared_.directory();
      if (directory && device.tokens.empty()) fetch(device, *directory);
    }
  }

  void send(Device& device, const wire::Descriptor& descriptor) {
    while (!device.tokens.empty() && device.tokens.front().round < descriptor.round)
      device.tokens.pop_front();
    if (device.tokens.empty() || device.tokens.front().round != descriptor.round) {
      shared_.note([](Shared::Seen& seen) { ++seen.without_token; });
      return;
    }
    const wire::RoundKeys keys{descriptor.round, wire::descriptor_hash(descriptor), descriptor.shuffler,
                               descriptor.aggregator};
    const wire::Token token = device.tokens.front().token;
    device.tokens.pop_front();
    const Buffer upload = random::bernoulli(bits_, rate_)
                              ? wire::seal_report(keys, token, zero_report(descriptor.round))
                              : wire::seal_dummy(keys, token, {format_.size()});
    const auto began = std::chrono::steady_clock::now();
    try {
      const service::Answer answer = shuffler_.upload(upload);
      const std::chrono::duration<float, std::milli> wait = std::chrono::steady_clock::now() - began;
      shared_.note([&](Shared::Seen& seen) {
        if (answer == service::Answer::stored) {
          seen.waits.push_back(wait.count());
        } else {
          ++seen.refused;
        }
      });
    } catch (const service::Unreachable&) {
      shared_.note([](Shared::Seen& seen) { ++seen.unanswered; });
    }
  }

  Buffer zero_report(std::uint64_t round) {
    return wire::randomized_payload(*randomizer_, *scratch_, format_,
                                    std::vector<float>(randomizer_->dimension()), random::RunKey::fresh(),
                                    round, 0);
  }

  void fetch(Device& device, const wire::KeyDirectory& directory) {
    const wire::SigningKey key = key_of(device.number);
    wire::TokenBlock block{load_.task.name(), key.identity(), {}};
    std::vector<wire::PendingToken> pending;
    std::vector<wire::RsaPublicKey> keys;
    for (const wire::KeyDirectory::Entry& entry : directory.entries) {
      if (entry.round <= std::max(device.asked, last_)) continue;
      if (device.asked == 0 && block.entries.size() == device.first_block) break;
      keys.push_back(wire::RsaPublicKey::of_modulus(entry.modulus).value());
      pending.push_back(
          wire::begin_token(keys.back(), wire::round_challenge_digest(load_.task.name(), entry.round)));
      block.entries.push_back({entry.round, pending.back().request});
    }
    if (pending.empty()) return;
    try {
      const auto answer = issuer_.tokens(wire::sign_token_block(block, key));
      if (answer.answer != service::Answer::stored) return;
      for (std::size_t i = 0; i < pending.size(); ++i) {
        const auto response =
            wire::Bytes(answer.responses).subspan(i * wire::kTokenResponse, wire::kTokenResponse);
        const auto token = wire::finish_token(keys[i], pending[i], response);
        if (token) device.tokens.push_back({block.entries[i].round, *token});
      }
      device.asked = block.entries.back().round;
    } catch (const service::Unreachable&) {
    }
  }

  const Load& load_;
  Shared& shared_;
  service::RemoteShufflerForDevices shuffler_;
  service::RemoteIssuer issuer_;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  std::unique_ptr<randomizers::Scratch> scratch_;
  wire::PayloadFormat format_;
  random::Probability rate_;
  random::OsSource bits_;
  std::vector<Device> devices_;
  std::uint64_t last_ = 0;  // the last round for which uploads were sent
};

void print_round(std::uint64_t round, Shared::Seen seen) {
  std::ranges::sort(seen.waits);
  const auto quantile = [&](double part) {
    if (seen.waits.empty()) return 0.0F;
    return seen.waits[static_cast<std::size_t>(part * static_cast<double>(seen.waits.size() - 1))];
  };
  fmt::print(
      "{{\"round\":{},\"acknowledged\":{},\"refused\":{},\"unanswered\":{},\"without_token\":{},"
      "\"median_ms\":{:.2f},\"p99_ms\":{:.2f},\"max_ms\":{:.2f}}}\n",
      round, seen.waits.size(), seen.refused, seen.unanswered, seen.without_token, quantile(0.5),
      quantile(0.99), quantile(1));
  std::fflush(stdout);
}

// Follows the rounds and the key directory for all threads, until the task is over.
void follow(const Load& load, Shared& shared) {
  const service::TaskSettings& settings = load.task.settings();
  service::RemoteShufflerForDevices shuffler(load.shuffler, "", kMaxBlob);
  service::RemoteIssuer issuer(load.issuer, "");
  std::uint64_t current = 0;
  while (true) {
    try {
      if (auto listed = wire::read_key_directory(issuer.keys(), settings.issuer)) {
        shared.set(std::make_shared<const wire::KeyDirectory>(*std::move(listed)));
      }
      const auto round = shuffler.round();
      if (round && !round->over.empty()) break;
      const auto descriptor =
          round ? wire::read_descriptor(round->descriptor, settings.aggregator, settings.shuffler)
                : std::nullopt;
      if (descriptor && descriptor->round != current) {
        if (current > 0) print_round(current, shared.take());
        current = descriptor->round;
        shared.set(std::make_shared<const Shared::Round>(
            Shared::Round{*descriptor, now(), now() + static_cast<std::int64_t>(round->remaining_ms)}));
      }
    } catch (const service::Unreachable&) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  shared.end();
  print_round(current, shared.take());
}

int take_part(const Load& load) {
  Shared shared;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] { Crowd(load, shared, thread).run(); });
  }
  follow(load, shared);
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "keys") {
    print_keys(std::stoull(words[1]));
    return 0;
  }
  if (words.size() != 5 || words[0] != "run") {
    fmt::print(stderr, "usage: steady_load keys COUNT | steady_load run TASK SHUFFLER ISSUER COUNT\n");
    return 2;
  }
  std::ifstream file(words[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return take_part({TaskDocument::parse(text, words[1]), words[2], words[3], std::stoull(words[4])});
}

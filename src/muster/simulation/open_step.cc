#include "muster/simulation/open_step.h"

#include <algorithm>

#include "muster/protocols/shuffle.h"

namespace muster::simulation {
namespace {

// Coins are divided among workers only if each worker gets at least this number of coins, which it tosses in
// 0.1 to 0.2 ms.
constexpr std::uint64_t kCoinsOfOne = std::uint64_t{1} << 19;

// The counters that the all-reduce of a step adds up besides the sum of the messages.
enum Counted : std::size_t { kMessages, kNeutral, kAbandoned, kCounted };

}  // namespace

OpenStep::OpenStep(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
                   protocols::RollCall& roll_call, std::uint64_t clients, const random::RunKey& key,
                   WorkerTeam& team, Ranks& ranks, const Interrupt& interrupt, BadVector bad)
    : randomizer_(randomizer),
      sum_(sum),
      roll_call_(roll_call),
      clients_(clients),
      key_(key),
      team_(team),
      ranks_(ranks),
      interrupt_(interrupt),
      all_reduce_((sum != nullptr ? sum->make_sum() : randomizer.make_sum()).size() + kCounted),
      called_(team.size()) {
  roll_call_.stop_when(interrupt_);
  for (unsigned worker = 0; worker < team.size(); ++worker) {
    makers_.push_back(std::make_unique<MessageMaker>(randomizer, sum, key, bad));
  }
}

void OpenStep::open(std::uint64_t first_round) {
  first_round_ = first_round;
  interrupt_.check();
  call_roll();
  protocols::secret_shuffle(std::span(order_), first_round, interrupt_);
}

void OpenStep::call_roll() {
  const std::uint64_t rank = ranks_.index(), ranks = ranks_.count(), workers = team_.size();
  order_.clear();
  if (workers == 1 || !roll_call_.shareable() || clients_ / ranks < kCoinsOfOne * workers) {
    roll_call_.append_senders(first_round_, {rank, ranks}, order_);
    return;
  }
  team_.run([&](unsigned worker) {
    called_[worker].clear();
    roll_call_.append_senders(first_round_, {rank * workers + worker, ranks * workers}, called_[worker]);
  });
  for (const std::vector<protocols::Sender>& called : called_) {
    order_.insert(order_.end(), called.begin(), called.end());
  }
}

Step OpenStep::close(bool abandoned, const std::exception_ptr& failure, std::span<float> estimate) {
  std::uint64_t neutral = 0;
  protocols::Aggregator& total = sum_of_all(neutral);
  const Step step = reduce_over_ranks(total, neutral, abandoned, failure);
  if (step.decoded && sum_ != nullptr) {
    randomizer_.mean(sum_->draw(total.sum(), key_, first_round_), estimate);
  } else if (step.decoded) {
    total.mean(estimate);
  } else {
    for (const auto& maker : makers_) maker->aggregator().next_round();
    std::ranges::fill(all_reduce_.numbers(), 0);
    std::ranges::fill(estimate, 0.0f);
  }
  return step;
}

protocols::Aggregator& OpenStep::sum_of_all(std::uint64_t& neutral) {
  protocols::Aggregator& total = makers_.front()->aggregator();
  makers_.front()->begin();  // so that its sum is empty if it took in nothing in this step
  for (const auto& maker : makers_) {
    if (!maker->end()) continue;
    neutral += maker->neutral();
    if (maker != makers_.front()) total.merge(maker->aggregator());
  }
  return total;
}

Step OpenStep::reduce_over_ranks(protocols::Aggregator& total, std::uint64_t neutral, bool abandoned,
                                 const std::exception_ptr& failure) {
  const std::span<std::int64_t> numbers = all_reduce_.numbers();
  const std::span<std::int64_t> sums = total.sum().sums();
  const std::span<std::int64_t> all_sums = numbers.first(sums.size()), counted = numbers.last(kCounted);
  if (ranks_.count() > 1) std::ranges::copy(sums, all_sums.begin());
  counted[kMessages] = static_cast<std::int64_t>(total.count());
  counted[kNeutral] = static_cast<std::int64_t>(neutral);
  counted[kAbandoned] = abandoned ? 1 : 0;
  all_reduce_.hold(ranks_, failure);
  if (ranks_.count() > 1) std::ranges::copy(all_sums, sums.begin());
  const auto messages = static_cast<std::uint64_t>(counted[kMessages]);
  total.sum().set_count(messages);
  return {messages, static_cast<std::uint64_t>(counted[kNeutral]),
          counted[kAbandoned] == 0 && messages > 0 && messages >= roll_call_.minimum(),
          counted[kAbandoned] > 0};
}

}  // namespace muster::simulation

#include "muster/simulation/open_rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "muster/core/error.h"
#include "muster/simulation/sender_turns.h"

namespace muster::simulation {
namespace {

[[noreturn]] void refuse(std::string client, std::string allowed, const std::string& text) {
  throw Error::in_words(ErrorCode::usage, Reason::contradiction, "client", std::move(client),
                        std::move(allowed), text);
}

}  // namespace

OpenRounds::OpenRounds(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
                       protocols::RollCall& roll_call, std::uint64_t clients, const random::RunKey& key,
                       WorkerTeam& team, BadVector bad, const Interrupt& interrupt)
    : dimension_(randomizer.dimension()),
      only_sums_(sum != nullptr),
      team_(team),
      interrupt_(interrupt),
      ranks_(alone()),
      step_(randomizer, sum, roll_call, clients, key, team, *ranks_, interrupt, bad) {}

std::span<const std::uint64_t> OpenRounds::open(std::uint64_t first_round) {
  abandon();
  clients_.clear();
  rounds_.clear();
  dummies_.clear();
  sent_ = 0;
  open_ = true;
  try {
    step_.open(first_round);
  } catch (...) {
    abandon();
    throw;
  }
  for (const protocols::Sender& sender : step_.senders()) {
    if (sender.dummy) {
      dummies_.push_back(sender);
      continue;
    }
    clients_.push_back(sender.client);
    rounds_.push_back(sender.round);
  }
  return clients_;
}

void OpenRounds::expect_next(std::span<const std::uint64_t> clients) const {
  if (!open_) refuse("", "", "no round is open, so nobody can send");
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::size_t place = sent_ + i;
    if (place < clients_.size() && clients[i] == clients_[place]) continue;
    const std::string client = fmt::format("{}", clients[i]);
    if (place >= clients_.size()) {
      refuse(client, "",
             fmt::format("client {} cannot send: all {} senders of the round have sent", client,
                         clients_.size()));
    }
    const auto found = std::ranges::find(clients_, clients[i]);
    const char* why = found == clients_.end() ? "does not send in this round"
                      : found < clients_.begin() + static_cast<std::ptrdiff_t>(place)
                          ? "has sent in this round"
                          : "is not the next in the order of this round";
    refuse(client, fmt::format("{}", clients_[place]),
           fmt::format("client {} {}; the next to send is client {}", client, why, clients_[place]));
  }
}

template <typename Make>
void OpenRounds::make_all(std::size_t senders, const Make& make) {
  try {
    handle_in_turns(
        team_, senders, interrupt_, [&](unsigned worker) { step_.maker(worker).begin(); },
        [&](unsigned worker, std::size_t first, std::size_t last) {
          MessageMaker& maker = step_.maker(worker);
          for (std::size_t i = first; i < last; ++i) make(maker, i);
          maker.flush();
        });
  } catch (...) {
    abandon();
    throw;
  }
}

void OpenRounds::send(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride) {
  expect_next(clients);
  make_all(clients.size(), [&](MessageMaker& maker, std::size_t i) {
    maker.make({clients[i], rounds_[sent_ + i], false}, {rows + i * stride, dimension_});
  });
  sent_ += clients.size();
}

void OpenRounds::send_decoded(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride,
                              float* decoded) {
  expect_next(clients);
  if (only_sums_) {
    throw Error::in_words(ErrorCode::usage, Reason::contradiction, "fidelity", "sum", "message",
                          "with fidelity = sum, no message is made that could be decoded; allowed: message");
  }
  make_all(clients.size(), [&](MessageMaker& maker, std::size_t i) {
    maker.make_decoded({clients[i], rounds_[sent_ + i], false}, {rows + i * stride, dimension_},
                       {decoded + i * dimension_, dimension_});
  });
  sent_ += clients.size();
}

Step OpenRounds::close(std::span<float> estimate) {
  if (!open_) refuse("", "", "no round is open, so there is no mean");
  if (sent_ < clients_.size()) {
    const std::size_t left = clients_.size() - sent_;
    refuse(fmt::format("{}", clients_[sent_]), "",
           fmt::format("client {}{} not sent, so the round has no mean", clients_[sent_],
                       left == 1 ? " has" : fmt::format(" and {} more have", left - 1)));
  }
  make_all(dummies_.size(), [&](MessageMaker& maker, std::size_t i) { maker.make_dummy(dummies_[i]); });
  open_ = false;
  return step_.close(false, nullptr, estimate);
}

void OpenRounds::abandon() {
  if (!open_) return;
  open_ = false;
  step_.close(true, nullptr, {});
}

}  // namespace muster::simulation

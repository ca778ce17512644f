#include "muster/service/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/overloaded.h"

namespace muster::service {

Ledger::Ledger(Store& store, std::string origin) : store_(store), origin_(std::move(origin)) {
  for (const wire::Buffer& row : store_.rows()) {
    const std::uint64_t number = entries_.size();
    const auto read = read_row(row, head_, number);
    const auto refuse = [&](const char* why) {
      throw Error(ErrorCode::file, origin_, "", "", fmt::format(", entry {}: {}", number, why));
    };
    if (!read) refuse("was changed, or does not follow the entry before it");
    if (const char* why = misplaced(read->entry)) refuse(why);
    take(read->entry, read->hash);
  }
}

bool Ledger::has_had(const wire::Hash& head) const {
  return head == wire::Hash{} || std::ranges::find(hashes_, head) != hashes_.end();
}

void Ledger::append(const Entry& entry, Store::Commit beside) {
  if (const char* why = misplaced(entry)) {
    throw Error(ErrorCode::internal, origin_, name_of(entry), "", fmt::format("refuses an entry: {}", why));
  }
  const std::uint64_t number = entries_.size();
  beside.append.push_back(row_of(entry, head_, number));
  store_.commit(beside);
  take(entry, read_row(beside.append.back(), head_, number).value().hash);
}

const char* Ledger::misplaced(const Entry& entry) const {
  if (ended_) return "follows the end of the task";
  if (entries_.empty() != std::holds_alternative<TaskEntry>(entry)) {
    return entries_.empty() ? "is first, but no task" : "is a second task";
  }
  const auto outcome = [&](std::uint64_t round, double epsilon) -> const char* {
    if (!open_) return "is the outcome of a round that is not open";
    if (open_->round != round) return "is the outcome of another round than the open one";
    return epsilon < epsilon_ ? "states a smaller epsilon than an entry before it" : nullptr;
  };
  return std::visit(
      Overloaded{
          [](const TaskEntry&) -> const char* { return nullptr; },
          [&](const OpenEntry& e) -> const char* {
            if (open_) return "opens a round while another one is open";
            if (e.round != counts_.opened + 1) return "opens a round that is not the next one";
            return e.update == counts_.released ? nullptr : "counts other updates than were released";
          },
          [&](const ReleaseEntry& e) { return outcome(e.round, e.epsilon); },
          [&](const SpentEntry& e) { return outcome(e.round, e.epsilon); },
          [&](const VoidEntry& e) { return outcome(e.round, epsilon_); },
          [&](const EndEntry& e) -> const char* {
            if (open_) return "ends the task while a round is open";
            return e.epsilon == epsilon_ ? nullptr : "states another epsilon than the last round";
          },
      },
      entry);
}

void Ledger::take(const Entry& entry, const wire::Hash& hash) {
  std::visit(Overloaded{
                 [](const TaskEntry&) {},
                 [&](const OpenEntry& e) {
                   open_ = e;
                   ++counts_.opened;
                 },
                 [&](const ReleaseEntry& e) {
                   open_.reset();
                   ++counts_.released;
                   epsilon_ = e.epsilon;
                 },
                 [&](const SpentEntry& e) {
                   open_.reset();
                   ++counts_.spent;
                   epsilon_ = e.epsilon;
                 },
                 [&](const VoidEntry&) {
                   open_.reset();
                   ++counts_.voided;
                 },
                 [&](const EndEntry&) { ended_ = true; },
             },
             entry);
  entries_.push_back(entry);
  hashes_.push_back(hash);
  head_ = hash;
}

}  // namespace muster::service

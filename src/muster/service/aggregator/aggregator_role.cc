// The life of a task: how it begins, what comes next, what the shuffler has seen, and how it ends. The rounds
// are in aggregator_rounds.cc.
#include "muster/service/aggregator/aggregator_role.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "muster/core/error.h"
#include "muster/service/ledger/same_cost.h"
#include "muster/service/task/planned_rounds.h"
#include "muster/wire/hex.h"
#include "muster/wire/round_notice.h"

namespace muster::service {

AggregatorRole::AggregatorRole(const TaskDocument& task, const wire::SigningKey& identity, Store& store,
                               ShufflerForAggregator& shuffler, Learner& learner,
                               std::function<double(std::uint64_t)> epsilon, AggregatorOptions options)
    : task_(task),
      identity_(identity),
      store_(store),
      shuffler_(shuffler),
      learner_(learner),
      epsilon_(std::move(epsilon)),
      options_(std::move(options)),
      ledger_(store, options_.origin),
      planned_(service::planned_rounds(task.plan(), epsilon_)),
      rejected_(read_counts(store)),
      history_(task) {
  history_.look(ledger_);
  if (identity_.identity() != task_.settings().aggregator) {
    throw Error(ErrorCode::plan, Reason::contradiction, "task.aggregator",
                wire::hex_of(task_.settings().aggregator), wire::hex_of(identity_.identity()),
                "is not the identity of this aggregator");
  }
  TaskEntry reserved{task_.name(), planned_epsilon(task_.plan(), planned_, epsilon_),
                     task_.plan().delta().value()};
  if (!ledger_.entries().empty()) reserved = own_reservation(reserved);
  if (options_.population != nullptr) {
    reserved.epsilon =
        options_.population->reserve(reserved.task, {reserved.epsilon, reserved.delta}).epsilon;
    options_.population = nullptr;
  }
  if (ledger_.entries().empty()) {
    ledger_.append(reserved, {.append = {}, .put = {{"model", encode(learner_.model())}}, .remove = {}});
  }
  const auto blob = store_.blob("model");
  auto model = blob ? decode_learned(*blob, learner_.dimension()) : std::nullopt;
  if (!model) {
    throw Error(ErrorCode::file, "model", "", "", "is damaged or missing in the aggregator's store");
  }
  if (model->state.updates > ledger_.counts().released) {
    throw Error(ErrorCode::file, options_.origin,
                fmt::format("{} rounds released", ledger_.counts().released),
                fmt::format("{} or more, as the model has had so many updates", model->state.updates),
                "lacks entries at its end");
  }
  learner_.adopt(*std::move(model));
}

const TaskEntry& AggregatorRole::own_reservation(const TaskEntry& reserved) const {
  const auto& first = std::get<TaskEntry>(ledger_.entries().front());
  if (first.task != reserved.task) {
    throw Error(ErrorCode::file, options_.origin, wire::hex_of(first.task), wire::hex_of(reserved.task),
                "is that of another task");
  }
  if (!same_cost(first.epsilon, reserved.epsilon) || first.delta != reserved.delta) {
    throw Error(ErrorCode::file, options_.origin, fmt::format("epsilon {}", first.epsilon),
                fmt::format("epsilon {}", reserved.epsilon),
                "was begun by a version that computes another cost of the planned rounds");
  }
  return first;
}

Progress AggregatorRole::progress(Progress::State state, std::string reason) const {
  const auto& open = ledger_.open_round();
  const std::uint64_t opened = ledger_.counts().opened;
  Progress progress{state, open || ledger_.ended() ? opened : opened + 1, std::move(reason), std::nullopt};
  if (const auto& alarm = history_.check_ins().alarm()) progress.alarm = alarm->reason;
  return progress;
}

Progress::State AggregatorRole::state_now() const {
  if (ledger_.ended()) return Progress::State::ended;
  if (!ledger_.open_round()) return Progress::State::waiting;
  return store_.blob("manifest") ? Progress::State::closing : Progress::State::open;
}

Progress AggregatorRole::step() {
  try {
    return act();
  } catch (const Unreachable& error) {
    return progress(state_now(), fmt::format("the shuffler cannot be reached: {}", error.what()));
  }
}

Progress AggregatorRole::act() {
  send_receipt();
  // An operator's wish to stop has to wait for the shuffler's word that the ledger lacks nothing: an older
  // copy of it would end with fewer rounds charged than were released.
  const auto why = end_reason();
  if (why && (ledger_.ended() || *why != EndEntry::Why::stopped)) return end(*why);
  const auto offer = fetch_offer();
  if (!offer) return progress(state_now(), "the shuffler's offer is not one that it signed for this task");
  if (!is_known(*offer)) charge_lost_rounds(*offer);
  if (const auto now = end_reason()) return end(*now);
  return ledger_.open_round() ? go_on(*offer) : open_next(*offer);
}

void AggregatorRole::stop() {
  if (!ledger_.ended()) store_.commit({.append = {}, .put = {{"stop", {1}}}, .remove = {}});
}

// A receipt that the shuffler refuses is sent again before the next step, and until then does not keep the
// next round from being opened: the ledger, which the shuffler gets with that round, says the same.
void AggregatorRole::send_receipt() {
  const auto receipt = store_.blob("receipt");
  if (receipt && shuffler_.receipt(*receipt)) {
    store_.commit({.append = {}, .put = {}, .remove = {"receipt"}});
  }
}

// Why the task is over, before or after the ledger says so; nullopt if it goes on.
std::optional<EndEntry::Why> AggregatorRole::end_reason() {
  using Why = EndEntry::Why;
  if (ledger_.ended()) return std::get<EndEntry>(ledger_.entries().back()).why;
  if (ledger_.open_round()) return std::nullopt;
  const Ledger::Counts& counts = ledger_.counts();
  if (learner_.model().diverged) return Why::diverged;
  if (counts.charged() >= planned_) return planned_ == task_.plan().rounds() ? Why::done : Why::budget;
  if (counts.opened >= task_.settings().most_rounds) return Why::rounds;
  if (store_.blob("stop")) return Why::stopped;
  return std::nullopt;
}

Progress AggregatorRole::end(EndEntry::Why why) {
  if (!ledger_.ended()) ledger_.append(EndEntry{why, ledger_.epsilon()});
  send_end();
  return progress(Progress::State::ended, sentence_of(why));
}

// After every start the shuffler is told once more, because it may not have been reached before, or may have
// been restored since. Until it knows, devices go on asking for a round.
void AggregatorRole::send_end() {
  if (has_told_end_) return;
  try {
    has_told_end_ = shuffler_.end(wire::sign_task_over({task_.name(), ledger_.counts().opened}, identity_));
  } catch (const Unreachable&) {
    // The task is over all the same.
  }
}

std::optional<wire::Offer> AggregatorRole::fetch_offer() {
  auto offer = wire::read_offer(shuffler_.offer(), task_.settings().shuffler);
  if (offer && offer->task != task_.name()) offer.reset();
  return offer;
}

bool AggregatorRole::is_known(const wire::Offer& offer) const {
  if (offer.opened > ledger_.counts().opened || offer.entries > ledger_.hashes().size()) return false;
  return offer.head == (offer.entries == 0 ? wire::Hash{} : ledger_.hashes()[offer.entries - 1]);
}

void AggregatorRole::charge_lost_rounds(const wire::Offer& offer) {
  const wire::Hash given_up = lost_name(offer);
  if (read_lost(store_) != given_up) {
    if (!options_.charge_lost_rounds) refuse_lost_rounds(offer);
    store_.commit({.append = {}, .put = {{"lost", {given_up.begin(), given_up.end()}}}, .remove = {}});
  }
  if (ledger_.open_round() && ledger_.open_round()->round <= offer.opened) charge_as_lost();
  while (!ledger_.open_round() && ledger_.counts().opened < offer.opened &&
         ledger_.counts().charged() < planned_) {
    ledger_.append(OpenEntry{.round = ledger_.counts().opened + 1, .update = ledger_.counts().released});
    charge_as_lost();
  }
}

// Without the issuer, the shuffler neither destroys a round nor hands it out, and an issuer whose store is
// lost never comes back. The round is charged, because nobody says that nothing of it was handed out.
bool AggregatorRole::is_given_up(const wire::Offer& offer) const {
  const bool lacks_issuer = offer.waits == wire::Waits::issuer || offer.waits == wire::Waits::directory;
  return lacks_issuer && options_.charge_lost_rounds && store_.blob("stop").has_value();
}

void AggregatorRole::refuse_lost_rounds(const wire::Offer& offer) const {
  if (offer.entries == 0) {
    // Without its place in the ledger the shuffler knows only how many rounds there were.
    const Ledger::Counts& counts = ledger_.counts();
    const std::uint64_t outcomes = counts.opened - (ledger_.open_round() ? 1 : 0);
    throw Error(ErrorCode::file, options_.origin, fmt::format("{} rounds", outcomes),
                fmt::format("{} rounds", offer.opened),
                "lacks the outcome of rounds that the shuffler has opened and knows no more: was a folder "
                "restored from an older copy? --charge-lost-rounds goes on with these rounds charged");
  }
  throw Error(ErrorCode::file, options_.origin, wire::hex_of(ledger_.head()), wire::hex_of(offer.head),
              "is not the one that the shuffler saw last: was it restored from an older copy? "
              "--charge-lost-rounds goes on with the rounds charged that it may lack");
}

void AggregatorRole::charge_as_lost() {
  conclude(
      SpentEntry{
          ledger_.open_round()->round, epsilon_(ledger_.counts().charged() + 1), SpentEntry::Why::lost, {}},
      std::nullopt, {});
}

}  // namespace muster::service

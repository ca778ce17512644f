#include "muster/service/client/device.h"

#include <sodium.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/model/model_blob.h"
#include "muster/wire/round_notice.h"

namespace muster::service {
namespace {

// A device stays out of a round of which a tenth of the length or less is left. It keeps a tenth of what is
// left free before its send time, and another one after it.
constexpr std::int64_t kLastPart = 10;
// A round is asked for about this often within its length, and at least every ten minutes.
constexpr std::int64_t kPolls = 10;
constexpr std::int64_t kLongestPoll = 600'000;
// Once its upload is acknowledged, a device waits for the end of the round, which it knows. It still asks
// about this often within a round's length, because a round may end before its time.
constexpr std::int64_t kWatches = 2;
// The upload is made before its send time, so that the time that this takes does not show: a second before
// it, or a two-hundredth of the round's length if that is less.
constexpr std::int64_t kLongestLead = 1000, kLeadPart = 200;
// The pause before another try, after "busy" or while the shuffler does not have a blob yet.
constexpr std::int64_t kRetryPart = 50, kLongestRetry = 30'000;
// An upload that is refused this often will not be taken. A single refusal may come from what is in front of
// the shuffler.
constexpr unsigned kMostRefusals = 3;

std::int64_t poll_interval_of(std::int64_t round_ms) { return std::min(round_ms / kPolls, kLongestPoll); }
std::int64_t retry_of(std::int64_t round_ms) { return std::min(round_ms / kRetryPart, kLongestRetry); }

}  // namespace

Device::Device(const DeviceParts& parts, const Policy& policy, const EpsilonOfRounds& epsilon)
    : Device(parts, (check_policy(parts.task, policy, epsilon),
                     load_state(parts.store, parts.task, parts.key.identity(),
                                UploadMaker(parts.task).sizes().upload()))) {}

Device::Device(const DeviceParts& parts, DeviceState loaded)
    : parts_(parts),
      round_ms_(static_cast<std::int64_t>(parts.task.settings().seconds) * 1000),
      uploads_(parts.task),
      ledger_(loaded.ledger),
      coin_(loaded.coin),
      upload_(std::move(loaded.upload)),
      wallet_(parts.task, parts.key, parts.store, parts.issuer, parts.draws, ledger_, std::move(loaded),
              parts.clock.steady_ms()),
      backoff_(std::max<std::int64_t>(2, retry_of(round_ms_) / 2), retry_of(round_ms_) * 4),
      poll_at_(parts.clock.steady_ms()) {}

Device::~Device() { sodium_memzero(upload_.data(), upload_.size()); }

Device::Counts Device::counts() const {
  Counts counts = counts_;
  counts.faults += wallet_.faults();
  counts.tokens_refused = wallet_.refused();
  counts.without_shuffler = backoff_.failures();
  counts.without_issuer = wallet_.backoff().failures();
  return counts;
}

std::int64_t Device::lead() const { return std::min(round_ms_ / kLeadPart, kLongestLead); }

std::int64_t Device::below(std::int64_t bound) {
  return static_cast<std::int64_t>(parts_.draws.below(static_cast<std::uint64_t>(bound)));
}

// The time until the next request, drawn between half of `mean` and one and a half times that.
std::int64_t Device::around(std::int64_t mean) { return mean / 2 + below(mean); }

std::int64_t Device::step() {
  if (is_over_) return std::numeric_limits<std::int64_t>::max();
  wallet_.step(parts_.clock.steady_ms());
  const std::int64_t now = parts_.clock.steady_ms();
  if (active_ && now >= active_->end) finish();
  if (active_) {
    work(now);
  } else if (now >= poll_at_) {
    poll(now);
  }
  return std::min(wallet_.due(), due());
}

std::int64_t Device::due() const {
  if (!active_) return poll_at_;
  std::int64_t due = active_->next;
  if (upload_.empty()) {
    const std::int64_t prepare = active_->send_at - lead();
    due = active_->computing ? prepare : std::min(prepare, due);
  }
  return std::min(due, active_->end);
}

std::optional<Device::ServedRound> Device::hear() {
  const std::optional<ShufflerForDevices::Round> round = parts_.shuffler.round();
  if (!round) return ServedRound{};
  if (!round->over.empty()) return hear_of_the_end(round->over);
  if (!(valid_ && valid_->first == round->descriptor)) {
    const TaskSettings& settings = parts_.task.settings();
    auto descriptor = wire::read_descriptor(round->descriptor, settings.aggregator, settings.shuffler);
    if (!descriptor || descriptor->task != parts_.task.name()) {
      ++counts_.faults;
      return std::nullopt;
    }
    valid_.emplace(round->descriptor, *descriptor);
  }
  return ServedRound{valid_->second, std::clamp<std::int64_t>(round->remaining_ms, 0, round_ms_)};
}

std::optional<Device::ServedRound> Device::hear_of_the_end(wire::Bytes signed_over) {
  const auto notice = wire::read_task_over(signed_over, parts_.task.settings().aggregator);
  if (!notice || notice->task != parts_.task.name()) {
    ++counts_.faults;
    return std::nullopt;
  }
  is_over_ = true;
  return ServedRound{};
}

void Device::poll(std::int64_t now) {
  std::optional<ServedRound> heard;
  try {
    heard = hear();
    backoff_.succeeded();
    poll_at_ = now + around(poll_interval_of(round_ms_));
  } catch (const Unreachable& error) {
    poll_at_ = now + backoff_.next(parts_.draws, error.what());
  }
  if (!heard) return;
  if (coin_) {
    if (heard->descriptor && wire::descriptor_hash(*heard->descriptor) == coin_->descriptor) {
      begin(*heard->descriptor, heard->remaining, now);
      return;
    }
    finish();
    poll_at_ = now + around(poll_interval_of(round_ms_));
  }
  if (!heard->descriptor || !takes_part(*heard->descriptor, heard->remaining)) return;
  toss(*heard->descriptor, heard->remaining);
  begin(*heard->descriptor, heard->remaining, now);
}

// A key for which nothing can be sealed must be found before the coin is tossed: after the coin, the device
// could not answer.
bool Device::takes_part(const wire::Descriptor& descriptor, std::int64_t remaining) const {
  return descriptor.round > ledger_.seen && descriptor.round <= parts_.task.settings().most_rounds &&
         remaining * kLastPart > round_ms_ && wallet_.token(descriptor.round, descriptor.token_key) &&
         wire::is_usable(descriptor.shuffler) && wire::is_usable(descriptor.aggregator);
}

// The send time is uniform over the middle of what is left of the round: before it there is time to
// download and to compute, and after it to try again.
void Device::toss(const wire::Descriptor& descriptor, std::int64_t remaining) {
  const std::int64_t edge = remaining / kLastPart;
  RoundCoin coin;
  coin.round = descriptor.round;
  coin.descriptor = wire::descriptor_hash(descriptor);
  coin.kind = parts_.draws.coin(descriptor.round) ? wire::UploadKind::report : wire::UploadKind::dummy;
  coin.send = static_cast<std::uint64_t>(edge + below(remaining - 2 * edge + 1));
  ledger_.seen = descriptor.round;
  ++ledger_.offered;
  parts_.store.commit({.append = {},
                       .put = {{kDeviceBlob, encode_device(parts_.task, parts_.key.identity(), ledger_)},
                               {kCoinBlob, encode_coin(coin)}},
                       .remove = {},
                       .may_leave_traces = true});  // the old counts are no secret
  coin_ = coin;
}

void Device::begin(const wire::Descriptor& descriptor, std::int64_t remaining, std::int64_t now) {
  const std::int64_t end = now + remaining;
  const std::int64_t send_at =
      end - static_cast<std::int64_t>(std::min(coin_->send, static_cast<std::uint64_t>(round_ms_)));
  active_ = Active{descriptor, end, send_at, upload_.empty() ? now : std::max(now, send_at), std::nullopt};
}

void Device::work(std::int64_t now) {
  if (upload_.empty()) {
    if (now >= active_->send_at - lead()) {
      seal();
    } else if (!active_->computing && now >= active_->next) {
      download(now);
    }
    return;
  }
  if (now < active_->next) return;
  if (active_->acknowledged) {
    watch(now);
  } else {
    send(now);
  }
}

std::optional<wire::Buffer> Device::blob(const wire::Hash& hash) {
  std::optional<wire::Buffer> blob = parts_.shuffler.blob(hash);
  if (!blob || blob_hash(*blob) == hash) return blob;
  ++counts_.faults;
  return std::nullopt;
}

void Device::download(std::int64_t now) {
  const wire::Descriptor& descriptor = active_->descriptor;
  const bool has_frozen = descriptor.frozen != wire::Hash{};
  active_->next = now + retry_of(round_ms_);
  try {
    if (!active_->model) active_->model = blob(descriptor.model);
    if (!active_->model) return;
    if (has_frozen && descriptor.frozen != frozen_hash_) {
      std::optional<wire::Buffer> frozen = blob(descriptor.frozen);
      if (!frozen) return;
      frozen_ = std::move(*frozen);
      frozen_hash_ = descriptor.frozen;
    }
    backoff_.succeeded();
  } catch (const Unreachable& error) {
    active_->next = now + backoff_.next(parts_.draws, error.what());
    return;
  }
  active_->computing = true;
  try {
    parts_.computation.start(*active_->model, has_frozen ? wire::Bytes(frozen_) : wire::Bytes());
  } catch (const std::exception&) {
    // There will be no result then, and the zero vector takes its place.
  }
}

void Device::seal() {
  std::optional<std::vector<float>> vector;
  try {
    if (active_->computing) vector = parts_.computation.result();
  } catch (const std::exception&) {
    vector.reset();
  }
  const wire::Descriptor& descriptor = active_->descriptor;
  const auto token = wallet_.token(descriptor.round, descriptor.token_key);
  if (!token) throw Error(ErrorCode::file, kTokensBlob, "", "", "lacks the token of a round that has begun");
  upload_ = uploads_.make(coin_->kind,
                          {descriptor.round, coin_->descriptor, descriptor.shuffler, descriptor.aggregator},
                          *token, std::move(vector), parts_.draws);
  parts_.store.commit({.append = {}, .put = {{kUploadBlob, upload_}}, .remove = {}});
  active_->next = active_->send_at;
  parts_.computation.stop();
}

void Device::send(std::int64_t now) {
  active_->next = now + retry_of(round_ms_);
  try {
    switch (parts_.shuffler.upload(upload_)) {
      case Answer::stored:
        ++counts_.acknowledged;
        active_->acknowledged = true;
        active_->next = now + around(round_ms_ / kWatches);
        break;
      case Answer::busy:
        break;
      case Answer::over:
        ++counts_.late;
        finish();
        return;
      case Answer::refused:
        if (++active_->refusals < kMostRefusals) break;
        ++counts_.refused;
        finish();
        return;
    }
    backoff_.succeeded();
  } catch (const Unreachable& error) {
    active_->next = now + backoff_.next(parts_.draws, error.what());
  }
}

// The round may end before its time.
void Device::watch(std::int64_t now) {
  try {
    active_->next = now + around(round_ms_ / kWatches);
    const std::optional<ServedRound> heard = hear();
    backoff_.succeeded();
    if (!heard) return;
    if (heard->descriptor && wire::descriptor_hash(*heard->descriptor) == coin_->descriptor) return;
    finish();
  } catch (const Unreachable& error) {
    active_->next = now + backoff_.next(parts_.draws, error.what());
  }
}

void Device::finish() {
  Store::Commit changes;
  changes.remove = {kCoinBlob, kUploadBlob};
  wallet_.forget_until(coin_->round, changes);
  parts_.store.commit(changes);
  parts_.computation.stop();
  sodium_memzero(upload_.data(), upload_.size());
  upload_.clear();
  coin_.reset();
  active_.reset();
  // All devices that heard of the round finish it in the same moment, and must not ask all at once.
  poll_at_ = parts_.clock.steady_ms() + below(poll_interval_of(round_ms_));
}

}  // namespace muster::service

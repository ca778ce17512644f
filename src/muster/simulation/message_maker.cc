#include "muster/simulation/message_maker.h"

#include <fmt/format.h>

#include <utility>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"

namespace muster::simulation {

MessageMaker::MessageMaker(const randomizers::VectorRandomizer& randomizer,
                           const randomizers::SumSampler* sum, const random::RunKey& key, BadVector bad)
    : randomizer_(randomizer),
      sum_(sum),
      key_(key),
      bad_(bad),
      scratch_(randomizer.make_scratch()),
      aggregator_(randomizer, *scratch_, sum != nullptr ? sum->make_sum() : randomizer.make_sum()) {}

void MessageMaker::begin() {
  if (begun_) return;
  begun_ = true;
  if (!empty_) aggregator_.next_round();
  empty_ = false;
  waiting_ = 0;
  neutral_ = 0;
}

bool MessageMaker::end() { return std::exchange(begun_, false); }

void MessageMaker::make(const protocols::Sender& sender, std::span<const float> vector) {
  if (sum_ != nullptr) {
    vectors_[waiting_] = vector;
    senders_[waiting_] = sender;
  } else {
    randomize(sender, vector);
  }
  wait();
}

void MessageMaker::make_decoded(const protocols::Sender& sender, std::span<const float> vector,
                                std::span<float> decoded) {
  randomize(sender, vector);
  if (!single_) single_ = randomizer_.make_sum();
  single_->clear();
  randomizer_.accumulate(messages_[waiting_], *scratch_, *single_);
  randomizer_.mean(*single_, decoded);
  wait();
}

void MessageMaker::wait() {
  if (++waiting_ == kPass) flush();
}

void MessageMaker::flush() {
  if (waiting_ > 0 && sum_ != nullptr) {
    add_vectors();
  } else if (waiting_ > 0) {
    aggregator_.receive(std::span(messages_).first(waiting_));
  }
  waiting_ = 0;
}

// Whether a vector is finite is checked here only after the randomizer has refused it. The randomizer notices
// entries that are not finite in passes over the vector that it makes anyway, whereas a check in advance
// would cost another pass over every vector.
void MessageMaker::randomize(const protocols::Sender& sender, std::span<const float> vector) {
  const auto attempt = [&](std::span<const float> of) {
    randomizer_.randomize(of, key_, sender.round, sender.client, *scratch_, messages_[waiting_]);
  };
  try {
    attempt(vector);
  } catch (const Error&) {
    if (!replaces(sender, vector)) throw;
    attempt(zeros());
  }
}

void MessageMaker::add_vectors() {
  const auto add = [&] { sum_->add_all(std::span(vectors_).first(waiting_), aggregator_.sum()); };
  try {
    add();
  } catch (const Error&) {
    bool replaced = false;
    for (std::size_t i = 0; i < waiting_; ++i) {
      if (!replaces(senders_[i], vectors_[i])) continue;
      vectors_[i] = zeros();
      replaced = true;
    }
    if (!replaced) throw;
    add();
  }
}

bool MessageMaker::replaces(const protocols::Sender& sender, std::span<const float> vector) {
  if (randomizers::is_finite(vector)) return false;
  if (bad_ == BadVector::refused) {
    throw Error::in_words(
        ErrorCode::data, "vector", fmt::format("client {}", sender.client), "finite numbers",
        fmt::format("the vector of client {} has an entry that is NaN or infinite", sender.client));
  }
  ++neutral_;
  return true;
}

std::span<const float> MessageMaker::zeros() {
  if (zeros_.empty()) zeros_.resize(randomizer_.dimension());
  return zeros_;
}

}  // namespace muster::simulation

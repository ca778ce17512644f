#include "muster/simulation/message_maker.h"

#include <fmt/format.h>

#include <string>
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

// Whether a vector is one that the randomizer takes is found out only when the randomizer refuses it, because
// it notices this in passes over the vector that it makes anyway, whereas a check in advance would cost
// another pass over every vector.
void MessageMaker::randomize(const protocols::Sender& sender, std::span<const float> vector) {
  const auto attempt = [&](std::span<const float> of) {
    randomizer_.randomize(of, key_, sender.round, sender.client, *scratch_, messages_[waiting_]);
  };
  try {
    attempt(vector);
  } catch (const Error& refusal) {
    if (refusal.code() != ErrorCode::data) throw;
    replace(sender, vector, refusal);
    attempt(zeros());
  }
}

// The vectors of a flush are one pass, of which the sampler adds all or none. If it refuses one of them, they
// are added one by one, which leaves the same bits, to find out which are refused.
void MessageMaker::add_vectors() {
  const std::span<const std::span<const float>> vectors = std::span(vectors_).first(waiting_);
  try {
    sum_->add_all(vectors, aggregator_.sum());
    return;
  } catch (const Error& refusal) {
    if (refusal.code() != ErrorCode::data) throw;
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    try {
      sum_->add(vectors[i], aggregator_.sum());
    } catch (const Error& refusal) {
      replace(senders_[i], vectors[i], refusal);
      sum_->add(zeros(), aggregator_.sum());
    }
  }
}

void MessageMaker::replace(const protocols::Sender& sender, std::span<const float> vector,
                           const Error& refusal) {
  if (bad_ == BadVector::answered_neutrally) {
    ++neutral_;
    return;
  }
  const std::string client = fmt::format("client {}", sender.client);
  if (randomizers::is_finite(vector)) {
    throw Error::in_words(ErrorCode::data, "vector", client, refusal.allowed(),
                          fmt::format("the vector of {} is refused: {}", client, refusal.what()));
  }
  throw Error::in_words(ErrorCode::data, "vector", client, "finite numbers",
                        fmt::format("the vector of {} has an entry that is NaN or infinite", client));
}

std::span<const float> MessageMaker::zeros() {
  if (zeros_.empty()) zeros_.resize(randomizer_.dimension());
  return zeros_;
}

}  // namespace muster::simulation

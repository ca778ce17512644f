#include "muster/randomizers/signed_index.h"

#include <bit>
#include <string>

#include "muster/core/error.h"
#include "muster/random/samplers.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"

namespace muster::randomizers {

SignedIndexRandomizer::SignedIndexRandomizer(accounting::CoordinateLocal::Norm norm, double epsilon0,
                                             double clip, std::size_t dimension, std::size_t indices)
    : norm_(norm),
      epsilon0_(epsilon0),
      clip_(clip),
      dimension_(dimension),
      indices_(indices),
      flip_(flip_of(epsilon0)) {
  check_shape(clip, dimension);
}

std::uint64_t SignedIndexRandomizer::message_bits() const {
  return static_cast<std::uint64_t>(std::bit_width(indices_ - 1)) + 1;
}

void SignedIndexRandomizer::randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch&,
                                           Message& out) const {
  check_dimension(gradient, dimension_);
  SignedIndexMessage message;
  message.index = static_cast<std::uint32_t>(random::uniform_below(bits, indices_));
  message.positive = noisy_sign(bits, share(gradient, message.index), flip_);
  out = message;
}

void SignedIndexRandomizer::accumulate(const Message& message, Scratch&, MessageSum& sum) const {
  const auto* sent = std::get_if<SignedIndexMessage>(&message);
  if (sent == nullptr || sent->index >= indices_) {
    throw Error(ErrorCode::data, "message", "", "an index below " + std::to_string(indices_) + " and a sign",
                "is not of this randomizer");
  }
  check(sum);
  sum.sums()[sent->index] += sent->positive ? 1 : -1;
  sum.count_one();
}

void SignedIndexRandomizer::check(const MessageSum& sum) const { check_sum(sum, indices_, 1); }

}  // namespace muster::randomizers

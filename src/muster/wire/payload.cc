#include "muster/wire/payload.h"

#include <sodium.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "muster/core/overloaded.h"
#include "muster/randomizers/clip.h"
#include "muster/wire/packed_steps.h"

namespace muster::wire {
namespace {

using randomizers::AnswerMessage;
using randomizers::GridMessage;
using randomizers::Message;
using randomizers::SignedDirectionMessage;
using randomizers::SignedIndexMessage;

[[noreturn]] void refuse_message() {
  throw Error(ErrorCode::internal, "message", "", "", "is not of the randomizer of this format");
}

bool valid_sign(std::uint8_t byte) { return byte <= 1; }

void wipe(Message& message) {
  std::visit(Overloaded{
                 [](GridMessage& sent) {
                   sodium_memzero(sent.steps.data(), sent.steps.size() * sizeof sent.steps.front());
                 },
                 [](auto& sent) { sodium_memzero(&sent, sizeof sent); },
             },
             message);
}

}  // namespace

PayloadFormat::PayloadFormat(const randomizers::VectorRandomizer& randomizer) {
  const auto signed_index = [&] {
    kind_ = Kind::signed_index;
    bound_ = randomizer.sum_size();
    size_ = 5;
  };
  const auto signed_direction = [&] {
    kind_ = Kind::signed_direction;
    size_ = 17;
  };
  const auto grid = [&] {
    kind_ = Kind::grid;
    coordinates_ = randomizer.dimension();
    bits_ = static_cast<unsigned>(randomizer.message_bits() / coordinates_);
    size_ = packed_size(coordinates_, bits_);
  };
  std::visit(Overloaded{
                 [&](const accounting::LdpSgdLocal&) { signed_direction(); },
                 [&](const accounting::CoordinateLocal& local) {
                   local.norm() == accounting::CoordinateLocal::Norm::l2 ? signed_direction()
                                                                         : signed_index();
                 },
                 [&](const accounting::KRandomizedResponse& local) {
                   kind_ = Kind::answer;
                   bound_ = local.k();
                   size_ = 4;
                 },
                 [&](const accounting::LaplaceLocal&) { grid(); },
                 [&](const accounting::GaussianLocal&) { grid(); },
                 [&](const accounting::PureLocal&) { refuse_message(); },
                 [&](const accounting::ProfileLocal&) { refuse_message(); },
             },
             randomizer.description());
}

void PayloadFormat::encode(const Message& message, std::span<std::uint8_t> out) const {
  if (out.size() != size_) throw Error(ErrorCode::internal, "payload", "", "", "has the wrong length");
  FieldWriter fields(kind_ == Kind::grid ? 0 : size_);
  const auto of_kind = [&](Kind kind) {
    if (kind != kind_) refuse_message();
  };
  std::visit(Overloaded{
                 [&](const SignedDirectionMessage& sent) {
                   of_kind(Kind::signed_direction);
                   fields.bytes(sent.seed).integer(static_cast<std::uint8_t>(sent.positive));
                 },
                 [&](const SignedIndexMessage& sent) {
                   of_kind(Kind::signed_index);
                   if (sent.index >= bound_) refuse_message();
                   fields.integer(sent.index).integer(static_cast<std::uint8_t>(sent.positive));
                 },
                 [&](const AnswerMessage& sent) {
                   of_kind(Kind::answer);
                   if (sent.answer >= bound_) refuse_message();
                   fields.integer(sent.answer);
                 },
                 [&](const GridMessage& sent) {
                   of_kind(Kind::grid);
                   if (sent.steps.size() != coordinates_ || !pack_steps(sent.steps, bits_, out))
                     refuse_message();
                 },
             },
             message);
  if (kind_ != Kind::grid) std::ranges::copy(fields.written(), out.begin());
}

PayloadFault PayloadFormat::decode(Bytes payload, Message& message) const {
  if (payload.size() != size_) return PayloadFault::length;
  FieldReader fields(payload);
  switch (kind_) {
    case Kind::signed_direction: {
      const auto seed = fields.array<16>();
      const auto sign = fields.integer<std::uint8_t>();
      message = SignedDirectionMessage{seed, sign == 1};
      return valid_sign(sign) ? PayloadFault::none : PayloadFault::sign;
    }
    case Kind::signed_index: {
      const auto index = fields.integer<std::uint32_t>();
      const auto sign = fields.integer<std::uint8_t>();
      message = SignedIndexMessage{index, sign == 1};
      if (index >= bound_) return PayloadFault::range;
      return valid_sign(sign) ? PayloadFault::none : PayloadFault::sign;
    }
    case Kind::answer: {
      const auto answer = fields.integer<std::uint32_t>();
      message = AnswerMessage{answer};
      return answer < bound_ ? PayloadFault::none : PayloadFault::range;
    }
    case Kind::grid: {
      if (!std::holds_alternative<GridMessage>(message)) message.emplace<GridMessage>();
      auto& steps = std::get<GridMessage>(message).steps;
      steps.resize(coordinates_);
      const Unpacked unpacked = unpack_steps(payload, bits_, steps);
      if (!unpacked.padded) return PayloadFault::padding;
      return unpacked.in_range ? PayloadFault::none : PayloadFault::range;
    }
  }
  throw Error(ErrorCode::internal, "payload", "", "", "has an unknown form");
}

Buffer randomized_payload(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch,
                          const PayloadFormat& format, std::vector<float> vector, const random::RunKey& key,
                          std::uint64_t round, std::uint64_t client) {
  if (vector.size() != randomizer.dimension() || !randomizers::is_finite(vector)) {
    vector.assign(randomizer.dimension(), 0.0F);
  }
  Message message;
  randomizer.randomize(vector, key, round, client, scratch, message);
  sodium_memzero(vector.data(), vector.size() * sizeof(float));
  Buffer payload(format.size());
  format.encode(message, payload);
  wipe(message);
  return payload;
}

}  // namespace muster::wire

#include "muster/wire/payload.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "muster/core/overloaded.h"

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

// The value of a sign byte: true for +.
bool valid_sign(std::uint8_t byte) { return byte <= 1; }

}  // namespace

const char* name_of(PayloadFault fault) {
  switch (fault) {
    case PayloadFault::none:
      return "none";
    case PayloadFault::length:
      return "length";
    case PayloadFault::sign:
      return "sign";
    case PayloadFault::range:
      return "range";
    case PayloadFault::padding:
      return "padding";
  }
  return "unknown";
}

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
    size_ = (randomizer.message_bits() + 7) / 8;
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
                   encode_steps(sent.steps, out);
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
      return decode_steps(payload, steps);
    }
  }
  throw Error(ErrorCode::internal, "payload", "", "", "has an unknown form");
}

// The coordinates are consecutive numbers of `bits_` <= 32 bits. `held` has the bits that do not fill a byte
// yet, or that are left of the bytes read so far: at most 7, plus the bits of one number.
void PayloadFormat::encode_steps(std::span<const std::int32_t> steps, std::span<std::uint8_t> out) const {
  if (steps.size() != coordinates_) refuse_message();
  const std::int64_t largest = (std::int64_t{1} << (bits_ - 1)) - 1;
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  std::uint64_t held = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (const std::int32_t step : steps) {
    if (step > largest || step < -largest) refuse_message();
    held |= (static_cast<std::uint64_t>(static_cast<std::int64_t>(step)) & mask) << count;
    for (count += bits_; count >= 8; count -= 8, held >>= 8) out[at++] = static_cast<std::uint8_t>(held);
  }
  if (count > 0) out[at] = static_cast<std::uint8_t>(held);
}

PayloadFault PayloadFormat::decode_steps(Bytes payload, std::span<std::int32_t> steps) const {
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1, sign = std::uint64_t{1} << (bits_ - 1);
  std::uint64_t held = 0;
  unsigned count = 0;
  std::size_t at = 0;
  bool in_range = true;
  for (std::int32_t& step : steps) {
    for (; count < bits_; count += 8) held |= static_cast<std::uint64_t>(payload[at++]) << count;
    const std::uint64_t value = held & mask;
    held >>= bits_;
    count -= bits_;
    // Messages saturate at +-(2^(b-1) - 1), so that the lowest number of b bits is none.
    in_range &= value != sign;
    step = static_cast<std::int32_t>(static_cast<std::int64_t>((value ^ sign) - sign));
  }
  if (held != 0) return PayloadFault::padding;
  return in_range ? PayloadFault::none : PayloadFault::range;
}

}  // namespace muster::wire

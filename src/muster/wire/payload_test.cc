// Messages of every randomizer must be read back from the stated number of bytes, and no message may have two
// encodings.
#include "muster/wire/payload.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "muster/core/error_of_test.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/l2.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"

namespace muster::wire {
namespace {

using randomizers::AnswerMessage;
using randomizers::Message;
using randomizers::SignedDirectionMessage;
using randomizers::SignedIndexMessage;
using randomizers::VectorRandomizer;

struct Deployed {
  const char* name;
  std::unique_ptr<VectorRandomizer> randomizer;
  std::size_t size;  // as docs/wire.md says
};

std::vector<Deployed> deployed() {
  std::vector<Deployed> all;
  all.push_back({"ldp-sgd", randomizers::make_ldp_sgd(2, 1, 40), 17});
  all.push_back({"l2", randomizers::make_l2(2, 1, 40), 17});
  all.push_back({"l1", randomizers::make_l1(2, 1, 40), 5});
  all.push_back({"linf", randomizers::make_linf(2, 1, 40), 5});
  all.push_back({"k-rr", randomizers::make_k_rr(2, 10), 4});
  all.push_back({"laplace", randomizers::make_laplace(2, 1), 4});
  const unsigned bits = randomizers::gaussian_grid(5, 1, 41).bits;
  all.push_back({"gaussian", randomizers::make_gaussian(5, 1, 41), (41 * bits + 7) / 8});
  return all;
}

std::string text_of(const Message& message) {
  return std::visit(
      [](const auto& sent) -> std::string {
        using T = std::decay_t<decltype(sent)>;
        std::string text;
        if constexpr (std::is_same_v<T, SignedDirectionMessage>) {
          for (const auto byte : sent.seed) text += std::to_string(byte) + ' ';
          text += sent.positive ? '+' : '-';
        } else if constexpr (std::is_same_v<T, SignedIndexMessage>) {
          text = std::to_string(sent.index) + (sent.positive ? '+' : '-');
        } else if constexpr (std::is_same_v<T, AnswerMessage>) {
          text = std::to_string(sent.answer);
        } else {
          for (const auto step : sent.steps) text += std::to_string(step) + ' ';
        }
        return text;
      },
      message);
}

Message message_of(const VectorRandomizer& randomizer, std::uint64_t client) {
  std::vector<float> vector(randomizer.dimension());
  vector[client % vector.size()] = 1;
  const auto scratch = randomizer.make_scratch();
  Message message;
  randomizer.randomize(vector, random::RunKey::from_seed(1), 0, client, *scratch, message);
  return message;
}

TEST(Payload, EveryMessageIsReadBackFromTheStatedNumberOfBytes) {
  for (const Deployed& each : deployed()) {
    const PayloadFormat format(*each.randomizer);
    EXPECT_EQ(format.size(), each.size) << each.name;
    EXPECT_GE(8 * format.size(), each.randomizer->message_bits()) << each.name;
    for (std::uint64_t client = 0; client < 200; ++client) {
      const Message message = message_of(*each.randomizer, client);
      Buffer bytes(format.size(), 0xaa);
      format.encode(message, bytes);
      Message read;
      ASSERT_EQ(format.decode(bytes, read), PayloadFault::none) << each.name;
      EXPECT_EQ(text_of(read), text_of(message)) << each.name;
    }
  }
}

TEST(Payload, OtherLengthsAreRefused) {
  for (const Deployed& each : deployed()) {
    const PayloadFormat format(*each.randomizer);
    Message read;
    for (const std::size_t size :
         {std::size_t{0}, format.size() - 1, format.size() + 1, std::size_t{100'000}}) {
      EXPECT_EQ(format.decode(Buffer(size), read), PayloadFault::length) << each.name << ' ' << size;
    }
  }
}

// A format accepts exactly the encodings of messages: what it reads, it writes in the same bytes.
TEST(Payload, NoMessageHasTwoEncodings) {
  std::mt19937_64 bits(1);
  for (const Deployed& each : deployed()) {
    const PayloadFormat format(*each.randomizer);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
      Buffer bytes(format.size());
      format.encode(message_of(*each.randomizer, static_cast<std::uint64_t>(i % 7)), bytes);
      bytes[bits() % bytes.size()] = static_cast<std::uint8_t>(bits() >> bits() % 9);
      Message read;
      if (format.decode(bytes, read) != PayloadFault::none) continue;
      ++accepted;
      Buffer again(format.size());
      format.encode(read, again);
      EXPECT_EQ(again, bytes) << each.name;
    }
    EXPECT_GT(accepted, 100) << each.name;
  }
}

TEST(Payload, SignsAreZeroOrOne) {
  const PayloadFormat direction(*randomizers::make_ldp_sgd(2, 1, 40)),
      index(*randomizers::make_linf(2, 1, 40));
  Message read;
  for (int sign = 0; sign < 256; ++sign) {
    Buffer bytes(17);
    bytes.back() = static_cast<std::uint8_t>(sign);
    EXPECT_EQ(direction.decode(bytes, read), sign < 2 ? PayloadFault::none : PayloadFault::sign);
    bytes.resize(5);
    bytes.back() = static_cast<std::uint8_t>(sign);
    EXPECT_EQ(index.decode(bytes, read), sign < 2 ? PayloadFault::none : PayloadFault::sign);
  }
}

TEST(Payload, IndicesAndAnswersAreInRange) {
  const auto linf = randomizers::make_linf(2, 1, 40), l1 = randomizers::make_l1(2, 1, 40),
             k_rr = randomizers::make_k_rr(2, 10);
  Message read;
  const auto fault = [&](const VectorRandomizer& randomizer, std::uint32_t number) {
    const PayloadFormat format(randomizer);
    Buffer bytes = FieldWriter(5).integer(number).take();
    bytes.resize(format.size());
    return format.decode(bytes, read);
  };
  EXPECT_EQ(fault(*linf, 39), PayloadFault::none);
  EXPECT_EQ(fault(*linf, 40), PayloadFault::range);
  EXPECT_EQ(fault(*l1, 63), PayloadFault::none);  // the transform has 64 entries
  EXPECT_EQ(fault(*l1, 64), PayloadFault::range);
  EXPECT_EQ(fault(*k_rr, 9), PayloadFault::none);
  EXPECT_EQ(fault(*k_rr, 10), PayloadFault::range);
  for (const VectorRandomizer* each : {linf.get(), l1.get(), k_rr.get()}) {
    EXPECT_EQ(fault(*each, 0xffffffff), PayloadFault::range);
  }
}

TEST(Payload, TheLowestNumberAndUnusedBitsAreRefused) {
  const auto gaussian = randomizers::make_gaussian(5, 1, 41);
  const PayloadFormat format(*gaussian);
  const unsigned bits = randomizers::gaussian_grid(5, 1, 41).bits;
  ASSERT_NE(41 * bits % 8, 0u);
  Message read;
  Buffer bytes(format.size());
  EXPECT_EQ(format.decode(bytes, read), PayloadFault::none);
  bytes[(bits - 1) / 8] = static_cast<std::uint8_t>(1 << (bits - 1) % 8);  // the first number is -2^(b-1)
  EXPECT_EQ(format.decode(bytes, read), PayloadFault::range);
  bytes[0] |= 1;  // -2^(b-1) + 1
  EXPECT_EQ(format.decode(bytes, read), PayloadFault::none);
  bytes.back() |= 0x80;
  EXPECT_EQ(format.decode(bytes, read), PayloadFault::padding);
}

TEST(Payload, MessagesOfAnotherRandomizerAreADefect) {
  for (const Deployed& writer : deployed()) {
    const PayloadFormat format(*writer.randomizer);
    Buffer bytes(format.size());
    for (const Deployed& other : deployed()) {
      const Message message = message_of(*other.randomizer, 3);
      const bool same_kind = message.index() == message_of(*writer.randomizer, 3).index();
      if (same_kind) continue;
      EXPECT_ERROR(ErrorCode::internal, format.encode(message, bytes)) << writer.name << ' ' << other.name;
    }
  }
  const PayloadFormat k_rr(*randomizers::make_k_rr(2, 10));
  Buffer bytes(4);
  EXPECT_ERROR(ErrorCode::internal, k_rr.encode(AnswerMessage{10}, bytes));
  Buffer short_of_one(3);
  EXPECT_ERROR(ErrorCode::internal, k_rr.encode(AnswerMessage{9}, short_of_one));
}

}  // namespace
}  // namespace muster::wire

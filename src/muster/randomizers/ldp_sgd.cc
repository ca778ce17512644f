#include "muster/randomizers/ldp_sgd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "muster/core/error.h"
#include "muster/random/direction.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/flip.h"
#include "muster/randomizers/grid_kernels.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

using Seed = std::array<std::uint8_t, 16>;

struct Direction {
  AlignedVector<float> normals;  // the normals of the direction of `seed`, if `held`
  double norm = 0;
  Seed seed{};
  bool held = false;
  bool pinned = false;  // the direction must not be replaced before it has been added
};

struct DirectionScratch final : Scratch {
  std::array<Direction, VectorRandomizer::kPass> directions;  // the most recent directions
  std::size_t next = 0;  // the index of the direction that is replaced next, unless it is pinned
  // A rescaled gradient, used if single-precision products of the gradient could overflow or underflow.
  AlignedVector<float> rescaled;

  // Returns the next direction in turn that is not pinned; the caller replaces it. Fewer than kPass must be
  // pinned.
  Direction& oldest() {
    while (directions[next].pinned) next = (next + 1) % directions.size();
    Direction& direction = directions[next];
    next = (next + 1) % directions.size();
    return direction;
  }
  void unpin() {
    for (Direction& direction : directions) direction.pinned = false;
  }
  // Returns the direction of `seed` if it is still held, else null.
  Direction* at_hand(const Seed& seed) {
    const auto found = std::ranges::find_if(
        directions, [&](const Direction& direction) { return direction.held && direction.seed == seed; });
    return found != directions.end() ? &*found : nullptr;
  }
};

// Makes `direction` the direction of `seed`. fill(key, address, normals) draws the normals and returns their
// squared norm. If all normals are 0, the direction becomes the first axis and the result is false; this
// happens only in few dimensions, at most once in 10^7 messages.
template <class Fill>
bool hold_direction(const Seed& seed, Direction& direction, Fill fill) {
  direction.held = false;
  const random::StreamAddress address{random::Purpose::direction, 0, 0};
  direction.norm = std::sqrt(fill(random::RunKey::from_bytes(seed), address, std::span(direction.normals)));
  direction.seed = seed;
  direction.held = true;
  if (direction.norm > 0) return true;
  direction.normals[0] = 1;
  direction.norm = 1;
  return false;
}

// Returns the gradient. If its products with normals could overflow or underflow, it is first multiplied by a
// power of two.
std::span<const float> in_range(std::span<const float> gradient, double norm, DirectionScratch& scratch) {
  if (norm == 0 || (norm > 1e-12 && norm < 1e12)) return gradient;
  const int exponent = -std::ilogb(norm);
  scratch.rescaled.resize(gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    scratch.rescaled[i] = static_cast<float>(std::ldexp(static_cast<double>(gradient[i]), exponent));
  }
  return scratch.rescaled;
}

class LdpSgd final : public StreamRandomizer {
 public:
  LdpSgd(double epsilon0, double clip, std::size_t dimension)
      : epsilon0_(epsilon0),
        clip_(clip),
        dimension_(dimension),
        flip_(flip_of(epsilon0)),
        length_(clip * flip_.inverse_bias * inverse_mean_projection(static_cast<double>(dimension))),
        // The length is at most 2^30 steps, so every coordinate fits into 32 bits.
        step_(std::ldexp(1.0, std::ilogb(length_) + 1 - 30)) {}

  std::size_t dimension() const override { return dimension_; }
  accounting::Mechanism description() const override { return accounting::LdpSgdLocal{epsilon0_}; }
  std::uint64_t message_bits() const override { return 128 + 1; }
  double variance(double squared_norm) const override {
    return sphere_second_moment(flip_.inverse_bias, clip_, static_cast<double>(dimension_)) - squared_norm;
  }
  double step() const override { return step_; }

  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<DirectionScratch>();
    for (Direction& direction : scratch->directions) direction.normals.resize(dimension_);
    return scratch;
  }

  void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch& scratch,
                      Message& out) const override {
    check_dimension(gradient, dimension_);
    DirectionScratch& mine = own(scratch);
    mine.unpin();
    const double norm = checked_norm(gradient);
    SignedDirectionMessage message;
    for (std::size_t i = 0; i < 16; i += 8) {
      const std::uint64_t word = bits.next_u64();
      for (std::size_t j = 0; j < 8; ++j) message.seed[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
    }
    const std::span<const float> other = in_range(gradient, norm, mine);
    double dot = 0;  // the inner product of gradient and direction, up to a positive factor
    const auto fill = [&](const auto& seed, const auto& address, std::span<float> normals) {
      const random::DirectionSums sums = random::fill_direction(seed, address, other, normals);
      dot = sums.dot;
      return sums.squared_norm;
    };
    if (!hold_direction(message.seed, mine.oldest(), fill)) dot = static_cast<double>(other[0]);
    const double share = std::min(norm, clip_) / clip_;
    // A tie (dot == 0) always counts as positive.
    message.positive = noisy_sign(bits, dot >= 0 ? share : -share, flip_);
    out = message;
  }

  void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const override {
    accumulate_all({&message, 1}, scratch, sum);
  }

  void accumulate_all(std::span<const Message> messages, Scratch& scratch, MessageSum& sum) const override {
    DirectionScratch& mine = own(scratch);
    mine.unpin();
    std::array<Scaled, kPass> waiting;  // messages not yet added
    std::size_t count = 0;
    const auto add_waiting = [&] {
      add(std::span(waiting).first(count), sum);
      count = 0;
      mine.unpin();
    };
    for (const Message& message : messages) {
      const SignedDirectionMessage& signed_direction = checked(message, sum);
      Direction* direction = mine.at_hand(signed_direction.seed);
      // A direction serves at most one message in `waiting`. If it is pinned, `waiting` has a message with
      // the same seed, and the messages in `waiting` are added first.
      if (direction != nullptr && direction->pinned) add_waiting();
      if (direction == nullptr) {
        direction = &mine.oldest();
        if (count > 0 && waiting[count - 1].largest <= MessageSum::kLargestNarrowBound) {
          make_beside_adding(signed_direction.seed, *direction, waiting[--count], sum);
        } else {
          hold_direction(signed_direction.seed, *direction,
                         [](const auto& key, const auto& address, auto out) {
                           return random::fill_direction(key, address, {}, out).squared_norm;
                         });
        }
      }
      direction->pinned = true;
      waiting[count++] = scaled(*direction, signed_direction.positive);
      if (count == kPass) add_waiting();
    }
    add_waiting();
  }

 private:
  // A decoded message in steps: the normals of a direction times `scale`, each rounded to an integer. No
  // coordinate exceeds `largest` in magnitude.
  struct Scaled {
    Direction* direction;
    float scale;
    double largest;
  };

  Scaled scaled(Direction& direction, bool positive) const {
    const auto length = static_cast<float>(length_ / step_ / direction.norm);
    // No normal exceeds 6.67 in magnitude (normals.h).
    return {&direction, positive ? length : -length, std::ceil(6.7 * static_cast<double>(length)) + 1};
  }

  const SignedDirectionMessage& checked(const Message& message, const MessageSum& sum) const {
    const auto* signed_direction = std::get_if<SignedDirectionMessage>(&message);
    if (signed_direction == nullptr) {
      throw Error(ErrorCode::data, "message", "", "ldp-sgd", "is not of this randomizer");
    }
    check_sum(sum, dimension_, step_);
    return *signed_direction;
  }

  void add(std::span<const Scaled> messages, MessageSum& sum) const {
    std::array<const float*, kPass> normals;
    std::array<float, kPass> scales;
    double largest = 0, of_all = 0;
    for (std::size_t m = 0; m < messages.size(); ++m) {
      normals[m] = messages[m].direction->normals.data();
      scales[m] = messages[m].scale;
      largest = std::max(largest, messages[m].largest);
      of_all += messages[m].largest;
    }
    if (largest <= MessageSum::kLargestNarrowBound) {
      const std::span<std::int32_t> narrow = sum.narrow_sums(static_cast<std::uint32_t>(of_all));
      add_scaled(std::span(normals).first(messages.size()), scales, narrow.data(), dimension_);
    } else {
      for (std::size_t m = 0; m < messages.size(); ++m) {
        add_scaled(normals[m], scales[m], sum.sums().data(), dimension_);
      }
    }
    sum.count_more(messages.size());
  }

  // Makes the direction of `seed` and adds the message `one` in the same pass. Requires one.largest <=
  // MessageSum::kLargestNarrowBound.
  void make_beside_adding(const Seed& seed, Direction& direction, const Scaled& one, MessageSum& sum) const {
    const std::span<std::int32_t> narrow = sum.narrow_sums(static_cast<std::uint32_t>(one.largest));
    hold_direction(seed, direction, [&](const auto& key, const auto& address, std::span<float> normals) {
      return fill_direction_beside_adding(key, address, normals, one.direction->normals.data(), one.scale,
                                          narrow.data());
    });
    one.direction->pinned = false;
    sum.count_one();
  }

  DirectionScratch& own(Scratch& scratch) const {
    auto* mine = dynamic_cast<DirectionScratch*>(&scratch);
    if (mine == nullptr || mine->directions[0].normals.size() != dimension_) {
      throw Error(ErrorCode::internal, "scratch", "", "", "made by another randomizer");
    }
    return *mine;
  }

  double epsilon0_, clip_;
  std::size_t dimension_;
  Flip flip_;
  double length_;  // the Euclidean norm of a decoded message
  double step_;
};

}  // namespace

std::unique_ptr<StreamRandomizer> make_ldp_sgd(double epsilon0, double clip, std::size_t dimension) {
  check_shape(clip, dimension);
  return std::make_unique<LdpSgd>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

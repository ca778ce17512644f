#include "muster/randomizers/ldp_sgd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "muster/core/error.h"
#include "muster/random/direction.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/flip.h"
#include "muster/randomizers/grid_kernels.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

using Seed = std::array<std::uint8_t, 16>;

struct Direction {
  AlignedVector<float> normals;  // of `seed`, when `held`
  double norm = 0;
  Seed seed{};
  bool held = false;
  bool pinned = false;  // not to be replaced before the pass it belongs to is done
};

struct DirectionScratch final : Scratch {
  std::array<Direction, VectorRandomizer::kPass> directions;  // those used last
  std::size_t next = 0;                                       // the one made longest ago
  AlignedVector<float> rescaled;  // a gradient too large or small for single-precision products

  // The oldest that is not pinned, to be replaced; fewer than kPass are.
  Direction& oldest() {
    while (directions[next].pinned) next = (next + 1) % directions.size();
    Direction& direction = directions[next];
    next = (next + 1) % directions.size();
    return direction;
  }
  void unpin() {
    for (Direction& direction : directions) direction.pinned = false;
  }
  // The direction of `seed`, made if it is not at hand, and pinned.
  const Direction& pinned(const Seed& seed);
};

// Makes `direction` that of `seed`; returns its inner product with `gradient` (if not empty), up to a
// positive factor.
double hold_direction(const Seed& seed, std::span<const float> gradient, Direction& direction) {
  direction.held = false;
  const auto key = random::RunKey::from_bytes(seed);
  const auto sums =
      random::fill_direction(key, {random::Purpose::direction, 0, 0}, gradient, direction.normals);
  direction.norm = std::sqrt(sums.squared_norm);
  direction.seed = seed;
  direction.held = true;
  if (direction.norm > 0) return sums.dot;
  // All normals 0 (only for a few dimensions, once in 10^7 messages at most): the first axis.
  direction.normals[0] = 1;
  direction.norm = 1;
  return gradient.empty() ? 0 : static_cast<double>(gradient[0]);
}

const Direction& DirectionScratch::pinned(const Seed& seed) {
  const auto at_hand = std::ranges::find_if(
      directions, [&](const Direction& direction) { return direction.held && direction.seed == seed; });
  Direction& direction = at_hand != directions.end() ? *at_hand : oldest();
  if (at_hand == directions.end()) hold_direction(seed, {}, direction);
  direction.pinned = true;
  return direction;
}

// The gradient, multiplied by a power of two if its products with normals could overflow or underflow.
std::span<const float> in_range(std::span<const float> gradient, double norm, DirectionScratch& scratch) {
  if (norm == 0 || (norm > 1e-12 && norm < 1e12)) return gradient;
  const int exponent = -std::ilogb(norm);
  scratch.rescaled.resize(gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    scratch.rescaled[i] = static_cast<float>(std::ldexp(static_cast<double>(gradient[i]), exponent));
  }
  return scratch.rescaled;
}

class LdpSgd final : public VectorRandomizer {
 public:
  LdpSgd(double epsilon0, double clip, std::size_t dimension)
      : epsilon0_(epsilon0),
        clip_(clip),
        dimension_(dimension),
        flip_(flip_of(epsilon0)),
        length_(clip * flip_.inverse_bias * inverse_mean_projection(static_cast<double>(dimension))),
        // length <= 2^30 steps: no coordinate can leave 32 bits.
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

  void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                 std::uint64_t client, Scratch& scratch, Message& out) const override {
    if (gradient.size() != dimension_) {
      throw Error(ErrorCode::internal, "gradient", std::to_string(gradient.size()),
                  std::to_string(dimension_), "not of the randomizer's dimension");
    }
    DirectionScratch& mine = own(scratch);
    mine.unpin();
    const double norm = checked_norm(gradient);
    random::KeyedStream bits(key, {random::Purpose::randomize, round, client});
    SignedDirectionMessage message;
    for (std::size_t i = 0; i < 16; i += 8) {
      const std::uint64_t word = bits.next_u64();
      for (std::size_t j = 0; j < 8; ++j) message.seed[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
    }
    const double dot = hold_direction(message.seed, in_range(gradient, norm, mine), mine.oldest());
    const double share = std::min(norm, clip_) / clip_;
    message.positive = noisy_sign(bits, dot >= 0 ? share : -share, flip_);  // the fixed rule for a tie
    out = message;
  }

  void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const override {
    accumulate_all({&message, 1}, scratch, sum);
  }

  void accumulate_all(std::span<const Message> messages, Scratch& scratch, MessageSum& sum) const override {
    DirectionScratch& mine = own(scratch);
    while (!messages.empty()) {
      const std::size_t count = std::min(messages.size(), kPass);
      std::array<const float*, kPass> normals;
      std::array<float, kPass> scales;
      double largest = 0, of_all = 0;
      mine.unpin();
      for (std::size_t m = 0; m < count; ++m) {
        const Scaled one = decode(messages[m], mine, sum);
        normals[m] = one.normals;
        scales[m] = one.scale;
        largest = std::max(largest, one.largest);
        of_all += one.largest;
      }
      if (largest <= MessageSum::kLargestNarrowBound) {
        const std::span<std::int32_t> narrow = sum.narrow_sums(static_cast<std::uint32_t>(of_all));
        add_scaled(std::span(normals).first(count), scales, narrow.data(), dimension_);
      } else {
        for (std::size_t m = 0; m < count; ++m) {
          add_scaled(normals[m], scales[m], sum.sums().data(), dimension_);
        }
      }
      sum.count_more(count);
      messages = messages.subspan(count);
    }
  }

 private:
  // A decoded message: scale times normals, rounded, with no coordinate beyond `largest`.
  struct Scaled {
    const float* normals;
    float scale;
    double largest;
  };

  Scaled decode(const Message& message, DirectionScratch& scratch, const MessageSum& sum) const {
    const auto* signed_direction = std::get_if<SignedDirectionMessage>(&message);
    if (signed_direction == nullptr) {
      throw Error(ErrorCode::data, "message", "", "ldp-sgd", "not a message of this randomizer");
    }
    if (sum.size() != dimension_ || sum.step() != step_) {
      throw Error(ErrorCode::internal, "message sum", "", "the randomizer's dimension and step",
                  "does not match");
    }
    const Direction& direction = scratch.pinned(signed_direction->seed);
    const auto length = static_cast<float>(length_ / step_ / direction.norm);
    // Normals end at 6.67 (normals.h).
    return {direction.normals.data(), signed_direction->positive ? length : -length,
            std::ceil(6.7 * static_cast<double>(length)) + 1};
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
  double length_;  // of a decoded message
  double step_;
};

}  // namespace

std::unique_ptr<VectorRandomizer> make_ldp_sgd(double epsilon0, double clip, std::size_t dimension) {
  check_shape(clip, dimension);
  return std::make_unique<LdpSgd>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

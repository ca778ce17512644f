#include "muster/randomizers/laplace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/random/exact_discrete.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"

namespace muster::randomizers {
namespace {

// Messages are clamped to this many steps. The noise is added before, so clamping is post-processing. The
// limit is at least 256 noise scales away, so it is reached with probability at most e^-256.
constexpr std::int64_t kMaxSteps = (std::int64_t{1} << 31) - 1;

class Laplace final : public StreamRandomizer {
 public:
  Laplace(double epsilon0, double clip)
      : epsilon0_(epsilon0), clip_(clip), grid_(laplace_grid(epsilon0, clip)) {}

  std::size_t dimension() const override { return 1; }
  accounting::Mechanism description() const override { return accounting::LaplaceLocal{epsilon0_}; }
  std::uint64_t message_bits() const override { return 32; }

  double variance(double squared_norm) const override {
    const double x = std::sqrt(squared_norm) / grid_.step, rest = x - std::floor(x);
    // The noise Z has E Z^2 = sum over z >= 1 of (2z - 1) rho^(2z - 1), where rho = e^(-1/t).
    const double t = static_cast<double>(grid_.scale), rho = std::exp(-1 / t);
    const double gap = -std::expm1(-2 / t);  // 1 - rho^2
    const double noise = rho * (1 + rho * rho) / (gap * gap);
    return grid_.step * grid_.step * (noise + rest * (1 - rest));
  }

  double step() const override { return grid_.step; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch&,
                      Message& out) const override {
    check_dimension(gradient, 1);
    check_finite(gradient);
    const double x = std::clamp(static_cast<double>(gradient[0]), -clip_, clip_) / grid_.step;
    const double below = std::floor(x);
    const bool up = random::bernoulli(bits, random::Probability::at_most(x - below));
    const auto magnitude = static_cast<std::int64_t>((random::geometric(bits, grid_.scale) + 1) / 2);
    const bool negative = (bits.next_u64() & 1) == 1;
    const std::int64_t steps = static_cast<std::int64_t>(below) + up + (negative ? -magnitude : magnitude);
    if (!std::holds_alternative<GridMessage>(out)) out.emplace<GridMessage>();
    std::get<GridMessage>(out).steps.assign(
        1, static_cast<std::int32_t>(std::clamp(steps, -kMaxSteps, kMaxSteps)));
  }

  void accumulate(const Message& message, Scratch&, MessageSum& sum) const override {
    const auto* grid = std::get_if<GridMessage>(&message);
    if (grid == nullptr || grid->steps.size() != 1) {
      throw Error(ErrorCode::data, "message", "", "laplace, one number", "is not of this randomizer");
    }
    check_sum(sum, 1, grid_.step);
    sum.sums()[0] += grid->steps[0];
    sum.count_one();
  }

 private:
  double epsilon0_, clip_;
  LaplaceGrid grid_;
};

}  // namespace

LaplaceGrid laplace_grid(double epsilon0, double clip) {
  if (!(epsilon0 >= 0x1p-16 && epsilon0 <= 700)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.epsilon0", fmt::format("{}", epsilon0),
                "2^-16 .. 700", "is outside the range of the sampler");
  }
  check_shape(clip, 1);
  // For epsilon0 >= 1, the clip norm is at least 2^20 steps. For smaller epsilon0 the noise is wider, and the
  // clip norm has about 2^20 epsilon0 steps, so that t stays below 2^24.
  const int fine = epsilon0 >= 1 ? 20 : 20 + std::ilogb(epsilon0);
  LaplaceGrid grid{};
  grid.step = std::ldexp(1.0, std::ilogb(clip) - fine);
  grid.half_range = static_cast<std::uint64_t>(std::ceil(clip / grid.step));
  // The quotient and the product with the last factor are each wrong by a relative 2^-53 at most. The slack
  // of 2^-50 covers eight such errors.
  constexpr double kRounding = 0x1p-50;
  grid.scale = static_cast<std::uint64_t>(
      std::ceil(4 * static_cast<double>(grid.half_range) / epsilon0 * (1 + kRounding)));
  return grid;
}

std::unique_ptr<VectorRandomizer> make_laplace(double epsilon0, double clip) {
  return std::make_unique<Laplace>(epsilon0, clip);
}

}  // namespace muster::randomizers

#include "muster/randomizers/gaussian.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/grid_kernels.h"

namespace muster::randomizers {
namespace {

// The clip norm plus eight deviations is at most 128 (1 / sigma + 8) steps. For the smallest sigma, 21 bits
// hold this number and its sign.
constexpr double kSmallestSigma = 0x1p-12, kLargestSigma = 1e9;

// add_stream_noise needs a bound on the products gradient * factor. A clip norm of at most kNarrowClip steps
// is a tight enough bound. For a larger clip norm, the largest product is computed.
constexpr double kNarrowClip = 4096;

double product_rounded_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0 ? std::nextafter(product, std::numeric_limits<double>::infinity())
                                      : product;
}

class Gaussian final : public VectorRandomizer {
 public:
  Gaussian(double sigma, double clip, std::size_t dimension)
      : sigma_(sigma), clip_(clip), dimension_(dimension), grid_(gaussian_grid(sigma, clip, dimension)) {}

  std::size_t dimension() const override { return dimension_; }
  accounting::Mechanism description() const override { return accounting::GaussianLocal{sigma_}; }
  std::uint64_t message_bits() const override { return grid_.bits * std::uint64_t{dimension_}; }
  double variance(double) const override {
    // Rounding to the grid adds a variance of one twelfth of a squared step.
    return static_cast<double>(dimension_) * (grid_.deviation * grid_.deviation + 1.0 / 12) * grid_.step *
           grid_.step;
  }
  double step() const override { return grid_.step; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                 std::uint64_t client, Scratch&, Message& out) const override {
    check_dimension(gradient, dimension_);
    const float factor = round_down(clip_factor(checked_norm(gradient), clip_) / grid_.step);
    if (!std::holds_alternative<GridMessage>(out)) out.emplace<GridMessage>();
    AlignedVector<std::int32_t>& steps = std::get<GridMessage>(out).steps;
    steps.resize(dimension_);
    add_stream_noise(gradient, factor, largest_product(gradient, factor), key,
                     {random::Purpose::randomize, round, client}, grid_.deviation, grid_.bits, steps.data());
  }

  void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const override {
    accumulate_all({&message, 1}, scratch, sum);
  }

  void accumulate_all(std::span<const Message> messages, Scratch&, MessageSum& sum) const override {
    std::array<const std::int32_t*, kPass> steps;
    while (!messages.empty()) {
      const std::size_t count = std::min(messages.size(), kPass);
      for (std::size_t m = 0; m < count; ++m) steps[m] = checked(messages[m], sum);
      const auto pass = std::span<const std::int32_t* const>(steps).first(count);
      if (!add_narrow(pass, sum)) {
        for (std::size_t m = 0; m < count; ++m) {
          if (!add_narrow(pass.subspan(m, 1), sum)) add_steps(steps[m], sum.sums().data(), dimension_);
        }
      }
      sum.count_more(count);
      messages = messages.subspan(count);
    }
  }

 private:
  double largest_product(std::span<const float> gradient, float factor) const {
    const double clip = clip_ / grid_.step;
    if (clip <= kNarrowClip) return clip;
    float largest = 0;
    for (const float x : gradient) largest = std::max(largest, std::abs(x * factor));
    return static_cast<double>(largest);
  }

  // Returns the steps of a message, after checking that the message is from this randomizer and fits `sum`.
  const std::int32_t* checked(const Message& message, const MessageSum& sum) const {
    const auto* grid = std::get_if<GridMessage>(&message);
    if (grid == nullptr || grid->steps.size() != dimension_) {
      throw Error(ErrorCode::data, "message", "", "gaussian, dimension " + std::to_string(dimension_),
                  "is not of this randomizer");
    }
    check_sum(sum, dimension_, grid_.step);
    return grid->steps.data();
  }

  // Adds the messages to the 32-bit sums if all their coordinates are in the range of this randomizer.
  // Otherwise adds nothing and returns false.
  bool add_narrow(std::span<const std::int32_t* const> messages, MessageSum& sum) const {
    const std::uint32_t bound = (1u << (grid_.bits - 1)) - 1;
    const std::span<std::int32_t> narrow =
        sum.narrow_sums(static_cast<std::uint32_t>(messages.size()) * bound);
    if (add_steps_within(messages, bound, narrow.data(), dimension_)) return true;
    for (const std::int32_t* steps : messages) subtract_steps(steps, narrow.data(), dimension_);
    return false;
  }

  double sigma_, clip_;
  std::size_t dimension_;
  GaussianGrid grid_;
};

}  // namespace

GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension) {
  if (!(sigma >= kSmallestSigma && sigma <= kLargestSigma)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.sigma", fmt::format("{}", sigma),
                "2^-12 .. 1e9", "is noise outside the message format");
  }
  check_shape(clip, dimension);
  const double deviation = product_rounded_up(sigma, clip);
  GaussianGrid grid{};
  grid.step = std::ldexp(1.0, std::ilogb(deviation) - 6);
  grid.deviation = deviation / grid.step;
  const double farthest = std::ceil(clip / grid.step + 8 * grid.deviation);
  grid.bits = 2 + static_cast<unsigned>(std::ilogb(farthest));
  return grid;
}

std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension) {
  return std::make_unique<Gaussian>(sigma, clip, dimension);
}

}  // namespace muster::randomizers

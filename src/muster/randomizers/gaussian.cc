#include "muster/randomizers/gaussian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "muster/core/error.h"
#include "muster/random/normals.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/grid_kernels.h"

namespace muster::randomizers {
namespace {

// With noise below 6.7 deviations a coordinate is below (1 + 6.7 sigma) C; a step of more than sigma C 2^-17
// then keeps it below 2^30 steps for sigma >= 2^-12.
constexpr double kSmallestSigma = 0x1p-12, kLargestSigma = 1e9;

// The deviation is raised by 2^-20 to cover the rounding of single-precision normals and of the factor
// itself.
constexpr double kDeviationMargin = 1 + 0x1p-20;

class Gaussian final : public VectorRandomizer {
 public:
  Gaussian(double sigma, double clip, std::size_t dimension)
      : sigma_(sigma),
        clip_(clip),
        dimension_(dimension),
        step_(gaussian_grid(sigma, clip, dimension).step),
        deviation_(gaussian_grid(sigma, clip, dimension).deviation) {}

  std::size_t dimension() const override { return dimension_; }
  accounting::Mechanism description() const override { return accounting::GaussianLocal{sigma_}; }
  std::uint64_t message_bits() const override { return 32 * std::uint64_t{dimension_}; }
  double variance(double) const override {
    const double deviation = static_cast<double>(deviation_) * step_;
    // What rounding to the grid adds is one twelfth of a squared step, as for any smooth law.
    return static_cast<double>(dimension_) * (deviation * deviation + step_ * step_ / 12);
  }
  double step() const override { return step_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  void randomize(std::span<const float> gradient, const random::RunKey& key, std::uint64_t round,
                 std::uint64_t client, Scratch&, Message& out) const override {
    if (gradient.size() != dimension_) {
      throw Error(ErrorCode::internal, "gradient", std::to_string(gradient.size()),
                  std::to_string(dimension_), "not of the randomizer's dimension");
    }
    const float factor = round_down(clip_factor(checked_norm(gradient), clip_) / step_);
    if (!std::holds_alternative<GridMessage>(out)) out.emplace<GridMessage>();
    std::vector<std::int32_t>& steps = std::get<GridMessage>(out).steps;
    steps.resize(dimension_);
    const random::StreamAddress address{random::Purpose::randomize, round, client};
    alignas(64) std::array<float, 1024> noise;
    for (std::size_t from = 0; from < dimension_; from += noise.size()) {
      const std::size_t size = std::min(noise.size(), dimension_ - from);
      random::fill_normals_from(key, address, from, std::span(noise).first(size));
      add_noise(&gradient[from], factor, noise.data(), deviation_, &steps[from], size);
    }
  }

  void accumulate(const Message& message, Scratch&, MessageSum& sum) const override {
    const auto* grid = std::get_if<GridMessage>(&message);
    if (grid == nullptr || grid->steps.size() != dimension_) {
      throw Error(ErrorCode::data, "message", "", "gaussian, dimension " + std::to_string(dimension_),
                  "not a message of this randomizer");
    }
    if (sum.sums().size() != dimension_ || sum.step() != step_) {
      throw Error(ErrorCode::internal, "message sum", "", "the randomizer's dimension and step",
                  "does not match");
    }
    add_steps(grid->steps.data(), sum.sums().data(), dimension_);
    sum.count_one();
  }

 private:
  double sigma_, clip_;
  std::size_t dimension_;
  double step_;
  float deviation_;  // in steps
};

}  // namespace

GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension) {
  if (!(sigma >= kSmallestSigma && sigma <= kLargestSigma)) {
    throw Error(ErrorCode::plan, "randomizer.sigma", std::to_string(sigma), "2^-12 .. 1e9",
                "noise outside the message format");
  }
  check_shape(clip, dimension);
  const double step = std::ldexp(1.0, std::ilogb(sigma * clip) - 16);
  return {step, round_up(sigma * clip / step * kDeviationMargin)};
}

std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension) {
  return std::make_unique<Gaussian>(sigma, clip, dimension);
}

}  // namespace muster::randomizers

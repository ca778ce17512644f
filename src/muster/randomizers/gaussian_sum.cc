#include "muster/randomizers/gaussian_sum.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "muster/random/exact_normals.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/grid_kernels.h"

namespace muster::randomizers {
namespace {

constexpr int kExactBits = 26;
constexpr std::uint32_t kExactBound = (1u << kExactBits) + 1;

class GaussianSum final : public SumSampler {
 public:
  GaussianSum(double sigma, double clip, std::size_t dimension)
      : clip_(clip),
        dimension_(dimension),
        grid_(gaussian_grid(sigma, clip, dimension)),
        // A clipped coordinate has at most 2^26 steps, so the sum of 31 of them fits into 32 bits.
        exact_step_(std::ldexp(1.0, std::ilogb(clip) + 1 - kExactBits)) {}

  MessageSum make_sum() const override { return MessageSum(dimension_, exact_step_); }

  void add(std::span<const float> vector, MessageSum& exact) const override { add_all({&vector, 1}, exact); }

  void add_all(std::span<const std::span<const float>> vectors, MessageSum& exact) const override {
    check(exact);
    while (!vectors.empty()) {
      const std::size_t count = std::min(vectors.size(), VectorRandomizer::kPass);
      std::array<const float*, VectorRandomizer::kPass> from;
      std::array<float, VectorRandomizer::kPass> factors;
      for (std::size_t i = 0; i < count; ++i) {
        from[i] = vectors[i].data();
        factors[i] = factor_of(vectors[i]);
      }
      const std::span<std::int32_t> sums = exact.narrow_sums(static_cast<std::uint32_t>(count) * kExactBound);
      add_scaled(std::span(from).first(count), factors, sums.data(), dimension_);
      exact.count_more(count);
      vectors = vectors.subspan(count);
    }
  }

  MessageSum draw(const MessageSum& exact, const random::RunKey& key, std::uint64_t round) const override {
    check(exact);
    MessageSum sum(dimension_, grid_.step);
    sum.count_more(exact.count());
    if (exact.count() == 0) return sum;
    const auto messages = static_cast<double>(exact.count());
    const double deviation = std::sqrt(messages * grid_.deviation * grid_.deviation + (messages - 1) / 12);
    const double scale = exact_step_ / grid_.step, error = deviation * random::kNormalError;
    const std::span<const std::int64_t> clipped = exact.sums();
    const std::span<std::int64_t> noisy = sum.sums();
    const random::StreamAddress address{random::Purpose::sum_noise, round, 0};
    alignas(64) std::array<float, 1024> normals;
    for (std::size_t from = 0; from < dimension_; from += normals.size()) {
      const std::size_t size = std::min(normals.size(), dimension_ - from);
      random::fill_certified_normals(key, address, from, std::span(normals).first(size));
      for (std::size_t i = 0; i < size; ++i) {
        const double shift = static_cast<double>(clipped[from + i]) * scale;
        const double value = shift + static_cast<double>(normals[i]) * deviation,
                     whole = std::nearbyint(value);
        // The margin covers the normal's error and the rounding errors of `shift` and `value`. A NaN fails
        // the comparison.
        const bool clear =
            std::abs(value - whole) <= 0.5 - error - (std::abs(shift) + 8 * deviation) * 0x1p-50;
        noisy[from + i] = clear ? static_cast<std::int64_t>(whole)
                                : random::rounded_normal(key, address, from + i, shift, deviation);
      }
    }
    return sum;
  }

 private:
  // Returns the factor that clips the vector and converts it to units of exact_step_.
  float factor_of(std::span<const float> vector) const {
    check_dimension(vector, dimension_);
    return round_down(clip_factor(checked_norm(vector), clip_) / exact_step_);
  }

  void check(const MessageSum& exact) const { check_sum(exact, dimension_, exact_step_); }

  double clip_;
  std::size_t dimension_;
  GaussianGrid grid_;
  double exact_step_;
};

}  // namespace

std::unique_ptr<SumSampler> make_gaussian_sum(double sigma, double clip, std::size_t dimension) {
  return std::make_unique<GaussianSum>(sigma, clip, dimension);
}

}  // namespace muster::randomizers

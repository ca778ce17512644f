#include "muster/randomizers/l1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/signed_index.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

constexpr std::uint32_t kSign = 0x80000000;

// (-1)^(ones of i & j), as the sign bit of a float.
std::uint32_t sign_bit(std::size_t i, std::size_t j) { return std::popcount(i & j) % 2 == 0 ? 0 : kSign; }

class L1 final : public SignedIndexRandomizer {
 public:
  L1(double epsilon0, double clip, std::size_t dimension)
      : SignedIndexRandomizer(accounting::CoordinateLocal::Norm::l1, epsilon0, clip, dimension,
                              std::bit_ceil(dimension)) {}

  double variance(double squared_norm) const override {
    return l1_second_moment(sign_scale(), clip(), static_cast<double>(dimension())) - squared_norm;
  }

  void mean(const MessageSum& sum, std::span<float> out) const override {
    check(sum);
    if (out.size() != dimension()) {
      throw Error(ErrorCode::internal, "mean", "", "the randomizer's dimension", "sizes differ");
    }
    AlignedVector<std::int64_t> signs(sum.sums().begin(), sum.sums().end());
    hadamard_transform(signs);
    const double scale = sum.count() == 0 ? 0.0 : clip() * sign_scale() / static_cast<double>(sum.count());
    std::transform(signs.begin(), signs.begin() + static_cast<std::ptrdiff_t>(out.size()), out.begin(),
                   [scale](std::int64_t s) { return static_cast<float>(static_cast<double>(s) * scale); });
  }

 private:
  double share(std::span<const float> gradient, std::size_t index) const override {
    const HadamardEntry row = hadamard_entry(gradient, index);
    if (!std::isfinite(row.norm)) check_finite(gradient);
    return row.entry / std::max(row.norm, clip());
  }
};

}  // namespace

void hadamard_transform(std::span<std::int64_t> x) {
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t from = 0; from < x.size(); from += 2 * half) {
      for (std::size_t i = from; i < from + half; ++i) {
        const std::int64_t a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

HadamardEntry hadamard_entry(std::span<const float> x, std::size_t index) {
  // Sixteen running sums: element i goes to number i mod 16, with the sign of its low four bits applied at
  // once and that of its block of sixteen for the whole block.
  constexpr std::size_t kLanes = 16;
  std::array<std::uint32_t, kLanes> low;
  for (std::size_t i = 0; i < kLanes; ++i) low[i] = sign_bit(i, index);
  std::array<double, kLanes> norm{}, entry{};
  const auto add = [&](std::size_t from, std::size_t size) {
    const std::uint32_t block = sign_bit(from, index);
    for (std::size_t i = 0; i < size; ++i) {
      norm[i] += static_cast<double>(std::abs(x[from + i]));
      entry[i] += static_cast<double>(
          std::bit_cast<float>(std::bit_cast<std::uint32_t>(x[from + i]) ^ low[i] ^ block));
    }
  };
  const std::size_t whole = x.size() / kLanes * kLanes;
  for (std::size_t from = 0; from < whole; from += kLanes) add(from, kLanes);
  add(whole, x.size() - whole);
  HadamardEntry sums{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    sums.norm += norm[i];
    sums.entry += entry[i];
  }
  return sums;
}

std::unique_ptr<VectorRandomizer> make_l1(double epsilon0, double clip, std::size_t dimension) {
  check_shape(clip, dimension);
  return std::make_unique<L1>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

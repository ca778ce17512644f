#include "muster/randomizers/l1.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/hadamard.h"
#include "muster/randomizers/signed_index.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

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

std::unique_ptr<VectorRandomizer> make_l1(double epsilon0, double clip, std::size_t dimension) {
  check_shape(clip, dimension);
  return std::make_unique<L1>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

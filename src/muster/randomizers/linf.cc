#include "muster/randomizers/linf.h"

#include <algorithm>

#include "muster/core/error.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/signed_index.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

class Linf final : public SignedIndexRandomizer {
 public:
  Linf(double epsilon0, double clip, std::size_t dimension)
      : SignedIndexRandomizer(accounting::CoordinateLocal::Norm::linf, epsilon0, clip, dimension, dimension) {
  }

  double variance(double squared_norm) const override {
    return linf_second_moment(sign_scale(), clip(), static_cast<double>(dimension())) - squared_norm;
  }

  void mean(const MessageSum& sum, std::span<float> out) const override {
    check(sum);
    if (out.size() != dimension()) {
      throw Error(ErrorCode::internal, "mean", "", "the randomizer's dimension", "sizes differ");
    }
    const double length = static_cast<double>(dimension()) * clip() * sign_scale();
    const double scale = sum.count() == 0 ? 0.0 : length / static_cast<double>(sum.count());
    std::ranges::transform(sum.sums(), out.begin(), [scale](std::int64_t signs) {
      return static_cast<float>(static_cast<double>(signs) * scale);
    });
  }

 private:
  double share(std::span<const float> gradient, std::size_t index) const override {
    // All coordinates are checked, not only the one that is sent, so that a diverged model is always noticed.
    check_finite(gradient);
    return static_cast<double>(gradient[index]) / clip();
  }
};

}  // namespace

std::unique_ptr<VectorRandomizer> make_linf(double epsilon0, double clip, std::size_t dimension) {
  return std::make_unique<Linf>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

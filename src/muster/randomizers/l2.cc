#include "muster/randomizers/l2.h"

#include <utility>

#include "muster/randomizers/ldp_sgd.h"

namespace muster::randomizers {
namespace {

// The sampler of ldp-sgd; the accountant charges it as a coordinate sampler.
class L2 final : public StreamRandomizer {
 public:
  L2(double epsilon0, double clip, std::size_t dimension)
      : epsilon0_(epsilon0), sphere_(make_ldp_sgd(epsilon0, clip, dimension)) {}

  std::size_t dimension() const override { return sphere_->dimension(); }
  accounting::Mechanism description() const override {
    return accounting::CoordinateLocal{accounting::CoordinateLocal::Norm::l2, epsilon0_};
  }
  std::uint64_t message_bits() const override { return sphere_->message_bits(); }
  double variance(double squared_norm) const override { return sphere_->variance(squared_norm); }
  double step() const override { return sphere_->step(); }
  std::unique_ptr<Scratch> make_scratch() const override { return sphere_->make_scratch(); }

  void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch& scratch,
                      Message& out) const override {
    sphere_->randomize_from(bits, gradient, scratch, out);
  }
  void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const override {
    sphere_->accumulate(message, scratch, sum);
  }
  void accumulate_all(std::span<const Message> messages, Scratch& scratch, MessageSum& sum) const override {
    sphere_->accumulate_all(messages, scratch, sum);
  }

 private:
  double epsilon0_;
  std::unique_ptr<StreamRandomizer> sphere_;
};

}  // namespace

std::unique_ptr<VectorRandomizer> make_l2(double epsilon0, double clip, std::size_t dimension) {
  return std::make_unique<L2>(epsilon0, clip, dimension);
}

}  // namespace muster::randomizers

#include <algorithm>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/randomizers/grid_kernels.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

MessageSum::MessageSum(std::size_t dimension, double step) : sums_(dimension), step_(step) {}

void MessageSum::merge(const MessageSum& other) {
  if (other.sums_.size() != sums_.size() || other.step_ != step_) {
    throw Error(ErrorCode::internal, "message sum", "", "the same dimension and step", "sums do not match");
  }
  widen();
  other.widen();
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  count_ += other.count_;
}

void MessageSum::clear() {
  std::fill(sums_.begin(), sums_.end(), 0);
  if (narrow_bound_ != 0) std::fill(narrow_.begin(), narrow_.end(), 0);
  narrow_bound_ = 0;
  count_ = 0;
}

void MessageSum::mean(std::span<float> out) const {
  if (out.size() != sums_.size()) {
    throw Error(ErrorCode::internal, "mean", "", "the sum's dimension", "sizes differ");
  }
  widen();
  const double scale = count_ == 0 ? 0.0 : step_ / static_cast<double>(count_);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(static_cast<double>(sums_[i]) * scale);
}

std::span<std::int32_t> MessageSum::narrow_sums(std::uint32_t bound) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int32_t>::max();
  if (bound > kLargest) {
    throw Error(ErrorCode::internal, "bound", std::to_string(bound), "below 2^31", "no 32-bit message");
  }
  if (narrow_bound_ + bound > kLargest) widen();
  narrow_.resize(sums_.size());
  narrow_bound_ += bound;
  return narrow_;
}

void MessageSum::widen() const {
  if (narrow_bound_ == 0) return;
  move_steps(narrow_.data(), sums_.data(), sums_.size());
  narrow_bound_ = 0;
}

}  // namespace muster::randomizers

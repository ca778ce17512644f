#include <algorithm>

#include "muster/core/error.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

MessageSum::MessageSum(std::size_t dimension, double step) : sums_(dimension), step_(step) {}

void MessageSum::merge(const MessageSum& other) {
  if (other.sums_.size() != sums_.size() || other.step_ != step_) {
    throw Error(ErrorCode::internal, "message sum", "", "the same dimension and step", "sums do not match");
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
  count_ += other.count_;
}

void MessageSum::clear() {
  std::fill(sums_.begin(), sums_.end(), 0);
  count_ = 0;
}

void MessageSum::mean(std::span<float> out) const {
  if (out.size() != sums_.size()) {
    throw Error(ErrorCode::internal, "mean", "", "the sum's dimension", "sizes differ");
  }
  const double scale = count_ == 0 ? 0.0 : step_ / static_cast<double>(count_);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(static_cast<double>(sums_[i]) * scale);
}

}  // namespace muster::randomizers

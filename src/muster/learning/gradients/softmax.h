// Computes the softmax cross-entropy of a row of logits, for all engines. All functions are pure and
// thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/learning/dataset.h"

namespace muster::learning {

// Returns the loss -ln softmax(logits)[label], in nats, and overwrites `slope` with d loss / d logits, which
// is softmax(logits) minus 1 at the label. Both spans have one entry per class, at most kMaxClasses. The
// exponentials are computed in double, relative to the largest logit, so that no finite logit overflows.
template <typename Scalar>
Scalar cross_entropy(std::span<const Scalar> logits, std::uint8_t label, std::span<Scalar> slope) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  std::array<double, kMaxClasses> weight;
  double sum = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    weight[c] = std::exp(static_cast<double>(logits[c]) - top);
    sum += weight[c];
  }
  for (std::size_t c = 0; c < logits.size(); ++c) {
    slope[c] = static_cast<Scalar>(weight[c] / sum - (c == label ? 1.0 : 0.0));
  }
  return static_cast<Scalar>(std::log(sum) + top - static_cast<double>(logits[label]));
}

// Returns only the loss, with the same bits.
template <typename Scalar>
Scalar cross_entropy(std::span<const Scalar> logits, std::uint8_t label) {
  std::array<Scalar, kMaxClasses> slope;
  return cross_entropy(logits, label, std::span(slope).first(logits.size()));
}

// Returns the class with the largest logit; on a tie, the lowest such class.
template <typename Scalar>
std::uint8_t largest_class(std::span<const Scalar> logits) {
  return static_cast<std::uint8_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace muster::learning

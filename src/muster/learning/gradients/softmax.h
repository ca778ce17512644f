// Softmax cross-entropy of a row of logits, shared by every engine. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster::learning {

// -ln softmax(logits)[label], in nats; overwrites `slope` with d loss / d logits = softmax(logits) - e_label.
// The exponentials are taken in double, relative to the largest logit, so no finite logit overflows.
template <typename Scalar>
Scalar cross_entropy(std::span<const Scalar> logits, std::uint8_t label, std::span<Scalar> slope) {
  const double top = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const Scalar logit : logits) sum += std::exp(static_cast<double>(logit) - top);
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const double share = std::exp(static_cast<double>(logits[c]) - top) / sum;
    slope[c] = static_cast<Scalar>(share - (c == label ? 1.0 : 0.0));
  }
  return static_cast<Scalar>(std::log(sum) + top - static_cast<double>(logits[label]));
}

// The class with the largest logit, the lowest on a tie.
template <typename Scalar>
std::uint8_t largest_class(std::span<const Scalar> logits) {
  return static_cast<std::uint8_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace muster::learning

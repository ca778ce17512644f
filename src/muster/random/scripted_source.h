// Supplies words given in advance. Tests use this source to drive a sampler into a rare branch and to count
// the words that the sampler consumes. A source belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/random/bit_source.h"

namespace muster::random {

class ScriptedSource final : public BitSource {
 public:
  explicit ScriptedSource(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  // Throws Error(internal) when no word is left.
  std::uint64_t next_u64() override {
    if (consumed_ == words_.size()) {
      throw Error(ErrorCode::internal, "script", std::to_string(words_.size()) + " words", "",
                  "the script is exhausted");
    }
    return words_[consumed_++];
  }

  std::size_t consumed() const { return consumed_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t consumed_ = 0;
};

}  // namespace muster::random

// Suggestions for unknown words: "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::protocols {

// The candidate with the smallest edit distance from `word`, or with `word` as its initials ("lr" for
// "learning-rate"); empty if none is close.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace muster::protocols

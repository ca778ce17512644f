// Finds the word that a user may have meant by an unknown one, for messages that ask "did you mean ...?". The
// function is pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::protocols {

// Returns the candidate that has `word` as its initials ("lr" for "learning-rate") or else the smallest edit
// distance from `word`. Returns an empty text if no candidate is close.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace muster::protocols

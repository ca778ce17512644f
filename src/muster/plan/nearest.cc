#include "muster/plan/nearest.h"

#include <algorithm>
#include <numeric>

namespace muster::protocols {
namespace {

// Returns the edit distance, which is the least number of letters to insert, delete or substitute.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i - 1] != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[to.size()];
}

// Returns the first letters of the words of `text`, such as "lr" for "learning-rate".
std::string initials(std::string_view text) {
  std::string letters;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '-' || text[i - 1] == '_' || text[i - 1] == '.';
    if (begins && text[i] != '-') letters += text[i];
  }
  return letters;
}

std::string_view without_dashes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('-'), text.size()));
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  for (const std::string_view candidate : candidates) {
    const std::string letters = initials(candidate);
    if (letters.size() > 1 && without_dashes(word) == letters) return std::string(candidate);
  }
  std::string_view best;
  std::size_t fewest = word.size() / 3 + 2;  // candidates at this distance or farther are not suggested
  for (const std::string_view candidate : candidates) {
    if (const std::size_t distance = edits(word, candidate); distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return std::string(best);
}

}  // namespace muster::protocols

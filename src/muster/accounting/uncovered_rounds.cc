#include "muster/accounting/uncovered_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "muster/numerics/ordered.h"
#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

// Consecutive rounds of one launch; `launch` is 0 if there is only one.
struct Range {
  std::size_t launch;
  std::uint64_t first, last;
};

struct Uncovered {
  std::string why;
  std::vector<Range> ranges;
};

// Returns why no theorem covers these rounds, or "" if one does.
std::string reason(const ChargedRounds& rounds) {
  const Applicable found = applicable(rounds.mechanism, rounds.participation);
  const bool covered = std::ranges::any_of(
      found.uppers, [](const RoundBound& bound) { return bound.validity == Validity::proven; });
  if (covered) return "";
  return found.missing.empty() ? "no theorem is proven for them" : found.missing;
}

void add(std::vector<Uncovered>& list, const std::string& why, const Range& range) {
  auto same = std::ranges::find(list, why, &Uncovered::why);
  if (same == list.end()) same = list.insert(list.end(), {why, {}});
  std::vector<Range>& ranges = same->ranges;
  if (!ranges.empty() && ranges.back().launch == range.launch && ranges.back().last + 1 == range.first) {
    ranges.back().last = range.last;
  } else {
    ranges.push_back(range);
  }
}

std::string text_of(const Range& range) {
  const std::string launch = range.launch == 0 ? "" : fmt::format("launch {}, ", range.launch);
  return range.first == range.last ? fmt::format("{}round {}", launch, range.first)
                                   : fmt::format("{}rounds {} to {}", launch, range.first, range.last);
}

std::string text_of(const Uncovered& uncovered) {
  constexpr std::size_t kShown = 4;
  std::string list;
  for (std::size_t i = 0; i < numerics::smaller(kShown, uncovered.ranges.size()); ++i) {
    list += (i == 0 ? "" : ", ") + text_of(uncovered.ranges[i]);
  }
  if (uncovered.ranges.size() > kShown) {
    list += fmt::format(" and {} more ranges of rounds", uncovered.ranges.size() - kShown);
  }
  return fmt::format("{}: {}", list, uncovered.why);
}

}  // namespace

std::vector<std::string> uncovered_rounds(const std::vector<ChargedRounds>& rounds) {
  std::vector<Uncovered> list;
  std::size_t launch = 0;
  std::uint64_t before = 0;  // rounds of this launch before these
  for (const ChargedRounds& each : rounds) {
    if (each.launch != launch) before = 0;
    launch = each.launch;
    if (const std::string why = reason(each); !why.empty()) {
      add(list, why, {launch, before + 1, before + each.rounds});
    }
    before += each.rounds;
  }
  std::vector<std::string> texts;
  for (const Uncovered& uncovered : list) texts.push_back(text_of(uncovered));
  return texts;
}

}  // namespace muster::accounting

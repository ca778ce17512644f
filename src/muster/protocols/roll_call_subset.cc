#include "muster/protocols/roll_call_subset.h"

#include <bit>
#include <limits>

#include "muster/core/error.h"
#include "muster/random/samplers.h"

namespace muster::protocols {
namespace {

constexpr std::uint64_t kFree = std::numeric_limits<std::uint64_t>::max();
// 2^64 divided by the golden ratio: multiplying by it spreads nearby numbers over the table.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
// The number of members drawn between two checks of the interrupt; drawing them takes a few milliseconds.
constexpr std::uint64_t kTogether = std::uint64_t{1} << 15;

}  // namespace

bool SubsetSampler::insert(std::uint64_t member) {
  const std::size_t mask = table_.size() - 1;
  const int shift = std::countl_zero(static_cast<std::uint64_t>(mask));
  std::size_t place = mask == 0 ? 0 : static_cast<std::size_t>((member * kGolden) >> shift);
  while (table_[place] != kFree) {
    if (table_[place] == member) return false;
    place = (place + 1) & mask;
  }
  table_[place] = member;
  return true;
}

void SubsetSampler::draw(random::BitSource& bits, std::uint64_t count, std::uint64_t size,
                         std::vector<std::uint64_t>& subset, const Interrupt& interrupt) {
  if (size > count) {
    throw Error(ErrorCode::internal, "subset", std::to_string(size), "at most " + std::to_string(count),
                "more members than there are");
  }
  subset.clear();
  subset.reserve(size);
  table_.assign(std::bit_ceil(2 * size + 1), kFree);
  // Bentley and Floyd, "A sample of brilliance" (1987): take a uniform subset of [0, last) and add a uniform
  // element of [0, last], or `last` itself if that element is already in the subset. The result is a uniform
  // subset of [0, last].
  for (std::uint64_t last = count - size; last < count; ++last) {
    if (last % kTogether == 0) interrupt.check();
    const std::uint64_t drawn = random::uniform_below(bits, last + 1);
    const std::uint64_t member = insert(drawn) ? drawn : last;
    if (member == last && drawn != last) insert(last);
    subset.push_back(member);
  }
}

void RollCallOfSubset::append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) {
  random::KeyedStream bits(key_, {random::Purpose::subset, first_round, 0});
  interrupt().check();
  sampler_.draw(bits, clients_, size_, subset_, interrupt());
  const Range range = range_of(size_, share);
  senders.reserve(senders.size() + range.count);
  for (std::uint64_t place = range.first; place < range.first + range.count; ++place) {
    senders.push_back({subset_[place], first_round, false});
  }
}

}  // namespace muster::protocols

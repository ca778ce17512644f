#include "muster/protocols/roll_call.h"

#include <algorithm>

#include "muster/core/error.h"
#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/protocols/roll_call_slots.h"
#include "muster/protocols/roll_call_subset.h"

namespace muster::protocols {
Range range_of(std::uint64_t count, Share share) {
  const std::uint64_t length = count / share.of, longer = count % share.of;
  return {share.index * length + std::min(share.index, longer), length + (share.index < longer ? 1 : 0)};
}

std::unique_ptr<RollCall> make_roll_call(const Plan& plan, const random::RunKey& key) {
  const std::uint64_t n = plan.clients();
  const auto coins = [&] {
    return CheckInCoins(key, plan.rate(), plan.dropout(), plan.min_rate().value_or(plan.rate()));
  };
  switch (plan.protocol()) {
    case Protocol::shuffle:
      return std::make_unique<RollCallOfEverybody>(n);
    case Protocol::subset:
      return std::make_unique<RollCallOfSubset>(key, n, plan.subset());
    case Protocol::shuffled_check_in:
      return std::make_unique<RollCallByCoins>(coins(), n, 1);
    case Protocol::aggregated_check_in:
      return std::make_unique<RollCallByCoins>(coins(), n, plan.minimum());
    case Protocol::random_check_in_fixed:
      return std::make_unique<RollCallOfFixedWindow>(key, coins(), n, plan.slots(), plan.batch());
    case Protocol::random_check_in_averaged:
      return std::make_unique<RollCallAveraged>(key, coins(), n, plan.slots());
    case Protocol::random_check_in_sliding:
      return std::make_unique<RollCallOfSlidingWindow>(key, coins(), n, plan.slots());
  }
  throw Error(ErrorCode::internal, "participation.protocol", name_of(plan.protocol()), "",
              "a protocol without a roll call");
}

}  // namespace muster::protocols

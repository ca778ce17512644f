#include "muster/plan/runnable_rounds.h"

#include <fmt/format.h>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

void check_slots_can_be_trained(const Plan& plan) {
  constexpr std::uint64_t kMaxSlots = 1'000'000'000;  // each slot takes at least 16 bytes of memory
  if (plan.has_slots() && plan.slots() > kMaxSlots) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "participation.slots", fmt::format("{}", plan.slots()),
                "integer 1..1e9", "is more slots than can be trained");
  }
  if (plan.protocol() == Protocol::random_check_in_sliding && plan.slots() > plan.clients()) {
    throw Error(
        ErrorCode::plan, Reason::contradiction, "participation.slots", fmt::format("{}", plan.slots()),
        fmt::format("integer 1..{}", plan.clients()),
        "is a window longer than the run: it ends before the first client's window does, with no update");
  }
}

void check_updates_can_be_numbered(const Plan& plan) {
  // Updates count from 1, and the address of a random stream holds numbers below 2^40.
  constexpr std::uint64_t kMaxUpdates = (std::uint64_t{1} << 40) - 1;
  if (plan.updates() > kMaxUpdates) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rounds.count", fmt::format("{}", plan.rounds()),
                fmt::format("integer 0..{}", kMaxUpdates / plan.updates_per_round()),
                plan.has_slots()
                    ? fmt::format("is more than can be trained, with {} slots each", plan.updates_per_round())
                    : "is more rounds than can be trained");
  }
}

void check_batch_divides_slots(const Plan& plan) {
  if (plan.has_slots() && plan.slots() % plan.batch() != 0) {
    throw Error(ErrorCode::plan, Reason::contradiction, "rounds.batch", fmt::format("{}", plan.batch()),
                fmt::format("a divisor of participation.slots = {}", plan.slots()),
                "makes a step reach into the next run");
  }
}

}  // namespace

void check_rounds_can_run(const Plan& plan) {
  check_slots_can_be_trained(plan);
  check_updates_can_be_numbered(plan);
  check_batch_divides_slots(plan);
}

}  // namespace muster::protocols

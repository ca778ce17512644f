#include "muster/plan/calibration/open_plan.h"

#include <string_view>
#include <utility>
#include <vector>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

Plan partial_plan(const PlanSource& source) {
  std::vector<std::string_view> absent;
  for (const std::string_view key : solvable_keys()) {
    if (source.find(key) == nullptr) absent.push_back(key);
  }
  return Plan::validate(source, Command::account, absent);
}

// Returns the plan that accounting takes; nullopt if a key is missing.
std::optional<Plan> whole_plan(const PlanSource& source) {
  try {
    return Plan::validate(source, Command::account);
  } catch (const Error& error) {
    if (error.reason() == Reason::missing) return std::nullopt;
    throw;
  }
}

}  // namespace

OpenPlan::OpenPlan(PlanSource source) : source_(std::move(source)), partial_(partial_plan(source_)) {
  // Whatever is made from this source has the profile that was read now, even if its file changes.
  if (partial_.profile() != nullptr) source_.keep_file("randomizer.profile", partial_.profile());
  whole_ = whole_plan(source_);
}

const Plan& OpenPlan::whole() const {
  if (!whole_) {
    Plan::validate(source_, Command::account);
    throw Error(ErrorCode::internal, "plan", "", "", "a plan that was incomplete and is complete");
  }
  return *whole_;
}

Plan OpenPlan::solving_for(Knob knob) const {
  return Plan::validate(source_, Command::calibrate, keys_solved_by(knob));
}

}  // namespace muster::protocols

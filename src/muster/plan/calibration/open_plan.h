// A plan in which keys that calibration solves for may be missing, as long as nothing needs them.
//
// Whatever the plan states is checked when it is made. What is missing is refused when it is needed: by
// whole(), which accounting calls, unless solving_for() is to find it.
//
// Example:
//     const OpenPlan open(source);              // no epsilon0 yet
//     open.whole();                             // throws: randomizer.epsilon0 is missing
//     calibrate(open.solving_for(Knob::epsilon0), Knob::epsilon0, target);
//
// Immutable; any thread may call it.
#pragma once

#include <optional>

#include "muster/plan/calibration/knob.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

class OpenPlan {
 public:
  // Throws Error(plan) for whatever Plan::validate refuses, except that a key of solvable_keys() is missing.
  explicit OpenPlan(PlanSource source);

  const PlanSource& source() const { return source_; }
  // The plan's values. Those of keys that are missing mean nothing.
  const Plan& partial() const { return partial_; }
  bool complete() const { return whole_.has_value(); }

  // Throws Error(plan), which names the key, if a key is missing that `account` needs.
  const Plan& whole() const;
  // Returns the plan for calibrate(). Throws Error(plan) if a key is missing that the knob does not solve
  // for.
  Plan solving_for(Knob knob) const;

 private:
  PlanSource source_;
  Plan partial_;
  std::optional<Plan> whole_;
};

}  // namespace muster::protocols

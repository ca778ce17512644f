// A plan in which keys that calibration solves for may be missing, as long as nothing needs them.
//
// The keys that are stated are checked when an OpenPlan is made. A missing key is refused only when it is
// needed: by whole(), which accounting calls, and by solving_for() unless the knob solves for the key.
//
// Example:
//     const OpenPlan open(source);              // no epsilon0 yet
//     open.whole();                             // throws: randomizer.epsilon0 is missing
//     calibrate(open.solving_for(Knob::epsilon0), Knob::epsilon0, target);
//
// An OpenPlan is immutable, and its functions may be called from any thread. It reads the file of a profile
// once, when it is made.
#pragma once

#include <optional>

#include "muster/plan/calibration/knob.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {

class OpenPlan {
 public:
  // Throws Error(plan) for whatever Plan::validate refuses, except that keys of solvable_keys() may be
  // missing.
  explicit OpenPlan(PlanSource source);

  const PlanSource& source() const { return source_; }
  // Returns the plan with the values that are stated. The values of missing keys mean nothing.
  const Plan& partial() const { return partial_; }
  bool complete() const { return whole_.has_value(); }

  // Returns the plan for accounting. Throws Error(plan), which names the key, if a key is missing that
  // `account` needs.
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

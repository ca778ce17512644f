// The proven upper epsilon of a plan as a function of one of its parameters.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "muster/accounting/accountant.h"
#include "muster/plan/calibration/knob.h"

namespace muster::protocols {

struct Target {
  double epsilon;                                       // > 0
  double delta;                                         // in (0, 1)
  std::optional<accounting::View> view = std::nullopt;  // the protocol's own view if not given
};

// Keeps the accountants of the last three values, because the answer is usually one of these values. If the
// parameter is the number of rounds, one accountant serves all values. Use an object from one thread only.
class ParameterCost {
 public:
  ParameterCost(const Plan& plan, const Parameter& parameter, const Target& target);

  // The smallest proven upper epsilon at the target's delta; infinity if no theorem bounds it.
  double upper(double value);
  // An epsilon a little above upper(value), at less cost. If the target names a view, it is upper(value).
  double rough_upper(double value);
  accounting::Statement statement(double value);

 private:
  struct Kept {
    double value;
    std::unique_ptr<accounting::Accountant> accountant;
  };

  std::uint64_t rounds(double value) const;
  const accounting::Accountant& at(double value);

  Plan plan_;
  Parameter parameter_;
  Target target_;
  std::list<Kept> kept_;
};

}  // namespace muster::protocols

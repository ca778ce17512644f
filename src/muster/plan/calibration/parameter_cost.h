// Computes the proven upper epsilon of a plan as a function of one of its parameters. A ParameterCost belongs
// to one thread.
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

// Evaluates one value of the parameter at a time. A ParameterCost keeps the accountants of the last three
// values, because the result of a search is usually one of these values. If the parameter is the number of
// rounds, one accountant serves all values.
class ParameterCost {
 public:
  ParameterCost(const Plan& plan, const Parameter& parameter, const Target& target);

  // Returns the smallest proven upper epsilon at the target's delta; infinity if no theorem bounds it.
  double upper(double value);
  // Returns an epsilon a little above upper(value), at less cost; upper(value) itself if the target names a
  // view.
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

#include "muster/composition/remembered_curves.h"

#include <cstddef>

#include "muster/core/interrupt.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

// The largest number of epsilons at which values are remembered, about eight megabytes.
constexpr std::size_t kMostRemembered = 100'000;

}  // namespace

template <typename Value>
typename RememberedCurves<Value>::Values RememberedCurves<Value>::at(double epsilon) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(epsilon); known != known_.end()) return known->second;
  }
  InterruptScope::current().check();
  const double before = numerics::work_done();
  const Value forward = forward_(epsilon);
  Values values{forward, reverse_ ? reverse_(epsilon) : forward, 0};
  const Values now = values;
  values.work_before = numerics::work_done() - before;
  const std::lock_guard lock(mutex_);
  if (known_.size() < kMostRemembered) known_.try_emplace(epsilon, values);
  return now;
}

template class RememberedCurves<numerics::UpperAndEstimate>;
template class RememberedCurves<EnclosedMinorant>;
template class RememberedCurves<numerics::Enclosure>;

}  // namespace muster::accounting

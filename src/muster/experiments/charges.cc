#include "muster/experiments/charges.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace muster::experiments {
namespace {

// An epsilon function that remembers the values that it has returned.
class Table {
 public:
  explicit Table(std::function<double(std::uint64_t)> epsilon) : epsilon_(std::move(epsilon)) {}

  // The lock is not held while a value is computed, so that several threads compute different values at once.
  double at(std::uint64_t rounds) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = values_.find(rounds);
      if (found != values_.end()) return found->second;
    }
    const double value = epsilon_(rounds);
    const std::lock_guard lock(mutex_);
    return values_.emplace(rounds, value).first->second;
  }

 private:
  std::function<double(std::uint64_t)> epsilon_;
  std::mutex mutex_;
  std::map<std::uint64_t, double> values_;
};

}  // namespace

simulation::Charge Charges::of(const protocols::Plan& plan) {
  for (const Known& known : known_) {
    if (simulation::same_mechanism(known.mechanism, plan.mechanism()) && known.stages == plan.stages() &&
        known.delta == plan.delta()) {
      return known.charge;
    }
  }
  simulation::Charge charge = simulation::charge_of(plan);
  const auto table = std::make_shared<Table>(std::move(charge.epsilon));
  charge.epsilon = [table](std::uint64_t rounds) { return table->at(rounds); };
  known_.push_back({plan.mechanism(), plan.stages(), plan.delta(), charge});
  return charge;
}

}  // namespace muster::experiments

#include "muster/experiments/charges.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "muster/simulation/setup.h"

namespace muster::experiments {
namespace {

// An epsilon function with a table of the values that it has returned.
class Known {
 public:
  explicit Known(reporting::EpsilonOfRounds epsilon) : epsilon_(std::move(epsilon)) {}

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
  reporting::EpsilonOfRounds epsilon_;
  std::mutex mutex_;
  std::map<std::uint64_t, double> values_;
};

}  // namespace

reporting::EpsilonOfRounds Charges::of(const protocols::Plan& plan) {
  for (const Charge& charge : charges_) {
    if (simulation::same_mechanism(charge.mechanism, plan.mechanism()) && charge.stages == plan.stages() &&
        charge.delta == plan.delta()) {
      return charge.epsilon;
    }
  }
  const auto known = std::make_shared<Known>(simulation::epsilon_of(plan));
  charges_.push_back({plan.mechanism(), plan.stages(), plan.delta(),
                      [known](std::uint64_t rounds) { return known->at(rounds); }});
  return charges_.back().epsilon;
}

}  // namespace muster::experiments

// What all tasks of one operator on one population may cost together, and what each has reserved of it.
//
// Tasks add up by basic composition: epsilons and deltas are summed, and each sum that is not exact is
// rounded up. That holds even if a task is chosen after the results of the others were seen. A task reserves
// what all its planned rounds cost before its first round, and keeps that reserved however it ends, since the
// decision to end it may depend on what was released.
//
// The store has one row for each task:  task 32 | epsilon f64 | delta f64.  It must outlive the object. An
// object belongs to one thread.
//
// Example:
//     PopulationBudget budget(store, "population.db", {.epsilon = 3, .delta = 1e-5});
//     budget.reserve(task.name(), 0.589, 1e-6);
#pragma once

#include <string>
#include <vector>

#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"

namespace muster::service {

// The least double that is not below the sum of two numbers that are not negative.
double sum_rounded_up(double a, double b);

class PopulationBudget {
 public:
  struct Amount {
    double epsilon = 0, delta = 0;
    bool operator==(const Amount&) const = default;
  };
  struct Reservation {
    wire::Hash task{};
    Amount amount;
    bool operator==(const Reservation&) const = default;
  };

  // Throws Error(plan) for a limit that is no pair of positive normal numbers with a delta below 1, and
  // Error(file), with `origin` for its key, if the store is damaged.
  PopulationBudget(Store& store, std::string origin, Amount limit);

  // Reserves the amount for the task, and returns it when that is durable. If the task has reserved it
  // before, on this or another machine (same_cost.h), returns what was reserved then. Throws Error(budget) if
  // all tasks together would pass the limit, Error(file) if the task has reserved another amount, and
  // Error(internal) for an amount that is no pair of positive normal numbers.
  Amount reserve(const wire::Hash& task, Amount amount);

  const std::vector<Reservation>& reservations() const { return reservations_; }
  // What all tasks have reserved together, rounded up.
  Amount reserved() const;

 private:
  Store& store_;
  std::string origin_;
  Amount limit_;
  std::vector<Reservation> reservations_;
};

}  // namespace muster::service

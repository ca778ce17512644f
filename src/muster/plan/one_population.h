// Compares the populations of two plans: whether a client would hold the same records in both.
//
// An epsilon of several launches together protects the records of one client, which must be the same in all
// of them. Only what plans state is compared; no data is read, so a default that is also stated counts as
// another value. Numbers of clients may differ: the client who is protected takes part in all launches. The
// function is pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "muster/plan/plan.h"

namespace muster::protocols {

// A key on which two plans disagree, with the value that each states, or "not stated".
struct PopulationDifference {
  std::string_view key;
  std::string first, second;
};

// Returns a key which gives a client other records in one plan than in the other, population.data before all
// others; nullopt if there is none, and if a plan names no data, because its records are not known then. The
// seed counts where records follow from it: for built-in digits, which are drawn from it, and for records
// that are dealt by a partition or shared.
std::optional<PopulationDifference> population_difference(const Plan& first, const Plan& second);

}  // namespace muster::protocols

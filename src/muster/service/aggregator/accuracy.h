// The accuracies that were measured on the test set, kept in the aggregator's store beside its ledger:
//
//     "accuracy-ROUND" = f64      after the round with this number
//
// A number that was lost with the process is measured again or stays missing; only pages need it. The
// functions belong to the store's thread.
#pragma once

#include <cstdint>
#include <map>

#include "muster/service/aggregator/round_history.h"
#include "muster/service/store/store.h"

namespace muster::service {

using Accuracies = std::map<std::uint64_t, double>;  // by round

// Returns the accuracies that are kept for rounds of the history. Throws Error(file) if one is not between 0
// and 1, because the store is damaged then.
Accuracies read_accuracies(Store& store, const RoundHistory& history);
void keep_accuracy(Store& store, std::uint64_t round, double accuracy);

}  // namespace muster::service

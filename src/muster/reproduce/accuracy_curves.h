// Makes curves of accuracies out of trainings: against epsilon, by any accounting, or by round. Pure
// functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// What the spread of a point shows: the range of the seeds, or one standard deviation to both sides.
enum class Band { range, deviation };

// Returns the curve whose points are the logged rounds: x is the epsilon of the rounds done, by the given
// accounting, and the value is the mean accuracy of the seeds, with the band as its spread. The curve's kind
// says where epsilon comes from. Rounds for which the accounting has no epsilon are left out.
Curve accuracy_against_epsilon(const std::string& name, Kind kind, const Trained& trained,
                               const std::function<accounting::Bound(std::uint64_t rounds)>& bound,
                               Band band = Band::range);
// Returns two such curves by muster's own accounting, named `proven` and `lower`: against the proven epsilons
// that the Trainer has computed already, and against the lower values of `statement`. Each point has the id
// of its bound, which the statement after the same rounds names.
std::vector<Curve> accuracy_against_own(
    const std::string& proven, const std::string& lower, const Trained& trained,
    const std::function<accounting::Statement(std::uint64_t rounds)>& statement, Band band = Band::range);

// Returns the curve of kind `simulated` whose x are the rounds done.
Curve accuracy_by_round(const std::string& name, const Trained& trained, Band band = Band::range);

// Returns the first logged round with at least this mean accuracy; nullptr if no logged round has.
const TrainedRound* first_reaching(const Trained& trained, double accuracy);

}  // namespace muster::reproduce

// Judges what both versions of "Shuffled check-in" claim about LDP-SGD in their Figure 3a: that it reaches
// 90% accuracy, and what epsilon is then, by Theorem 2 and by strong composition.
//
// `figure` is the figure's id, with which the ids of its statements and claims begin. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/shuffled_check_in/ldp_sgd.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce {

// Returns the curve of the two epsilons that the text states.
Curve stated_at_90(const std::string& figure);

// Returns the finding about the accuracy after the last round.
Finding reaches_90(const Trainer& trainer, const Trained& trained, const std::string& figure);

// Returns the findings about the epsilons at the first logged round with that accuracy. `theorem_2` is the
// theorem with the constants of this version, and `its_name` what the findings call it.
std::vector<Finding> epsilons_at_90(const Trainer& trainer, const LdpSgdAccounting& accounting,
                                    const Trained& trained, const std::string& figure,
                                    accounting::Bound (LdpSgdAccounting::*theorem_2)(std::uint64_t) const,
                                    const std::string& its_name);

}  // namespace muster::reproduce

// What is asked of a plan: the words of --epsilon, --view and --delta as typed questions, and the sentence
// that opens an answer. Used by account and calibrate.
#pragma once

#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"

namespace muster::app {

// The number that `flag` was given; Error(plan) unless finite and >= 0 (> 0 where zero makes no sense).
double number_flag(const std::string& flag, const std::string& text, bool zero_allowed);

// One of the four views; none for the protocol's own (empty text).
std::optional<accounting::View> view_flag(const std::string& text, bool given);

// The plan's delta; Error(plan) saying `why` it is needed.
double delta_of(const protocols::Plan& plan, const std::string& why);

// "ldp-sgd, epsilon0 = 2; 60000 clients, ... in each round; 6800 rounds".
std::string plan_sentence(const protocols::Plan& plan);

}  // namespace muster::app

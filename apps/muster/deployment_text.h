// What the commands of a deployment print alike: the guarantee, and the rounds so far.
//
// An epsilon in words is rounded up, and never stands without its delta, its validity and the view that it
// assumes. The functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "muster/reporting/json.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"

namespace muster::app {

// The task document in the folder of an aggregator, beside the ledger, so that both can be verified together.
inline constexpr const char* kTaskFile = "task.txt";

// Returns "0.9259 at delta 1e-05 (proven, replace-one, shuffler and aggregator do not collude)".
std::string guarantee_text(double epsilon, const protocols::Plan& plan);
// Returns what is left of this guarantee, in all rounds that were opened, if shuffler and aggregator collude.
std::string local_text(double epsilon, std::uint64_t opened, const protocols::Plan& plan);
// The warning about a task whose randomness is seeded.
inline constexpr const char* kSeededWarning =
    "coins and noise follow from the plan's public seed: for tests alone, nobody is protected";
// Adds the fields delta, validity, neighbouring and view.
void add_guarantee(reporting::JsonObject& object, const protocols::Plan& plan);

// Returns lines of output: the text behind its label, wrapped to the width of a terminal.
std::string labelled(const std::string& label, const std::string& text);

// Returns "3 released, 0 spent, 1 void: 4 opened of at most 6".
std::string counts_text(const service::Ledger::Counts& counts, const service::TaskDocument& task);
// Returns "2176 devices were heard, 2064 are needed, 1092 checked in". The number of
// check-ins is not known for a round that was destroyed.
std::string heard_text(std::uint64_t heard, std::uint64_t needed, std::optional<std::uint64_t> check_ins);
// Returns {"released":..,"spent":..,"void":..,"opened":..}.
reporting::JsonObject counts_json(const service::Ledger::Counts& counts);

}  // namespace muster::app

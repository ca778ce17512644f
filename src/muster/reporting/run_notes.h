// Notes shown beside a run's numbers, for example on clients that share records and on vectors that were not
// finite. A note is one line without a line end, and empty if there is nothing to report. The functions are
// pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::reporting {

// A function that is called with each note as soon as the note is known, on the thread of the function that
// was given this sink.
using NoteSink = std::function<void(const std::string& note)>;

// Says that clients share records: "250000 clients share 3000 records, 83.3 a record on average: epsilon is
// for one client's copy; ...". Empty if clients_per_record is at most 1.
std::string sharing_note(const protocols::Plan& plan, double clients_per_record);

// Says how many records a client holds: "each client holds 12 records, ..." or, if a column named `user`
// states the owners, "each client holds the records of one user: ...". Empty if each client holds just one.
std::string records_note(const protocols::Plan& plan);

// Says that the rounds, or some of them, are charged without amplification, and why: `why` is
// TrainingParts::unamplified. Empty if `why` is empty.
std::string unamplified_note(const std::string& why);

// Names the classes, as in "the classes are 0 = cat, 1 = dog"; if there are many, only the first ones.
std::string classes_note(const std::vector<std::string>& class_names);

// Says how accuracy differs between clients, and that no epsilon covers it. Empty if either value is missing.
std::string by_client_note(std::optional<double> mean, std::optional<double> worst_decile);

// Says how many answers were neutral, which means that a zero vector replaced one that was not finite: "12
// answers were neutral, ...".
std::string neutral_note(std::uint64_t neutral);

// Says how many epsilons in a run's files are above today's proven values: "2 stated epsilons are larger than
// what the accountant proves today, ...".
std::string larger_note(std::uint64_t larger);

}  // namespace muster::reporting

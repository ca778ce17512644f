// Shows how the task of a deployment stands: its figures, as a JSON object and as a web page.
//
// Both show the same figures. On the page, the element of each figure has the figure's path in the object as
// its id, such as "epsilon.upper" or "rejected.uploads.late"; a number stands there in a <data> element with
// its full value. The page also shows what became of every round, which the object leaves out.
//
// The page is one file that loads nothing, has no script, and follows light and dark mode. While the task
// runs, it asks the browser to load it again. No epsilon stands on it without its delta, its validity and
// what it assumes. The structs are plain data, and the functions are pure.
//
// Example:
//     TaskStanding now = ...;
//     standing_json(now).str();    // {"task":"5e2c..","plan":..
//     standing_html(now);          // <!DOCTYPE html>..
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/protocols/monitor/binomial_interval.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;  // by reason

// A round that has an outcome.
struct StandingRound {
  std::uint64_t round = 0;
  std::string outcome = {};  // "released", "spent" or "void"
  std::string reason = {};   // why it was spent; else empty
  // Two epsilons after the round, at the task's delta: `epsilon` is that of the rounds charged, and `local`
  // that of the rounds opened if shuffler and aggregator collude.
  double epsilon = 0, local = 0;
  // What the shuffler signed about the round; nullopt for a round that an operator charged without the
  // shuffler's word.
  struct Counted {
    std::uint64_t heard = 0, check_ins = 0;
    std::optional<protocols::CountBand> band = std::nullopt;  // of the check-ins, by the declared rate
    NamedCounts rejected = {};                                // the rejected uploads
  };
  std::optional<Counted> counted = std::nullopt;
  std::optional<double> accuracy = std::nullopt;  // on the test set, if it was measured after the round

  // Returns false for a round that was destroyed, because then nobody knows how many uploads were reports.
  bool shows_check_ins() const { return counted && outcome != "void"; }
};

struct TaskStanding {
  std::string name, task, plan;  // the plan's name, the task's name, and the plan's hash
  std::string state, reason;     // docs/deployment.md has the states
  bool is_over = false;
  bool is_seeded = false;
  std::uint64_t seconds = 0;  // the length of a round

  struct Rounds {
    std::uint64_t released = 0, spent = 0, voided = 0, opened = 0, planned = 0, most = 0;
  } rounds;
  // Epsilons at `delta`; nullopt if none is proven.
  std::optional<double> epsilon_upper, epsilon_lower, epsilon_planned, local;
  std::uint64_t local_rounds = 0;
  double delta = 0;
  std::string validity, neighbouring, view, bound;
  std::vector<std::string> assumptions;
  struct Amount {
    double epsilon = 0, delta = 0;
  };
  struct Population {
    Amount reserved, budget;
  };
  std::optional<Population> population;

  std::uint64_t needed = 0;
  std::optional<std::uint64_t> enrolled;
  std::vector<StandingRound> past = {};  // in the order of the rounds
  NamedCounts uploads, reports;          // rejected in all rounds
  std::optional<std::string> alarm = std::nullopt;

  // The accuracy that was measured last; nullopt if none has been measured yet.
  std::optional<double> accuracy() const;
  // The last ended round about which the shuffler's word is known; nullptr if there is no such round yet.
  const StandingRound* last() const;
};

// Returns the object that `muster status --json` prints (docs/deployment.md).
JsonObject standing_json(const TaskStanding& now);

std::string standing_html(const TaskStanding& now);
// Returns what is between <style> and </style> on every such page. A server may allow this style sheet by its
// hash, and no other.
const std::string& standing_style();

}  // namespace muster::reporting

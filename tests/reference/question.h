// One question to the accountant, in terms of the flags of `muster account`.
//
// Everything that the checks compare is asked as such a question, so that a finding can be repeated by hand.
// command_line gives the command, with numbers that are read back as the same doubles. This is a plain
// value, which any thread may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"

namespace muster::reference {

struct Question {
  protocols::Protocol protocol = protocols::Protocol::shuffle;
  std::uint64_t clients = 1;
  double rate = 1;                   // the check-in rate; the largest if rates differ
  std::optional<double> least_rate;  // the smallest rate if rates differ
  // The steps of the dropout schedule as (first round, probability from that round on). The first step begins
  // at round 1. Without steps there are no dropouts.
  std::vector<std::pair<std::uint64_t, double>> dropout;
  std::uint64_t subset = 1;   // the size of a subset
  std::uint64_t slots = 1;    // slots in a run of random check-ins
  std::uint64_t minimum = 1;  // a round of aggregated check-in with fewer reports is destroyed

  protocols::RandomizerKind randomizer = protocols::RandomizerKind::pure;
  double epsilon0 = 1;  // the local epsilon of every randomizer but gaussian
  double sigma = 1;     // the noise multiplier of gaussian
  std::uint64_t k = 2;  // the number of symbols of k-rr

  std::uint64_t rounds = 1;
  std::optional<accounting::View> view;  // the protocol's own view unless given
  bool asks_epsilon = true;              // epsilon at delta = `fixed`; if false, delta at epsilon = `fixed`
  double fixed = 1e-5;
  bool all = false;  // also asks for the papers' bounds, of which some are proven

  bool checks_in() const;
  bool has_slots() const;
  bool is_gaussian() const { return randomizer == protocols::RandomizerKind::gaussian; }
  // Returns whether the randomizer is in class C: ldp-sgd, l1, l2, linf, or binary randomized response.
  bool is_class_c() const;
  accounting::View own_view() const;
  accounting::View seen() const { return view.value_or(own_view()); }
  bool has_schedule() const { return dropout.size() > 1; }
};

// Returns the plan's keys and the texts of their values.
std::vector<std::pair<std::string, std::string>> keys_of(const Question& question);
// Returns the command, "muster account --protocol shuffle ...", which can be pasted into a shell.
std::string command_line(const Question& question);

// Returns the plan that the command would make; throws the command's Error.
protocols::Plan plan_of(const Question& question);
accounting::Question asked(const Question& question);

// Returns a number as the shortest text that reads back as the same double.
std::string exact_text(double value);

}  // namespace muster::reference

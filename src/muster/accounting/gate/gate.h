// The gate that every proven number passes before it leaves the accountant:
// a guard against defects, not a proof.
//
// What it checks shares nothing with what computed the number (floor.h):
//   - the number is one: neither NaN nor negative;
//   - it does not lie below the floor of one round, for this protocol, randomizer and view: rounds only add
//     to it;
//   - a proven epsilon of 0 only where delta is at least the total variation, twice over: the bound's own
//     at epsilon 0 and the floor's; a proven delta of 0 only past the largest loss there can be;
//   - epsilon and delta agree: the bound's delta at the epsilon given is the delta asked, or less.
// A number that fails is a defect of muster: Error(internal), exit status 5, and nothing is printed as a
// result. Immutable; call from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/statement.h"

namespace muster::accounting {

class Gate {
 public:
  // One or more stages of one protocol, each at least one round long: the
  // floor of each holds for all together.
  Gate(const Mechanism& mechanism, std::vector<Participation> stages, View view)
      : mechanism_(mechanism), stages_(std::move(stages)), view_(view) {}

  // A bound's answer, with the bound's own upper delta at any epsilon (empty where it has none to offer).
  // An infinite answer claims nothing and passes.
  void check(const std::string& bound, std::uint64_t rounds, const Question& question, double upper,
             const std::function<double(double epsilon)>& delta_at = {}) const;

  // The largest floor of the stages: a lower bound in the quantity asked, whatever the number of rounds.
  double floor(const Question& question) const;

 private:
  Mechanism mechanism_;
  std::vector<Participation> stages_;
  View view_;
};

// The epsilons that one run reports as its rounds go on: they do not fall. (Coarser tables for more rounds
// may take off a per cent; more is a defect.) One thread.
class RisingEpsilon {
 public:
  // The value about to be reported after `rounds`, which never decrease from call to call. Throws
  // Error(internal).
  void check(std::uint64_t rounds, double epsilon);

 private:
  std::uint64_t rounds_ = 0;
  double largest_ = 0;
};

}  // namespace muster::accounting

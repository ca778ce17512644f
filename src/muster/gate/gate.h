// The gate that every proven number passes before it leaves the accountant: a guard against defects of the
// program, not a proof.
//
// It checks that
// - the number is neither NaN nor negative;
// - the number is not below the floor of one round for this protocol, randomizer and view, which is computed
//   independently (floor.h) and also holds for more rounds;
// - an epsilon of 0 is given only if the delta asked for is at least the total variation (delta at epsilon
//   0), both as the bound itself and as the floor computes it;
// - a delta of 0 is given only if epsilon is at least the largest possible privacy loss;
// - epsilon and delta agree: at an epsilon 1 % above the one given, the bound's own delta is at most the
//   delta asked for.
// A number that fails shows a defect of muster. The check then throws Error(internal), and the command exits
// with status 5 without a result. A Gate is immutable, and any thread may call its functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/question.h"
#include "muster/describe/view.h"

namespace muster::accounting {

class Gate {
 public:
  // `stages` are one or more stages of one protocol, each of at least one round. The floor of each stage also
  // holds for all of them together.
  Gate(const Mechanism& mechanism, std::vector<Participation> stages, View view)
      : mechanism_(mechanism), stages_(std::move(stages)), view_(view) {}

  // Checks the answer `upper` of the bound with the id `bound`. `delta_at` gives the bound's own upper delta
  // at any epsilon; if it is empty, the check that epsilon and delta agree is skipped. An infinite answer
  // claims nothing and passes, and so does any answer for 0 rounds. Throws Error(internal) if `upper` is not
  // a number >= 0, is below the floor, is a delta of 0 at an epsilon below the largest privacy loss, or
  // disagrees with `delta_at`.
  void check(const std::string& bound, std::uint64_t rounds, const Question& question, double upper,
             const std::function<double(double epsilon)>& delta_at = {}) const;

  // The largest floor of the stages: a lower bound on the quantity asked for, whatever the number of rounds.
  double floor(const Question& question) const;

 private:
  Mechanism mechanism_;
  std::vector<Participation> stages_;
  View view_;
};

// Checks that the epsilons which a run reports do not fall from round to round. An epsilon may be up to 2 %
// below the largest one so far, because tables for more rounds are coarser; a larger fall is a defect. Each
// object belongs to one thread.
class RisingEpsilon {
 public:
  // Checks the epsilon that is to be reported after `rounds` rounds. Throws Error(internal) if this epsilon
  // is more than 2 % below an earlier one, or if `rounds` is smaller than in the call before.
  void check(std::uint64_t rounds, double epsilon);

 private:
  std::uint64_t rounds_ = 0;
  double largest_ = 0;
};

}  // namespace muster::accounting

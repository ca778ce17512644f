// This is the accountant for rounds that are all alike. It is internal to Accountant and to its schedules.
//
// The methods are those of Accountant; accountant.h says what they mean. Const methods may run
// concurrently.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/accounting/view_bounds.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/gate/gate.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {

class ConstantAccountant {
 public:
  ConstantAccountant(const Mechanism& mechanism, const Participation& participation);

  Statement account(std::uint64_t rounds, const Question& question, std::optional<View> asked) const;
  std::optional<double> upper(std::uint64_t rounds, const Question& question) const;
  std::optional<double> rough_upper(std::uint64_t rounds, const Question& question) const;
  // Returns the gate for the first `rounds` rounds. It is the same for any number, because the rounds are
  // all alike.
  Gate gate(std::uint64_t rounds, View view) const;
  View own() const { return own_view(participation_); }
  std::string unamplified() const;

 private:
  const ViewBounds& in(View view) const;
  // local() returns the upper value without amplification (theorems/local/local.h). checked_local() returns
  // it once the gate has passed it, and local_bound() makes a bound of that.
  double local(std::uint64_t rounds, const Question& question) const;
  double checked_local(const ViewBounds& in, std::uint64_t rounds, const Question& question) const;
  Bound local_bound(const ViewBounds& in, std::uint64_t rounds, const Question& question) const;

  Mechanism mechanism_;
  Participation participation_;
  LocalCost local_;
  mutable std::mutex mutex_;
  // The bounds in the participation's own view and in every other view asked about so far.
  mutable std::list<ViewBounds> views_;
};

}  // namespace muster::accounting

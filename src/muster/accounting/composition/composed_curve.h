// A round's bound carried to any number of rounds: the tables are built when first needed and kept.
//
// One round is answered on the curve itself. For more, the curve is tabulated down to a tail that is
// negligible for the question (what lies beyond becomes mass at infinite loss), turned into a dominating pair
// and composed (dominating_pair.h). Thread rule: const methods may run concurrently.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "muster/accounting/composition/dominating_pair.h"
#include "muster/accounting/result.h"
#include "muster/accounting/round_bound.h"

namespace muster::accounting {

// Pairs of one curve, tabulated to different depths.
template <typename Built>
class Depths {
 public:
  static constexpr std::array<double, 4> kTails{1e-16, 1e-22, 1e-30, 1e-42};

  // The first table whose tail, over all rounds, is below a millionth of `delta`; the deepest where none is.
  template <typename Build>
  const Built& at(std::uint64_t rounds, double delta, Build&& build) const {
    std::size_t level = 0;
    while (level + 1 < kTails.size() && 1e6 * kTails[level] * static_cast<double>(rounds) > delta) {
      ++level;
    }
    std::call_once(once_[level], [&] { tables_[level].emplace(build(kTails[level])); });
    return *tables_[level];
  }

 private:
  mutable std::array<std::once_flag, 4> once_;
  mutable std::array<std::optional<Built>, 4> tables_;
};

// An upper bound, symmetric under swapping the pair.
class ComposedCurve {
 public:
  explicit ComposedCurve(DeltaCurve delta) : delta_(std::move(delta)) {}

  // In the quantity asked; infinity where the tail charged at infinite loss passes the delta asked. rounds
  // >= 1.
  double upper(std::uint64_t rounds, const Question& question) const;
  // The same bound with every numerical error turned inward.
  double from_below(std::uint64_t rounds, const Question& question) const;

 private:
  struct Table {
    RoundCurve curve;
    LossDistribution dominating;
  };
  const Table& table(std::uint64_t rounds, double delta) const;
  double delta_upper(std::uint64_t rounds, double epsilon) const;

  DeltaCurve delta_;
  Depths<Table> tables_;
  Depths<LossDistribution> below_;
};

// One exact pair: a lower bound from both orientations.
class ComposedPair {
 public:
  ComposedPair(DeltaCurve forward, DeltaCurve reverse)
      : forward_(std::move(forward)), reverse_(std::move(reverse)) {}

  // In the quantity asked; 0 where nothing is known.
  double lower(std::uint64_t rounds, const Question& question) const;

 private:
  DeltaCurve forward_;
  DeltaCurve reverse_;
  Depths<std::array<LossDistribution, 2>> tables_;
};

}  // namespace muster::accounting

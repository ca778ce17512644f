// The two atomic laws of docs/theory/gaussian-two-types.md: a term of a client that holds the victim's
// record, and of one that holds her alternative, each enlarged until every Gaussian client lies below a
// mixture of them.
//
// On nodes Y = K - 1 the stop-loss transforms A + beta and B + beta (two_types_net.h) are raised to convex ones
// with slopes in [-1, 0]; their second differences are masses. For E between two tabulated values the masses
// are interpolated, node by node. The table of one mu is kept: it serves every number of clients, rate, delta
// and number of rounds. Thread rule: any function from any thread; a table is built once, on first use.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "muster/accounting/theorems/swap/two_types_net.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// Values of a stop-loss transform at increasing points: E(Y - y)_+ at y >= 0, E(y - Y)_+ at y < 0.
using SidedValues = std::vector<long double>;

// At least `values` at every point, and convex with slopes in [-1, 0] as a stop-loss transform: lines through
// concave stretches, each the one that adds the least area.
SidedValues convex_majorant(const std::vector<double>& points, SidedValues values);

// The masses of a law with total 1 (1 + 1e-15 at most), the point 0 taking what is left, whose stop-loss transform
// plus `cut` is at least `values`: checked after the masses are rounded. None where the values are not
// convex, or masses pass 1.
std::optional<std::vector<double>> masses_above(const std::vector<double>& points, const SidedValues& values,
                                                long double cut);

class TwoTypesLaws {
 public:
  static constexpr double kLeastMu = 0.01, kMostMu = 1.01;

  // The table for records in a ball of diameter mu, in [kLeastMu,
  // kMostMu] noise deviations. Kept for some mu.
  static std::shared_ptr<const TwoTypesLaws> of(double mu);
  explicit TwoTypesLaws(double mu);

  struct Types {
    numerics::AtomicLaw record;       // others hold the victim's record: type A
    numerics::AtomicLaw alternative;  // others hold her alternative: type B
    double cut;                       // charge it once, times the chance that the victim reports
  };
  // At E - 1 = excess >= 0, points Y = term + E - 1, each term weighted with `rate`. None beyond the table.
  std::optional<Types> at(double excess, double rate) const;

  // For tests: the points, and the stop-loss transforms' values at a level; the levels' E - 1.
  static constexpr std::array<double, 4> kLevels{0, 0.1, 0.45, 1.5};  // times mu
  struct Level {
    bool valid = false;
    double excess = 0;
    double cut = 0;
    std::vector<double> record, alternative;  // masses at the points, 0 at the point 0
  };
  const Level& level(std::size_t index) const;
  const std::vector<double>& points() const { return points_; }
  const TriangleCells& cells() const { return cells_; }

 private:
  Level build(double excess) const;

  double mu_;
  TriangleCells cells_;
  std::vector<double> points_;
  mutable std::array<std::once_flag, kLevels.size()> once_;
  mutable std::array<Level, kLevels.size()> levels_;
};

}  // namespace muster::accounting

// Tabulates the two atomic laws of Theorem 5 (docs/theory/gaussian-two-types.md). They are the laws of the
// term of a client that holds the victim's record (type A) and of one that holds her alternative (type B),
// both enlarged. The expected excess of every Gaussian client is at most that of a mixture of the two
// enlarged laws.
//
// A(c) and B(c) are the stop-loss transforms of the two types' terms, and beta is the correction of
// two_types_net.h. With E = e^eps the laws are those of Y = term + E - 1. At nodes of c + E - 1, A + beta and
// B + beta are raised to values that are convex with slopes in [-1, 0]; the second differences of these are
// the masses. For E between two tabulated values the masses are interpolated node by node. A table depends
// only on mu, not on the number of clients, rate, delta or number of rounds. The 16 most recently used tables
// are kept. Any function may be called from any thread; the masses at each tabulated E are computed once,
// when a table first needs them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/theorems/swap/two_types_net.h"

namespace muster::accounting {

// Holds a value for each of several increasing points y: the expected excess, the mean of (Y - y)_+, at
// y >= 0, and the expected deficit, the mean of (y - Y)_+, at y < 0.
using SidedValues = std::vector<long double>;

// Returns values that are at least `values` at every point and, as expected excesses, convex with slopes in
// [-1, 0]. A concave stretch is raised to the extension of one of its edges, the one that adds the least
// area.
SidedValues convex_majorant(const std::vector<double>& points, SidedValues values);

// Returns the masses at `points` of a law whose stop-loss transform plus `cut` is at least `values`, checked
// after the masses are rounded. The masses sum to at most 1 + 1e-15. What is missing up to 1 lies at the
// point 0 and is implicit, as in an AtomicLaw, so the entry of this point is 0. Returns nullopt if the sum is
// larger or not finite, the check fails, or 0 is not an inner point.
std::optional<std::vector<double>> masses_above(const std::vector<double>& points, const SidedValues& values,
                                                long double cut);

class TwoTypesLaws {
 public:
  static constexpr double kMinMu = 0.01, kMaxMu = 1.01;

  // Returns the table for records in a ball of diameter mu, in deviations of the noise,
  // kMinMu <= mu <= kMaxMu. The 16 most recently used tables are kept.
  static std::shared_ptr<const TwoTypesLaws> of(double mu);
  explicit TwoTypesLaws(double mu);

  struct Types {
    numerics::AtomicLaw record;       // type A: the other client holds the victim's record
    numerics::AtomicLaw alternative;  // type B: the other client holds the victim's alternative
    // What is lost by ending both laws at the last point: before their masses are multiplied by the rate,
    // their stop-loss transforms plus `cut` are at least the tabulated values. The caller charges `cut`
    // once, times the probability that the victim reports.
    double cut;
  };
  // Returns the laws of Y at E - 1 = excess >= 0, with masses multiplied by `rate`. The result is
  // nullopt where `excess` is above the last of kLevels times mu, and where masses_above() gave no law.
  std::optional<Types> at(double excess, double rate) const;

  // These members are public for tests alone. They give the points, the tabulated levels of E - 1, and the
  // masses of the two laws at a level.
  static constexpr std::array<double, 4> kLevels{0, 0.1, 0.45, 1.5};  // levels of E - 1, in units of mu
  struct Level {
    bool valid = false;
    double excess = 0;
    double cut = 0;
    std::vector<double> record, alternative;  // masses at the points; the entry of the point 0 is 0
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

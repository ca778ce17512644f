#include "muster/composition/coarser_lattice.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "muster/composition/loss_integral.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::Side;

using Extended = long double;

constexpr int kMaxDoublings = 24;
constexpr Extended kRounding = 0x1p-52L;
// How far a loss may be from its lattice point, as a fraction of the spacing.
constexpr double kOnLattice = 1e-6;

// The law moved to the lattice of spacing `coarse`; nullopt if one of its losses is not a
// multiple of `spacing`.
std::optional<numerics::AtomicLaw> moved(const numerics::AtomicLaw& law, double spacing, double coarse,
                                         Side side) {
  const double factor = std::round(coarse / spacing);
  std::map<std::int64_t, Extended> masses;
  for (std::size_t a = 0; a < law.points.size(); ++a) {
    const double index = std::round(law.points[a] / spacing);
    if (!(std::abs(index) < 1e15) || std::abs(law.points[a] / spacing - index) > kOnLattice) {
      return std::nullopt;
    }
    const double below = std::floor(index / factor);
    const Extended distance = static_cast<Extended>(spacing) * (index - below * factor);
    const Extended share =
        side == Side::above ? std::expm1(-distance) / std::expm1(-static_cast<Extended>(coarse)) : 0;
    const auto cell = static_cast<std::int64_t>(below);
    masses[cell] += law.weights[a] * (1 - share);
    masses[cell + 1] += law.weights[a] * share;
  }
  // Each mass is rounded once, to the side that keeps the bound valid. The law does not store the mass at
  // zero loss, which is 1 minus all other masses.
  numerics::AtomicLaw result;
  for (const auto& [cell, mass] : masses) {
    const bool more = (cell > 0) == (side == Side::above);
    if (cell != 0) {
      result.add(coarse * static_cast<double>(cell),
                 static_cast<double>(mass * (more ? 1 + kRounding : 1 - kRounding)));
    }
  }
  return result;
}

}  // namespace

std::vector<RepeatedLoss> CoarserLosses::parts(std::span<const RepeatedLoss> finer) const {
  std::vector<RepeatedLoss> result(finer.begin(), finer.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i].losses = &laws[i];
  return result;
}

std::optional<CoarserLosses> coarser_losses(Parts parts, double spacing, double epsilon, numerics::Side side,
                                            double change) {
  if (!(epsilon > 0) || trivial_value(parts, spacing, epsilon)) return std::nullopt;
  const double c = Integral(parts, spacing, epsilon).c();
  const double fine = log_mgf(parts, c);
  if (!(c > 0) || !std::isfinite(fine)) return std::nullopt;
  std::optional<CoarserLosses> best;
  for (int doublings = 1; doublings <= kMaxDoublings; ++doublings) {
    CoarserLosses next{{}, std::ldexp(spacing, doublings)};
    for (const RepeatedLoss& part : parts) {
      std::optional<numerics::AtomicLaw> law = moved(*part.losses, spacing, next.spacing, side);
      if (!law) return std::nullopt;
      next.laws.push_back(std::move(*law));
    }
    const double moved_by = (log_mgf(next.parts(parts), c) - fine) / c;
    if (!(std::abs(moved_by) <= change * epsilon)) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace muster::accounting

// Convex problems whose population risk is known in closed form, on the ball of radius 1 around 0 in p
// dimensions (so the papers' diameter R is 2). They serve to try out bounds on the excess risk.
//
// A record d is p independent signs, each +1 with probability 3/4. Every loss is 1-Lipschitz on the ball:
//   absolute    l(d; t) = sum_j |t_j - a d_j| / sqrt(p). The risk has a kink at its minimum (a, ..., a), so
//               the loss is not smooth.
//   quadratic   l(d; t) = beta / 2 |t - b d|^2, which is beta-smooth. Without the ball, the risk would be
//               least at the mean b/2 (1, ..., 1) of b d.
// `reach` is the distance from 0 of that minimum: a sqrt(p), or b/2 sqrt(p). The minimum of the quadratic
// risk on the ball lies on the boundary if reach > 1. A ConvexTask never changes, and any thread may call the
// functions.
#pragma once

#include <cstddef>
#include <span>

#include "muster/random/bit_source.h"

namespace muster::reproduce {

constexpr double kDiameter = 2;   // R
constexpr double kLipschitz = 1;  // L, and the largest norm of a gradient

class ConvexTask {
 public:
  enum class Loss { absolute, quadratic };
  // Requires 0 < reach, and reach < 1 for the absolute loss.
  ConvexTask(Loss loss, std::size_t dimension, double reach);

  std::size_t dimension() const { return dimension_; }
  double smoothness() const { return beta_; }  // beta; only for the quadratic loss

  // Overwrites `record` with the signs of a new record.
  static void draw(random::BitSource& bits, std::span<float> record);
  void gradient(std::span<const double> at, std::span<const float> record, std::span<float> out) const;
  // Returns the population risk at `at` minus its minimum over the ball.
  double excess_risk(std::span<const double> at) const;

 private:
  double risk(std::span<const double> at) const;

  Loss loss_;
  std::size_t dimension_;
  double scale_;  // a or b
  double beta_;
  double least_risk_ = 0;
};

// Moves a point outside the ball to the nearest point of the ball.
void project_on_ball(std::span<double> point);

}  // namespace muster::reproduce

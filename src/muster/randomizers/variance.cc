#include "muster/randomizers/variance.h"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

namespace muster::randomizers {
namespace {

double squared(double x) { return x * x; }

}  // namespace

double ideal_sign_scale(double epsilon0) { return 1 / std::tanh(epsilon0 / 2); }

double inverse_mean_projection(double dimension) {
  return std::sqrt(std::numbers::pi) / boost::math::tgamma_delta_ratio(dimension / 2, 0.5);
}

double sphere_second_moment(double c, double clip, double dimension) {
  return squared(clip * c * inverse_mean_projection(dimension));
}

double linf_second_moment(double c, double clip, double dimension) { return squared(dimension * clip * c); }

double l1_second_moment(double c, double clip, double dimension) { return dimension * squared(clip * c); }

double k_rr_second_moment(double kept, double k) {
  const double replaced = 1 - kept;
  return (1 - 2 * replaced / k + squared(replaced) / k) / squared(kept);
}

double ideal_kept(double epsilon0, double k) { return 1 / (1 + k / std::expm1(epsilon0)); }

double laplace_variance(double epsilon0, double clip) { return 8 * squared(clip / epsilon0); }

}  // namespace muster::randomizers

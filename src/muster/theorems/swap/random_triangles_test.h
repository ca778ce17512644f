// Draws random triangles in a ball of diameter 1 of up to six dimensions, given by the three squared
// distances of gaussian_triangle.h. The bounds for Gaussian messages must hold for all of these triangles.
// The file is for tests. An engine of random numbers belongs to one thread.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <random>

namespace muster::accounting {

struct Distances {
  double D, d, S;
};

// Returns the squared distances D, d and S (gaussian_triangle.h) of three random points of the ball of
// diameter 1 in `dimension` dimensions. Often all three points are on the sphere, and often the second is the
// reflection of the first in the centre, exactly or nearly.
inline Distances random_triangle(std::mt19937_64& engine, std::size_t dimension) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::array<std::array<double, 6>, 3> at{};
  const bool sphere = uniform(engine) < 0.7;
  for (auto& point : at) {
    double norm = 0;
    for (std::size_t k = 0; k < dimension; ++k) {
      point[k] = normal(engine);
      norm += point[k] * point[k];
    }
    const double radius =
        sphere ? 0.5 : 0.5 * std::pow(uniform(engine), 1.0 / static_cast<double>(dimension));
    for (double& x : point) x *= radius / std::sqrt(norm);
  }
  if (uniform(engine) < 0.7) {
    const double share = uniform(engine) < 0.5 ? 1 : 1 - 0.1 * uniform(engine) * uniform(engine);
    for (std::size_t k = 0; k < dimension; ++k) at[1][k] = -at[0][k] * share;
  }
  double xx = 0, xt = 0, yt = 0, sum = 0;
  for (std::size_t k = 0; k < dimension; ++k) {
    const double x = at[0][k], y = at[1][k], t = at[2][k];
    xx += (x - y) * (x - y);
    xt += (x - t) * (x - t);
    yt += (y - t) * (y - t);
    sum += (2 * t - x - y) * (2 * t - x - y);
  }
  return {xx, xt - yt, sum};
}

// Returns a triangle inscribed in a great circle of the ball, with nearly a right angle at t.
inline Distances inscribed_triangle(std::mt19937_64& engine, double mu) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double u = uniform(engine), eta = 0.15 * mu * mu * u * u;
  const double d = std::fmin(0.7, 1 - eta) * (2 * uniform(engine) - 1);
  return {1 - eta, d, 1 + eta + 2 * std::sqrt(eta * (1 - d * d / (1 - eta)))};
}

}  // namespace muster::accounting

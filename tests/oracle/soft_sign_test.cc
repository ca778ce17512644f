// Compares soft signs with the hard one (docs/theory/accuracy-per-epsilon.md), by quadrature
// in three dimensions.
//
// A message is (w, s): w is uniform on the sphere, and s = +-1 has probability (1 + a s f)/2, where
// a = tanh(epsilon0 / 2), and f in [-1, 1] is any function of w and the client's vector. With u the direction
// of that vector, the hard sign is f = sign <w, u>. A soft sign is a multiple of the vector's length times
// <w, u>, clamped to [-1, 1]. In three dimensions <w, u> is uniform on [-1, 1].
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace muster::accounting::oracle {
namespace {

constexpr int kCells = 20000;
const double kRootD = std::sqrt(3.0);

// Returns E g(x) for x = <w, u> uniform on [-1, 1], by the midpoint rule.
double mean(const std::function<double(double)>& g) {
  double sum = 0;
  for (int i = 0; i < kCells; ++i) sum += g(-1 + (2 * i + 1.0) / kCells);
  return sum / kCells;
}

// Returns the signal of f, which is defined by E[s w] = a signal(f) u.
double signal(const std::function<double(double)>& f) {
  return mean([&](double x) { return f(x) * x; });
}

double sign(double x) { return x < 0 ? -1 : 1; }

TEST(SoftSign, DensitiesStayInClassC) {
  const double epsilon0 = 1.3, a = std::tanh(epsilon0 / 2), q = 1 / (std::exp(epsilon0) + 1);
  for (const double slope : {0.3, 1.0, 4.0}) {
    for (int i = 0; i < 200; ++i) {
      const double x = -1 + i / 100.0, f = std::clamp(slope * kRootD * x, -1.0, 1.0);
      for (const int s : {-1, 1}) {  // densities relative to (uniform w, fair s)
        EXPECT_GE(1 + a * s * f, 2 * q - 1e-15);
        EXPECT_LE(1 + a * s * f, 2 * (1 - q) + 1e-15);
      }
    }
  }
}

// Every f has at most the hard sign's signal, so a hard sign that ignores the vector with the right
// probability has the same signal as f. Their second moments also agree, because w is uniform for every f.
TEST(SoftSign, HardSignWithMixingHasEverySoftSignal) {
  const double most = signal(sign);
  EXPECT_NEAR(most, 0.5, 1e-9);  // c_3 = E|x|
  for (const double slope : {0.5, 1.0, 2.0, 8.0}) {
    for (const double length : {0.1, 0.5, 1.0, 3.0}) {
      const double h = signal([&](double x) { return std::clamp(slope * kRootD * length * x, -1.0, 1.0); });
      EXPECT_LE(h, most);
      const double mixing = h / most;
      EXPECT_NEAR(signal([&](double x) { return mixing * sign(x); }), h, 1e-12);
      // The component of E[(s w)(s w)^T] along u is E x^2 = 1/3 for either sign, because s^2 = 1.
      const double a = 0.7;
      const double second = mean([&](double x) {
        const double up = (1 + a * std::clamp(slope * kRootD * length * x, -1.0, 1.0)) / 2;
        return up * x * x + (1 - up) * x * x;
      });
      EXPECT_NEAR(second, 1.0 / 3, 1e-8);
    }
  }
}

// The soft sign's signal for short vectors is linear in the length. Clipping at the length where this line
// reaches the hard sign's signal, and then mixing, gives at least the soft sign's signal at every length.
TEST(SoftSign, ClippingDominatesTheSoftSign) {
  const double most = signal(sign);
  for (const double slope : {0.2, 0.5, 1.0}) {
    const double at_zero = slope * kRootD / 3;  // the soft signal's slope in the length: slope sqrt(d) E x^2
    double shortfall = 0;
    for (const double length : {0.01, 0.3, 1.0, 2.0, 5.0, 50.0}) {
      const double soft =
          signal([&](double x) { return std::clamp(slope * kRootD * length * x, -1.0, 1.0); });
      const double clipped = std::min(at_zero * length, most);
      EXPECT_LE(soft, clipped + 1e-9);
      shortfall = std::max(shortfall, 1 - soft / clipped);
    }
    EXPECT_GT(shortfall, 0.1);
  }
}

// Laws on eight equal cells of which two, a quarter, are e^epsilon0 times as likely as the others. Their
// profile is that of 4-ary randomized response, and adding their mixtures with the uniform law to the family
// does not change it.
TEST(Caps, QuarterHasTheProfileOfFourAryResponse) {
  const int cells = 8;
  for (const double epsilon0 : {0.4, 1.5, 4.0}) {
    const double top = std::exp(epsilon0), base = 1 / (top + 3) * 4 / cells;
    std::vector<std::vector<double>> laws;
    for (int i = 0; i < cells; ++i) {
      for (int j = 0; j < i; ++j) {
        for (const double mixing : {1.0, 0.4}) {
          std::vector<double> law(cells);
          for (int w = 0; w < cells; ++w) {
            law[static_cast<std::size_t>(w)] =
                mixing * base * (w == i || w == j ? top : 1) + (1 - mixing) / cells;
          }
          laws.push_back(law);
        }
      }
    }
    for (int step = 0; step <= 20; ++step) {
      const double alpha = std::exp(epsilon0 * step / 20), bound = (top - alpha) / (top + 3);
      double largest = 0;
      for (const auto& a : laws) {
        for (const auto& b : laws) {
          double sum = 0;
          for (std::size_t w = 0; w < a.size(); ++w) sum += std::max(0.0, a[w] - alpha * b[w]);
          largest = std::max(largest, sum);
        }
      }
      EXPECT_LE(largest, bound + 1e-15);
      EXPECT_NEAR(largest, bound, 1e-12);
    }
  }
}

}  // namespace
}  // namespace muster::accounting::oracle

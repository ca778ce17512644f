// Searches functions whose boundary is known, among them steps, plateaus and functions with noise, and counts
// the evaluations.
#include "muster/numerics/roots/boundary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace muster::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Lattice, SixDigitNumbersAreWhatTheyPrint) {
  const Lattice lattice = six_digit_numbers();
  EXPECT_EQ(lattice.value(lattice.index(3.14159265)), 3.14159);
  EXPECT_EQ(lattice.value(lattice.index(3.14159265) + 1), 3.1416);
  EXPECT_EQ(lattice.value(lattice.index(0.1)), 0.1);
  EXPECT_EQ(lattice.value(lattice.index(0.1) - 1), 0.0999999);
  EXPECT_EQ(lattice.value(lattice.index(1e-6)), 1e-6);
  EXPECT_EQ(lattice.value(lattice.index(999999.5)), 999999.0);
  EXPECT_EQ(lattice.value(lattice.index(999999.5) + 1), 1e6);
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> decade(-280, 280);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, decade(bits));
    const std::int64_t index = lattice.index(value);
    ASSERT_LE(lattice.value(index), value);
    ASSERT_GT(lattice.value(index + 1), value);
    ASSERT_EQ(lattice.index(lattice.value(index)), index);
  }
}

TEST(Lattice, AMirrorRunsDown) {
  const Lattice lattice = six_digit_numbers().mirror();
  EXPECT_EQ(lattice.value(lattice.index(3.14159265)), 3.1416);
  EXPECT_EQ(lattice.value(lattice.index(3.14159265) + 1), 3.14159);
  EXPECT_EQ(lattice.value(lattice.index(2.5)), 2.5);
  EXPECT_EQ(whole_numbers().mirror().value(whole_numbers().mirror().index(6.5)), 7);
}

struct Counted {
  std::optional<double> found;
  int evaluations = 0;
};

// The last value with function(value) <= 0, searched from `start`.
template <typename Function>
Counted search(const Lattice& lattice, double first, double last, double start, const Function& function) {
  Counted counted;
  const auto at = [&](std::int64_t index) {
    ++counted.evaluations;
    return function(lattice.value(index));
  };
  const auto index =
      BoundarySearch{lattice, lattice.index(first), lattice.index(last), lattice.index(start)}.last_within(
          at);
  if (index) {
    counted.found = lattice.value(*index);
    EXPECT_LE(function(*counted.found), 0);
    if (*index != lattice.index(last)) {
      EXPECT_GT(function(lattice.value(*index + 1)), 0);
    }
  }
  return counted;
}

TEST(BoundarySearch, SmoothFunctionsTakeFewEvaluations) {
  for (const double root : {1.0, 2.0, 3.14159265, 17.0, 0.0123456789, 99.0}) {
    for (const double power : {0.3, 1.0, 2.5}) {
      for (const double start : {0.7, 1.3}) {
        const Counted up = search(six_digit_numbers(), 1e-3, 1e3, root * start, [&](double v) {
          return power * std::log(v / root) + 0.2 * std::log(1 + v / root) - 0.2 * std::log(2);
        });
        EXPECT_LE(up.evaluations, 10) << root << " " << power << " " << start;
        EXPECT_LE(*up.found, root * (1 + 1e-12));
        EXPECT_GT(*up.found, root * (1 - 1.1e-5));
        const Counted down = search(six_digit_numbers().mirror(), 1e3, 1e-3, root * start,
                                    [&](double v) { return power * std::log(root / v); });
        EXPECT_LE(down.evaluations, 9);
        EXPECT_GE(*down.found, root * (1 - 1e-12));
        EXPECT_LT(*down.found, root * (1 + 1.1e-5));
      }
    }
  }
}

// If the function is declared smooth, the search infers the sign at the next point from the line through
// two close points; the result is the same.
TEST(BoundarySearch, ASmoothFunctionSparesTheNeighbour) {
  const Lattice lattice = six_digit_numbers();
  int smooth_evaluations = 0, evaluations = 0;
  for (int i = 0; i < 300; ++i) {
    const double root = std::exp(0.037 * i - 4), off = 1 + 2e-4 * std::sin(i);
    const auto function = [&](double v) { return 0.7 * std::log(v / root) + 0.1 * (v / root - 1); };
    for (const bool mirrored : {false, true}) {
      const Lattice on = mirrored ? lattice.mirror() : lattice;
      const auto run = [&](bool smooth, int& count) {
        const BoundarySearch search{on,
                                    on.index(mirrored ? 1e3 : 1e-3),
                                    on.index(mirrored ? 1e-3 : 1e3),
                                    on.index(root * off),
                                    0.8,
                                    1e-5,
                                    smooth};
        return search.last_within([&](std::int64_t index) {
          ++count;
          return (mirrored ? -1 : 1) * function(on.value(index));
        });
      };
      EXPECT_EQ(run(true, smooth_evaluations), run(false, evaluations)) << root << mirrored;
    }
  }
  EXPECT_LT(smooth_evaluations, 600 * 3);
  EXPECT_LT(smooth_evaluations, 0.75 * evaluations);
}

TEST(BoundarySearch, WholeNumbers) {
  for (const double root : {1.0, 1.5, 2.0, 41.99, 42.0, 6800.3, 9.87654321e8}) {
    const Counted found = search(whole_numbers(), 1, 1e9, 700, [&](double v) { return std::log(v / root); });
    EXPECT_EQ(found.found, std::floor(root));
    EXPECT_LE(found.evaluations, 25);
    EXPECT_EQ(
        search(whole_numbers().mirror(), 1e9, 1, 700, [&](double v) { return std::log(root / v); }).found,
        std::ceil(root));
  }
}

TEST(BoundarySearch, TheEndsOfTheRange) {
  EXPECT_EQ(search(whole_numbers(), 1, 1000, 10, [](double) { return 1.0; }).found, std::nullopt);
  EXPECT_EQ(search(whole_numbers(), 1, 1000, 10, [](double) { return -1.0; }).found, 1000);
  EXPECT_EQ(search(whole_numbers(), 1, 1000, 10, [](double) { return kInfinity; }).found, std::nullopt);
  EXPECT_EQ(search(whole_numbers(), 1, 1000, 10, [](double) { return -kInfinity; }).found, 1000);
  EXPECT_EQ(search(whole_numbers(), 1, 1, 1, [](double) { return 0.0; }).found, 1);
  EXPECT_EQ(search(whole_numbers(), 7, 8, 7, [](double v) { return v - 7; }).found, 7);
}

TEST(BoundarySearch, StepsCliffsAndPlateaus) {
  EXPECT_EQ(search(whole_numbers(), 1, 1e9, 10, [](double v) { return v > 12345 ? 1.0 : -1.0; }).found,
            12345);
  EXPECT_EQ(
      search(whole_numbers(), 1, 1e9, 10, [](double v) { return v > 12345 ? kInfinity : -kInfinity; }).found,
      12345);
  EXPECT_EQ(search(whole_numbers(), 1, 1e9, 1e6, [](double v) { return v > 12345 ? 1e-9 : -1e9; }).found,
            12345);
  EXPECT_EQ(
      search(six_digit_numbers(), 1e-6, 1, 0.5, [](double v) { return v < 0.25 ? -kInfinity : v; }).found,
      0.249999);
}

TEST(BoundarySearch, ARoughFunctionStillEndsBesideAFailure) {
  std::mt19937_64 bits(5);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t salt = bits();
    const auto rough = [salt](double v) {
      const double noise = std::sin(v * 1e9 + static_cast<double>(salt % 1000));
      return std::log(v / 2.5) + 1e-4 * noise;
    };
    const Counted found = search(six_digit_numbers(), 1e-3, 1e3, 2, rough);
    EXPECT_NEAR(*found.found, 2.5, 0.001);
    EXPECT_LE(found.evaluations, 60);
  }
}

}  // namespace
}  // namespace muster::numerics

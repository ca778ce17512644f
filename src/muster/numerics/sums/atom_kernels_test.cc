// Compares the vector sums with the same sums in extended precision, whose terms come from the standard
// library.
#include "muster/numerics/sums/atom_kernels.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {
namespace {

struct Atoms {
  std::vector<double> points, weights;
  double reach = 0;
};

Atoms random_atoms(std::size_t count, double scale, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Atoms atoms;
  for (std::size_t i = 0; i < count; ++i) {
    atoms.points.push_back(scale * uniform(engine));
    atoms.weights.push_back(std::abs(uniform(engine)) / static_cast<double>(count));
    atoms.reach = std::max(atoms.reach, std::abs(atoms.points.back()));
  }
  return atoms;
}

TEST(AtomKernels, TiltAgreesWithExtendedPrecision) {
  for (const std::size_t count : {1u, 3u, 8u, 13u, 700u}) {
    for (const double c : {1e-9, 0.1, 5.0, 200.0}) {
      const Atoms a = random_atoms(count, 1.3, 1);
      const TiltSums got = tilt_sums(a.points.data(), a.weights.data(), count, c);
      std::vector<double> tilted(count);
      tilt_weights(a.points.data(), a.weights.data(), count, c, 0.25, tilted.data());
      long double growth = 0, size = 0, first = 0, second = 0, absolute = 0, nonzero = 0;
      double largest_exponent = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const long double y = a.points[i], w = a.weights[i], e = std::exp(c * y);
        growth += w * std::expm1(c * y);
        size += w * std::abs(std::expm1(c * y));
        nonzero += w * e;
        first += w * e * y;
        absolute += w * e * std::abs(y);
        second += w * e * y * y;
        largest_exponent = std::max(largest_exponent, c * a.points[i]);
        EXPECT_NEAR(tilted[i], static_cast<double>(w * std::exp(c * y - 0.25L)),
                    static_cast<double>(w * e) * 2.3e-16 * (8 + 2 * c));
      }
      const double slack = 2.3e-16 * (8 + 2 * c);
      EXPECT_NEAR(got.growth, static_cast<double>(growth), static_cast<double>(size) * slack)
          << count << ' ' << c;
      EXPECT_NEAR(got.nonzero, static_cast<double>(nonzero), static_cast<double>(nonzero) * slack);
      EXPECT_NEAR(got.first, static_cast<double>(first), static_cast<double>(absolute) * slack);
      EXPECT_NEAR(got.absolute, static_cast<double>(absolute), static_cast<double>(absolute) * slack);
      EXPECT_NEAR(got.second, static_cast<double>(second), static_cast<double>(second) * slack);
      EXPECT_EQ(got.largest_exponent, largest_exponent);
    }
  }
}

// Everything that the kernels compute for these atoms.
std::vector<double> all_results(const Atoms& a) {
  const std::size_t count = a.points.size();
  const auto pad = [](std::vector<double> values) {
    values.resize((values.size() + 7) / 8 * 8);
    return values;
  };
  std::vector<double> points = pad(a.points), weights = pad(a.weights), all(count);
  const auto add = [&](const auto&... values) { (all.push_back(values), ...); };
  tilt_weights(points.data(), weights.data(), count, 3.0, 0.25, all.data());
  const TiltSums tilt = tilt_sums(points.data(), weights.data(), count, 3.0);
  add(tilt.nonzero, tilt.first, tilt.absolute, tilt.second, tilt.growth, tilt.largest_exponent);
  for (const double t : {1e-3, 0.7, 900.0, 1e6}) {
    const std::complex<double> sum = characteristic_sum(points.data(), weights.data(), count, t, a.reach);
    add(sum.real(), sum.imag());
  }
  std::vector<double> cosines(points.size()), sines(points.size()), turn_cosines = cosines,
                                                                    turn_sines = sines;
  angles(points.data(), points.size(), 0.7, a.reach, cosines.data(), sines.data());
  angles(points.data(), points.size(), 1e-2, a.reach, turn_cosines.data(), turn_sines.data());
  for (const std::complex<double>& sum :
       turn_and_sum(weights.data(), cosines.data(), sines.data(), turn_cosines.data(), turn_sines.data(),
                    points.size())) {
    add(sum.real(), sum.imag());
  }
  for (const double sum : multiply_and_sum(cosines.data(), sines.data(), turn_cosines.data(),
                                           turn_sines.data(), points.size())) {
    add(sum);
  }
  all.insert(all.end(), cosines.begin(), cosines.end());
  all.insert(all.end(), sines.begin(), sines.end());
  return all;
}

// An epsilon must not depend on which vector unit a processor has: a ledger that one machine wrote is
// verified on another. Where multiply-adds are rounded twice, the last bits differ from these, but they are
// the same on all such processors.
TEST(AtomKernels, AllVectorUnitsThatFuseMultiplyAddsGiveTheSameBits) {
  for (const std::size_t count : {1u, 3u, 8u, 13u, 64u, 65u, 127u, 700u, 20'000u}) {
    const Atoms atoms = random_atoms(count, 1.3, 11);
    std::map<bool, std::vector<double>> results;  // by whether multiply-adds are fused
    for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
      const std::int64_t target = targets & -targets;
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      const std::vector<double> got = all_results(atoms);
      const bool fuses = (target & (HWY_SSE4 | HWY_SSSE3 | HWY_EMU128 | HWY_SCALAR)) == 0;
      const std::vector<double>& first = results.try_emplace(fuses, got).first->second;
      EXPECT_EQ(got, first) << count << " atoms on target " << target;
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_FALSE(results.empty());
  }
}

TEST(AtomKernels, TiltTellsOfAnExponentThatIsTooLarge) {
  for (const std::size_t at : {0u, 7u, 12u}) {
    Atoms a = random_atoms(13, 1, 5);
    a.points[at] = 1e4;
    EXPECT_EQ(tilt_sums(a.points.data(), a.weights.data(), 13, 0.5).largest_exponent, 5e3);
    EXPECT_LE(tilt_sums(a.points.data(), a.weights.data(), 13, -0.5).largest_exponent, 0.5);
    a.points[at] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(tilt_sums(a.points.data(), a.weights.data(), 13, 0.5).largest_exponent, a.points[at]);
    a.points[at] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(tilt_sums(a.points.data(), a.weights.data(), 13, 0.5).growth));
  }
}

// The first eight atoms have nearly all of the weight, and each other weight is less than half an ulp of one
// of theirs. If the other weights were added one after another to the sum of the first eight, all would be
// lost.
TEST(AtomKernels, SumsOfManyAtomsKeepSmallWeights) {
  for (const std::size_t count : {64u, 704u, 20'000u}) {
    Atoms a = random_atoms(count, 1.3, 7);
    for (std::size_t i = 0; i < count; ++i) {
      a.points[i] = 1 + 1e-3 * a.points[i];
      a.weights[i] = i < 8 ? 0x1p-4 : 0.4 * 0x1p-57;
    }
    const double roundings = (5 + std::log2(static_cast<double>(count) + 64) + 10) * 0x1p-53;
    long double nonzero = 0, growth = 0, real = 0, imaginary = 0, size = 0;
    std::vector<double> cosines(count), sines(count), ones(count, 1.0), zeros(count, 0.0);
    angles(a.points.data(), count, 1.5, 2, cosines.data(), sines.data());
    for (std::size_t i = 0; i < count; ++i) {
      const long double w = a.weights[i], y = a.points[i];
      nonzero += w * std::exp(0.5L * y);
      growth += w * std::expm1(0.5L * y);
      real += w * (static_cast<long double>(cosines[i]) - 1);
      imaginary += w * static_cast<long double>(sines[i]);
      size += w;
    }
    const auto expect_near = [&](double got, long double exact) {
      EXPECT_LE(std::abs(got - exact), roundings * std::abs(exact)) << count;
    };
    const TiltSums tilt = tilt_sums(a.points.data(), a.weights.data(), count, 0.5);
    expect_near(tilt.nonzero, nonzero);
    expect_near(tilt.growth, growth);
    const std::complex<double> sum = angle_sum(a.weights.data(), cosines.data(), sines.data(), count);
    expect_near(sum.real(), real);
    expect_near(sum.imag(), imaginary);
    // Rotations by an angle of 0 must not change the sums.
    for (const std::complex<double>& turned :
         turn_and_sum(a.weights.data(), cosines.data(), sines.data(), ones.data(), zeros.data(), count)) {
      expect_near(turned.real(), real);
      expect_near(turned.imag(), imaginary);
    }
    std::vector<double> re = a.weights, im(count, 0.0);
    for (const double product : multiply_and_sum(re.data(), im.data(), ones.data(), zeros.data(), count)) {
      expect_near(product, size);
    }
    const std::complex<double> direct = characteristic_sum(a.points.data(), a.weights.data(), count, 1.5, 2);
    EXPECT_LE(std::abs(direct - sum), 1e-14);
  }
}

TEST(AtomKernels, CharacteristicAgreesAtEveryRangeOfAngles) {
  // The vector kernels reduce angles below 6e6 in one way and angles below 2^40 = 1.1e12 in another. The last
  // t makes angles beyond both.
  for (const double t : {1e-12, 0.3, 50.0, 1e4, 3e5, 4e6, 5e7, 3e9, 8e11, 1e14}) {
    const Atoms a = random_atoms(16, 1.3, 2);
    const std::complex<double> got =
        characteristic_sum(a.points.data(), a.weights.data(), a.points.size(), t, a.reach);
    std::vector<double> cosines(16), sines(16);
    angles(a.points.data(), 16, t, a.reach, cosines.data(), sines.data());
    const std::complex<double> from_angles = angle_sum(a.weights.data(), cosines.data(), sines.data(), 16);
    long double real = 0, imaginary = 0;
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      // The angle is rounded to a double as in the kernels, because this test leaves out the error of that
      // rounding: contour::RoundOff allows for it.
      const long double half = 0.5 * t * a.points[i];
      real -= 2 * a.weights[i] * std::sin(half) * std::sin(half);
      imaginary += 2 * a.weights[i] * std::sin(half) * std::cos(half);
    }
    const double angle_error = 1e-15 + 2.3e-16 * t * a.reach;
    EXPECT_NEAR(got.real(), static_cast<double>(real), angle_error) << t;
    EXPECT_NEAR(got.imag(), static_cast<double>(imaginary), angle_error) << t;
    EXPECT_NEAR(from_angles.real(), static_cast<double>(real), 2 * angle_error) << t;
    EXPECT_NEAR(from_angles.imag(), static_cast<double>(imaginary), 2 * angle_error) << t;
  }
}

// Compares sines and cosines with the standard library's in extended precision, for the same doubles as
// angles: random ones of all sizes up to 2^40, and those closest to multiples of an eighth of a turn, where
// the reduced angle nearly vanishes or its quadrant changes. Because of the largest angle, the kernel reduces
// all of them as far angles.
TEST(AtomKernels, FarAnglesAreReducedExactly) {
  constexpr double kFarthest = 0x1p40 * (1 - 0x1p-52);
  const long double eighth = std::acos(-1.0L) / 4;
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> exponent(-30, 39.9);
  std::vector<double> points{kFarthest, -kFarthest, 0};
  while (points.size() < 40'000) {
    const double size = std::exp2(exponent(engine)) * (engine() % 2 == 0 ? 1 : -1);
    points.push_back(size);
    points.push_back(static_cast<double>(std::round(size / eighth) * eighth));
  }
  points.resize(points.size() / 8 * 8);
  std::vector<double> cosines(points.size()), sines(points.size());
  angles(points.data(), points.size(), 1, kFarthest, cosines.data(), sines.data());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long double sine = std::sin(static_cast<long double>(points[i]));
    const long double cosine = std::cos(static_cast<long double>(points[i]));
    ASSERT_LE(std::abs(sines[i] - sine), 0x1p-51L * std::abs(sine) + 1e-20L) << points[i];
    ASSERT_LE(std::abs(cosines[i] - cosine), 0x1p-51L * std::abs(cosine) + 1e-20L) << points[i];
  }
}

TEST(AtomKernels, TurningEqualsTheNextAngle) {
  const Atoms a = random_atoms(24, 2.0, 3);
  std::vector<double> cosines(24), sines(24), step_cosines(24), step_sines(24);
  angles(a.points.data(), 24, 0.7, a.reach, cosines.data(), sines.data());
  angles(a.points.data(), 24, 0.1, a.reach, step_cosines.data(), step_sines.data());
  const auto turned = turn_and_sum(a.weights.data(), cosines.data(), sines.data(), step_cosines.data(),
                                   step_sines.data(), 24);
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const double t = 0.7 + 0.1 * static_cast<double>(i + 1);
    const std::complex<double> direct = characteristic_sum(a.points.data(), a.weights.data(), 24, t, a.reach);
    EXPECT_NEAR(turned[i].real(), direct.real(), 4e-15) << i;
    EXPECT_NEAR(turned[i].imag(), direct.imag(), 4e-15) << i;
    EXPECT_NEAR(cosines[0], std::cos((0.7 + 0.4) * a.points[0]), 2e-15);
  }
}

// Compares the equispaced evaluation with the direct sum: at successive frequencies, for several times
// kResync steps, and at frequencies reached by a jump.
TEST(AtomKernels, TheEquispacedWalkAgreesWithDirectSums) {
  const Atoms a = random_atoms(37, 2.0, 4);
  AtomicLaw law;
  law.points = a.points;
  law.weights = a.weights;
  const TiltedLaw tilt(law, 0.3);
  EquispacedCharacteristic walk(tilt, 0.01);
  const auto expect_at = [&](std::complex<double> got, double index) {
    const std::complex<double> direct = tilt.characteristic_minus_one(0.01 * index);
    EXPECT_NEAR(got.real(), direct.real(), 5e-15) << index;
    EXPECT_NEAR(got.imag(), direct.imag(), 5e-15) << index;
  };
  for (int j = 1; j <= 200; ++j) {
    expect_at(walk.advance(), j);
  }
  for (const double from : {1000.0, 17.0, 3.0}) {
    walk.seek(from);
    expect_at(walk.current(), from);
    for (int j = 1; j <= 7; ++j) {
      expect_at(walk.advance(), from + j);
    }
  }
}

// One distant atom of negligible weight makes the kernels treat every angle as a far one. At reach 1e9 they
// reduce such angles themselves on processors with a fused multiply-add; at 1e14 they leave them to the
// standard library. All other terms are equal, so that if they were added one after another, the rounding
// errors of many of them would have the same sign and add up.
TEST(AtomKernels, FarAnglesOfManyAtomsTakeFewRoundings) {
  constexpr std::size_t kAtoms = 500'000;
  const double t = 1.3;
  for (const double reach : {1e9, 1e14}) {
    AtomicLaw law;
    law.add(reach, 1e-40);
    for (std::size_t i = 1; i < kAtoms; ++i) law.add(1, 0.9 / kAtoms);
    const std::complex<double> sum =
        characteristic_sum(law.points.data(), law.weights.data(), kAtoms, t, reach);
    const long double mass = static_cast<long double>(law.weights.back()) * (kAtoms - 1);
    const long double angle = t;
    const double charged = EquispacedCharacteristic::kErrorUlps * 2.3e-16 * static_cast<double>(mass);
    EXPECT_NEAR(sum.real(), static_cast<double>(mass * (std::cos(angle) - 1)), charged) << reach;
    EXPECT_NEAR(sum.imag(), static_cast<double>(mass * std::sin(angle)), charged) << reach;
  }
}

// Here e^{cy} exceeds the range of a double, and it is summed over many equal atoms.
TEST(AtomKernels, FarTiltsOfManyAtomsTakeFewRoundings) {
  constexpr std::size_t kAtoms = 500'000;
  AtomicLaw law;
  for (std::size_t i = 0; i < kAtoms; ++i) law.add(1, 0.9 / kAtoms);
  const long double exact = 800 + std::log(static_cast<long double>(law.weights.back()) * kAtoms);
  EXPECT_NEAR(law.log_mgf(800), static_cast<double>(exact), 800 * 2.3e-16);
  EXPECT_NEAR(tilt_of(law, 800).nonzero_mass, 1, 1e-14);
}

TEST(AtomKernels, ProductsAgreeWithExtendedPrecision) {
  for (const std::size_t count : {8u, 16u, 72u}) {
    const Atoms start = random_atoms(2 * count, 1, 5), step = random_atoms(2 * count, 1.2, 6);
    std::vector<double> re(start.points.begin(), start.points.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<double> im(start.points.begin() + static_cast<std::ptrdiff_t>(count), start.points.end());
    std::vector<std::complex<long double>> exact;
    for (std::size_t i = 0; i < count; ++i) exact.emplace_back(re[i], im[i]);
    for (int group = 0; group < 3; ++group) {
      const auto sums =
          multiply_and_sum(re.data(), im.data(), step.points.data(), step.points.data() + count, count);
      for (const double sum : sums) {
        long double expected = 0, size = 0;
        for (std::size_t i = 0; i < count; ++i) {
          exact[i] *= std::complex<long double>(step.points[i], step.points[i + count]);
          expected += exact[i].real();
          size += std::abs(exact[i]);
        }
        EXPECT_NEAR(sum, static_cast<double>(expected), static_cast<double>(size) * 2.3e-16 * 40);
      }
    }
  }
}

}  // namespace
}  // namespace muster::numerics

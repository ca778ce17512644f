#include "muster/numerics/atom_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/numerics/atom_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::numerics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes8 = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Lanes8>;

// The last group of atoms, padded with zeros.
HWY_INLINE Vector LoadPart(Lanes8 d, const double* from, std::size_t left) {
  return left >= hn::Lanes(d) ? hn::LoadU(d, from) : hn::MaskedLoad(hn::FirstN(d, left), d, from);
}

// angle - 2 pi round(angle / 2 pi) for |angle| < 6e6: the first two parts of 2 pi have 31 bits, so their
// products with the integer are exact.
HWY_INLINE Vector Reduced(Lanes8 d, Vector angle) {
  const Vector turns = hn::Round(hn::Mul(angle, hn::Set(d, 0.15915494309189535)));
  const Vector first = hn::Sub(angle, hn::Mul(turns, hn::Set(d, 0x1.921fb54400000p+2)));
  const Vector second = hn::Sub(first, hn::Mul(turns, hn::Set(d, 0x1.0b4611a400000p-32)));
  return hn::Sub(second, hn::Mul(turns, hn::Set(d, 0x1.13198a2e03707p-63)));
}

void Tilt(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights, std::size_t atoms, double c,
          double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector scale = hn::Set(d, c);
  Vector nonzero = hn::Zero(d), first = hn::Zero(d), absolute = hn::Zero(d), second = hn::Zero(d),
         growth = hn::Zero(d);
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const Vector y = LoadPart(d, points + i, atoms - i);
    const Vector w = LoadPart(d, weights + i, atoms - i);
    const Vector exponent = hn::Mul(scale, y);
    const Vector tilted = hn::Mul(w, hn::Exp(d, exponent));
    growth = hn::Add(growth, hn::Mul(w, hn::Expm1(d, exponent)));
    nonzero = hn::Add(nonzero, tilted);
    const Vector moment = hn::Mul(tilted, y);
    first = hn::Add(first, moment);
    absolute = hn::Add(absolute, hn::Abs(moment));
    second = hn::Add(second, hn::Mul(moment, y));
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, nonzero));
  out[1] = hn::GetLane(hn::SumOfLanes(d, first));
  out[2] = hn::GetLane(hn::SumOfLanes(d, absolute));
  out[3] = hn::GetLane(hn::SumOfLanes(d, second));
  out[4] = hn::GetLane(hn::SumOfLanes(d, growth));
}

void TiltWeights(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights, std::size_t atoms,
                 double c, double shift, double* HWY_RESTRICT out) {
  const Lanes8 d;
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const std::size_t left = atoms - i;
    const Vector exponent = hn::Sub(hn::Mul(hn::Set(d, c), LoadPart(d, points + i, left)), hn::Set(d, shift));
    const Vector value = hn::Mul(LoadPart(d, weights + i, left), hn::Exp(d, exponent));
    if (left >= hn::Lanes(d)) {
      hn::StoreU(value, d, out + i);
    } else {
      hn::BlendedStore(value, hn::FirstN(d, left), d, out + i);
    }
  }
}

void Characteristic(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights, std::size_t atoms,
                    double t, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector half_t = hn::Set(d, 0.5 * t);
  Vector real = hn::Zero(d), imaginary = hn::Zero(d);
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const Vector half = Reduced(d, hn::Mul(half_t, LoadPart(d, points + i, atoms - i)));
    const Vector s = hn::Sin(d, half);
    const Vector weighted = hn::Mul(LoadPart(d, weights + i, atoms - i), s);
    real = hn::Add(real, hn::Mul(weighted, s));
    imaginary = hn::Add(imaginary, hn::Mul(weighted, hn::Cos(d, half)));
  }
  out[0] = -2 * hn::GetLane(hn::SumOfLanes(d, real));
  out[1] = 2 * hn::GetLane(hn::SumOfLanes(d, imaginary));
}

// out: cosines, then sines; atoms a multiple of 8.
void Angles(const double* HWY_RESTRICT points, std::size_t atoms, double t, double* HWY_RESTRICT cosines,
            double* HWY_RESTRICT sines) {
  const Lanes8 d;
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const Vector angle = Reduced(d, hn::Mul(hn::Set(d, t), hn::LoadU(d, points + i)));
    hn::StoreU(hn::Cos(d, angle), d, cosines + i);
    hn::StoreU(hn::Sin(d, angle), d, sines + i);
  }
}

void AngleSum(const double* HWY_RESTRICT weights, const double* HWY_RESTRICT cosines,
              const double* HWY_RESTRICT sines, std::size_t atoms, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector one = hn::Set(d, 1.0);
  Vector real = hn::Zero(d), imaginary = hn::Zero(d);
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const Vector w = hn::LoadU(d, weights + i);
    real = hn::Add(real, hn::Mul(w, hn::Sub(hn::LoadU(d, cosines + i), one)));
    imaginary = hn::Add(imaginary, hn::Mul(w, hn::LoadU(d, sines + i)));
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, real));
  out[1] = hn::GetLane(hn::SumOfLanes(d, imaginary));
}

void TurnAndSum(const double* HWY_RESTRICT weights, double* HWY_RESTRICT cosines, double* HWY_RESTRICT sines,
                const double* HWY_RESTRICT step_cosines, const double* HWY_RESTRICT step_sines,
                std::size_t atoms, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector one = hn::Set(d, 1.0);
  Vector real = hn::Zero(d), imaginary = hn::Zero(d);
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    const Vector cosine = hn::LoadU(d, cosines + i), sine = hn::LoadU(d, sines + i);
    const Vector step_cosine = hn::LoadU(d, step_cosines + i), step_sine = hn::LoadU(d, step_sines + i);
    const Vector turned = hn::Sub(hn::Mul(cosine, step_cosine), hn::Mul(sine, step_sine));
    const Vector turned_sine = hn::Add(hn::Mul(sine, step_cosine), hn::Mul(cosine, step_sine));
    hn::StoreU(turned, d, cosines + i);
    hn::StoreU(turned_sine, d, sines + i);
    const Vector w = hn::LoadU(d, weights + i);
    real = hn::Add(real, hn::Mul(w, hn::Sub(turned, one)));
    imaginary = hn::Add(imaginary, hn::Mul(w, turned_sine));
  }
  out[0] = hn::GetLane(hn::SumOfLanes(d, real));
  out[1] = hn::GetLane(hn::SumOfLanes(d, imaginary));
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::numerics
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::numerics {

HWY_EXPORT(Tilt);
HWY_EXPORT(TiltWeights);
HWY_EXPORT(Characteristic);
HWY_EXPORT(Angles);
HWY_EXPORT(AngleSum);
HWY_EXPORT(TurnAndSum);

namespace {

constexpr double kLargestAngle = 6e6;  // what Reduced() brings back exactly

}  // namespace

TiltSums tilt_sums(const double* points, const double* weights, std::size_t atoms, double c) {
  double out[5];
  HWY_DYNAMIC_DISPATCH(Tilt)(points, weights, atoms, c, out);
  return {out[0], out[1], out[2], out[3], out[4]};
}

void tilt_weights(const double* points, const double* weights, std::size_t atoms, double c, double shift,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(TiltWeights)(points, weights, atoms, c, shift, out);
}

std::complex<double> characteristic_sum(const double* points, const double* weights, std::size_t atoms,
                                        double t, double reach) {
  double out[2] = {0, 0};
  if (std::abs(t) * reach < kLargestAngle) {
    HWY_DYNAMIC_DISPATCH(Characteristic)(points, weights, atoms, t, out);
    return {out[0], out[1]};
  }
  for (std::size_t i = 0; i < atoms; ++i) {
    const double half = 0.5 * t * points[i];
    const double s = std::sin(half);
    out[0] -= 2 * weights[i] * s * s;
    out[1] += 2 * weights[i] * s * std::cos(half);
  }
  return {out[0], out[1]};
}

void angles(const double* points, std::size_t atoms, double t, double reach, double* cosines, double* sines) {
  if (std::abs(t) * reach < kLargestAngle) {
    HWY_DYNAMIC_DISPATCH(Angles)(points, atoms, t, cosines, sines);
    return;
  }
  for (std::size_t i = 0; i < atoms; ++i) {
    cosines[i] = std::cos(t * points[i]);
    sines[i] = std::sin(t * points[i]);
  }
}

std::complex<double> angle_sum(const double* weights, const double* cosines, const double* sines,
                               std::size_t atoms) {
  double out[2];
  HWY_DYNAMIC_DISPATCH(AngleSum)(weights, cosines, sines, atoms, out);
  return {out[0], out[1]};
}

std::complex<double> turn_and_sum(const double* weights, double* cosines, double* sines,
                                  const double* step_cosines, const double* step_sines, std::size_t atoms) {
  double out[2];
  HWY_DYNAMIC_DISPATCH(TurnAndSum)(weights, cosines, sines, step_cosines, step_sines, atoms, out);
  return {out[0], out[1]};
}

}  // namespace muster::numerics
#endif  // HWY_ONCE

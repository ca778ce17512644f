#include "muster/numerics/sums/atom_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/numerics/sums/atom_kernels.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "muster/numerics/work.h"

HWY_BEFORE_NAMESPACE();
namespace muster::numerics {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes8 = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Lanes8>;

// Loads one vector of atoms. If fewer than a vector are left, it is padded with zeros.
HWY_INLINE Vector LoadPart(Lanes8 d, const double* from, std::size_t left) {
  return left >= hn::Lanes(d) ? hn::LoadU(d, from) : hn::MaskedLoad(hn::FirstN(d, left), d, from);
}

// Every sum is kept in eight lanes: atom i belongs to lane i mod 8, whatever the width of a vector. So all
// instruction sets that fuse multiply-adds give the same bits, and an epsilon does not depend on which of
// them the processor has. A set with vectors of fewer lanes computes a block in several passes, one for each
// group of lanes that a vector holds.
constexpr std::size_t kLanes = 8, kBlock = 8 * kLanes;

// Computes kSums sums over the atoms. `pass(from, to, sums)` handles the atoms at `from`, from + kLanes,
// from + 2 kLanes and so on below `to`, a vector at each, and writes kSums vectors to `sums`, kLanes numbers
// apart. The sums of blocks are added as a binary tree. So a term takes at most 7 roundings (slack.h) in its
// block, one for each level of the tree, and three at the end, where the lanes are added. These are at most 5
// + log2(atoms + 64), while adding one term after another would take atoms / kLanes.
template <std::size_t kSums, typename Pass>
HWY_INLINE void SumBlocks(Lanes8 d, std::size_t atoms, Pass&& pass, double* HWY_RESTRICT out) {
  constexpr std::size_t kDepth = 48;  // up to 2^47 blocks
  double sums[kDepth][kSums * kLanes];
  std::size_t depth = 0, from = 0;
  const auto add_to_previous = [&](std::size_t last) HWY_ATTR {
    for (std::size_t i = 0; i < kSums * kLanes; i += hn::Lanes(d)) {
      hn::StoreU(hn::Add(hn::LoadU(d, sums[last - 1] + i), hn::LoadU(d, sums[last] + i)), d,
                 sums[last - 1] + i);
    }
  };
  for (std::size_t blocks = 1;; ++blocks) {
    const std::size_t to = atoms - from > kBlock ? from + kBlock : atoms;
    for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) pass(from + lane, to, sums[depth] + lane);
    ++depth;
    from = to;
    if (from == atoms) break;
    for (std::size_t pairs = blocks; pairs % 2 == 0; pairs /= 2) add_to_previous(--depth);
  }
  while (depth > 1) add_to_previous(--depth);
  for (std::size_t i = 0; i < kSums; ++i) {
    const double* s = sums[0] + i * kLanes;
    out[i] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

// ReducedNear() and ReducedFar() subtract `quarters` quarter turns, a whole number, from the angle. The rest
// is at most an eighth of a turn, and 2^-12 of a quarter turn more because `quarters` comes from a rounded
// product. All subtractions but the last are exact.
//
// ReducedNear() is for |angle| < 6e6. The first two parts of pi/2 have 31 bits, so their products with
// `quarters`, which has at most 22, are exact.
HWY_INLINE Vector ReducedNear(Lanes8 d, Vector angle, Vector quarters) {
  const Vector first = hn::Sub(angle, hn::Mul(quarters, hn::Set(d, 0x1.921fb54400000p+0)));
  const Vector second = hn::Sub(first, hn::Mul(quarters, hn::Set(d, 0x1.0b4611a400000p-34)));
  return hn::Sub(second, hn::Mul(quarters, hn::Set(d, 0x1.13198a2e03707p-65)));
}
// ReducedFar() is for |angle| < 2^40, on processors that add a product without rounding it first. An angle
// above pi/4 and the first part of pi/2 are multiples of 2^-53. So their first difference is such a multiple,
// too, and it is exact because it is below 1. The two parts together differ from pi/2 by less than 2^-107.
HWY_INLINE Vector ReducedFar(Lanes8 d, Vector angle, Vector quarters) {
  const Vector first = hn::NegMulAdd(quarters, hn::Set(d, 0x1.921fb54442d18p+0), angle);
  return hn::NegMulAdd(quarters, hn::Set(d, 0x1.1a62633145c07p-54), first);
}

// Computes sine and cosine to within 2 ulp of those of the reduced angle. kFar chooses ReducedFar(). The
// polynomials are those of fdlibm's kernels.
template <bool kFar>
HWY_INLINE void SineCosine(Lanes8 d, Vector angle, Vector& sine, Vector& cosine) {
  const hn::RebindToUnsigned<Lanes8> bits;
  // Adding 3 * 2^51 rounds a number to a whole number, which then stands in the last bits of the sum.
  const Vector shifter = hn::Set(d, 0x1.8p52);
  const Vector shifted = hn::Add(hn::Mul(angle, hn::Set(d, 0x1.45f306dc9c883p-1)), shifter);
  const Vector quarters = hn::Sub(shifted, shifter);
  const Vector x = kFar ? ReducedFar(d, angle, quarters) : ReducedNear(d, angle, quarters);
  const Vector z = hn::Mul(x, x);
  Vector s = hn::Set(d, 1.58969099521155010221e-10);
  s = hn::MulAdd(s, z, hn::Set(d, -2.50507602534068634195e-08));
  s = hn::MulAdd(s, z, hn::Set(d, 2.75573137070700676789e-06));
  s = hn::MulAdd(s, z, hn::Set(d, -1.98412698298579493134e-04));
  s = hn::MulAdd(s, z, hn::Set(d, 8.33333333332248946124e-03));
  s = hn::MulAdd(s, z, hn::Set(d, -1.66666666666666324348e-01));
  s = hn::MulAdd(hn::Mul(s, z), x, x);
  Vector c = hn::Set(d, -1.13596475577881948265e-11);
  c = hn::MulAdd(c, z, hn::Set(d, 2.08757232129817482790e-09));
  c = hn::MulAdd(c, z, hn::Set(d, -2.75573143513906633035e-07));
  c = hn::MulAdd(c, z, hn::Set(d, 2.48015872894767294178e-05));
  c = hn::MulAdd(c, z, hn::Set(d, -1.38888888888741095749e-03));
  c = hn::MulAdd(c, z, hn::Set(d, 4.16666666666666019037e-02));
  c = hn::MulAdd(hn::Mul(c, z), z, hn::NegMulAdd(hn::Set(d, 0.5), z, hn::Set(d, 1.0)));
  const auto turn = hn::BitCast(bits, shifted);
  const auto one = hn::Set(bits, 1), two = hn::Set(bits, 2);
  const auto odd = hn::MaskFromVec(hn::BitCast(d, hn::Sub(hn::Zero(bits), hn::And(turn, one))));
  const auto sine_sign = hn::ShiftLeft<62>(hn::And(turn, two));
  const auto cosine_sign = hn::ShiftLeft<62>(hn::And(hn::Add(turn, one), two));
  sine = hn::Xor(hn::IfThenElse(odd, c, s), hn::BitCast(d, sine_sign));
  cosine = hn::Xor(hn::IfThenElse(odd, s, c), hn::BitCast(d, cosine_sign));
}

// Computes `power` = e^x and `growth` = e^x - 1 for x < 700, each within 3 ulp, from one polynomial. With
// x = k ln 2 + r, |r| <= ln(2)/2, and p = e^r - 1, they are 2^k (1 + p) and 2^k p + (2^k - 1). An x below
// -708 counts as -708, and NaN gives NaN.
HWY_INLINE void Exponential(Lanes8 d, Vector x, Vector& power, Vector& growth) {
  const hn::RebindToUnsigned<Lanes8> bits;
  const Vector smallest = hn::Set(d, -708.0);
  const Vector least = hn::IfThenElse(hn::Lt(x, smallest), smallest, x);  // hn::Max() may lose a NaN
  const Vector shifter = hn::Set(d, 0x1.8p52);
  const Vector shifted = hn::Add(hn::Mul(least, hn::Set(d, 0x1.71547652b82fep+0)), shifter);
  const Vector k = hn::Sub(shifted, shifter);
  // The constant has 32 bits, so its product with k is exact.
  const Vector high = hn::Sub(least, hn::Mul(k, hn::Set(d, 0x1.62e42fee00000p-1)));
  const Vector r = hn::Sub(high, hn::Mul(k, hn::Set(d, 0x1.a39ef35793c76p-33)));
  // The Taylor series up to r^13 / 13!; the terms left out sum to less than 1.3e-17 |r|.
  Vector q = hn::Set(d, 1.6059043836821613e-10);
  q = hn::MulAdd(q, r, hn::Set(d, 2.08767569878681e-09));
  q = hn::MulAdd(q, r, hn::Set(d, 2.505210838544172e-08));
  q = hn::MulAdd(q, r, hn::Set(d, 2.755731922398589e-07));
  q = hn::MulAdd(q, r, hn::Set(d, 2.7557319223985893e-06));
  q = hn::MulAdd(q, r, hn::Set(d, 2.48015873015873e-05));
  q = hn::MulAdd(q, r, hn::Set(d, 1.984126984126984e-04));
  q = hn::MulAdd(q, r, hn::Set(d, 1.388888888888889e-03));
  q = hn::MulAdd(q, r, hn::Set(d, 8.333333333333333e-03));
  q = hn::MulAdd(q, r, hn::Set(d, 4.1666666666666664e-02));
  q = hn::MulAdd(q, r, hn::Set(d, 1.6666666666666666e-01));
  q = hn::MulAdd(q, r, hn::Set(d, 0.5));
  const Vector p = hn::MulAdd(hn::Mul(q, r), r, r);
  const Vector scale =
      hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 1023))));
  power = hn::MulAdd(scale, p, scale);
  growth = hn::MulAdd(scale, p, hn::Sub(scale, hn::Set(d, 1.0)));
}

void Tilt(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights, std::size_t atoms, double c,
          double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector scale = hn::Set(d, c);
  Vector largest = hn::Zero(d);
  SumBlocks<5>(
      d, atoms,
      [&](std::size_t from, std::size_t to, double* sums) HWY_ATTR {
        Vector nonzero = hn::Zero(d), first = nonzero, absolute = nonzero, second = nonzero, growth = nonzero;
        for (std::size_t i = from; i < to; i += kLanes) {
          const Vector y = LoadPart(d, points + i, atoms - i);
          const Vector w = LoadPart(d, weights + i, atoms - i);
          const Vector exponent = hn::Mul(scale, y);
          largest = hn::Max(exponent, largest);
          Vector power, grown;
          Exponential(d, exponent, power, grown);
          const Vector tilted = hn::Mul(w, power);
          growth = hn::Add(growth, hn::Mul(w, grown));
          nonzero = hn::Add(nonzero, tilted);
          const Vector moment = hn::Mul(tilted, y);
          first = hn::Add(first, moment);
          absolute = hn::Add(absolute, hn::Abs(moment));
          second = hn::Add(second, hn::Mul(moment, y));
        }
        hn::StoreU(nonzero, d, sums);
        hn::StoreU(first, d, sums + kLanes);
        hn::StoreU(absolute, d, sums + 2 * kLanes);
        hn::StoreU(second, d, sums + 3 * kLanes);
        hn::StoreU(growth, d, sums + 4 * kLanes);
      },
      out);
  out[5] = hn::GetLane(hn::MaxOfLanes(d, largest));
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

template <bool kFar>
HWY_INLINE void CharacteristicOf(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights,
                                 std::size_t atoms, double t, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector half_t = hn::Set(d, 0.5 * t);
  SumBlocks<2>(
      d, atoms,
      [&](std::size_t from, std::size_t to, double* sums) HWY_ATTR {
        Vector real = hn::Zero(d), imaginary = hn::Zero(d);
        for (std::size_t i = from; i < to; i += kLanes) {
          Vector s, cosine;
          SineCosine<kFar>(d, hn::Mul(half_t, LoadPart(d, points + i, atoms - i)), s, cosine);
          const Vector weighted = hn::Mul(LoadPart(d, weights + i, atoms - i), s);
          real = hn::Add(real, hn::Mul(weighted, s));
          imaginary = hn::Add(imaginary, hn::Mul(weighted, cosine));
        }
        hn::StoreU(real, d, sums);
        hn::StoreU(imaginary, d, sums + kLanes);
      },
      out);
  out[0] *= -2;
  out[1] *= 2;
}

// Writes the cosine and the sine of t y for each point y. `atoms` is a multiple of 8.
template <bool kFar>
HWY_INLINE void AnglesOf(const double* HWY_RESTRICT points, std::size_t atoms, double t,
                         double* HWY_RESTRICT cosines, double* HWY_RESTRICT sines) {
  const Lanes8 d;
  for (std::size_t i = 0; i < atoms; i += hn::Lanes(d)) {
    Vector sine, cosine;
    SineCosine<kFar>(d, hn::Mul(hn::Set(d, t), hn::LoadU(d, points + i)), sine, cosine);
    hn::StoreU(cosine, d, cosines + i);
    hn::StoreU(sine, d, sines + i);
  }
}

// Angles must be below kMaxNear in modulus for ReducedNear(), and below kMaxAngle for the kernels of this
// instruction set.
constexpr double kMaxNear = 6e6;
constexpr double kMaxAngle = HWY_NATIVE_FMA ? 0x1p40 : kMaxNear;

// Characteristic() and Angles() return false, and write nothing, if an angle may be too large. `reach` is the
// largest |point|.
bool Characteristic(const double* HWY_RESTRICT points, const double* HWY_RESTRICT weights, std::size_t atoms,
                    double t, double reach, double* HWY_RESTRICT out) {
  const double largest = std::abs(t) * reach;
  if (!(largest < kMaxAngle)) return false;
  if (largest < kMaxNear) {
    CharacteristicOf<false>(points, weights, atoms, t, out);
  } else {
    CharacteristicOf<true>(points, weights, atoms, t, out);
  }
  return true;
}
bool Angles(const double* HWY_RESTRICT points, std::size_t atoms, double t, double reach,
            double* HWY_RESTRICT cosines, double* HWY_RESTRICT sines) {
  const double largest = std::abs(t) * reach;
  if (!(largest < kMaxAngle)) return false;
  if (largest < kMaxNear) {
    AnglesOf<false>(points, atoms, t, cosines, sines);
  } else {
    AnglesOf<true>(points, atoms, t, cosines, sines);
  }
  return true;
}

void AngleSum(const double* HWY_RESTRICT weights, const double* HWY_RESTRICT cosines,
              const double* HWY_RESTRICT sines, std::size_t atoms, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector one = hn::Set(d, 1.0);
  SumBlocks<2>(
      d, atoms,
      [&](std::size_t from, std::size_t to, double* sums) HWY_ATTR {
        Vector real = hn::Zero(d), imaginary = hn::Zero(d);
        for (std::size_t i = from; i < to; i += kLanes) {
          const Vector w = hn::LoadU(d, weights + i);
          real = hn::Add(real, hn::Mul(w, hn::Sub(hn::LoadU(d, cosines + i), one)));
          imaginary = hn::Add(imaginary, hn::Mul(w, hn::LoadU(d, sines + i)));
        }
        hn::StoreU(real, d, sums);
        hn::StoreU(imaginary, d, sums + kLanes);
      },
      out);
}

// `out` receives 8 numbers: the real and the imaginary part of the sum after one, two, three and four
// rotations.
void TurnAndSum(const double* HWY_RESTRICT weights, double* HWY_RESTRICT cosines, double* HWY_RESTRICT sines,
                const double* HWY_RESTRICT step_cosines, const double* HWY_RESTRICT step_sines,
                std::size_t atoms, double* HWY_RESTRICT out) {
  const Lanes8 d;
  const Vector one = hn::Set(d, 1.0);
  SumBlocks<8>(
      d, atoms,
      [&](std::size_t from, std::size_t to, double* sums) HWY_ATTR {
        Vector real0 = hn::Zero(d), real1 = real0, real2 = real0, real3 = real0;
        Vector imaginary0 = real0, imaginary1 = real0, imaginary2 = real0, imaginary3 = real0;
        for (std::size_t i = from; i < to; i += kLanes) {
          const Vector w = hn::LoadU(d, weights + i);
          const Vector step_cosine = hn::LoadU(d, step_cosines + i), step_sine = hn::LoadU(d, step_sines + i);
          Vector cosine = hn::LoadU(d, cosines + i), sine = hn::LoadU(d, sines + i);
          const auto turn = [&](Vector& real, Vector& imaginary) HWY_ATTR {
            const Vector turned = hn::MulSub(cosine, step_cosine, hn::Mul(sine, step_sine));
            sine = hn::MulAdd(sine, step_cosine, hn::Mul(cosine, step_sine));
            cosine = turned;
            real = hn::MulAdd(w, hn::Sub(cosine, one), real);
            imaginary = hn::MulAdd(w, sine, imaginary);
          };
          turn(real0, imaginary0);
          turn(real1, imaginary1);
          turn(real2, imaginary2);
          turn(real3, imaginary3);
          hn::StoreU(cosine, d, cosines + i);
          hn::StoreU(sine, d, sines + i);
        }
        const auto put = [&](Vector real, Vector imaginary, std::size_t at) HWY_ATTR {
          hn::StoreU(real, d, sums + at * kLanes);
          hn::StoreU(imaginary, d, sums + (at + 1) * kLanes);
        };
        put(real0, imaginary0, 0);
        put(real1, imaginary1, 2);
        put(real2, imaginary2, 4);
        put(real3, imaginary3, 6);
      },
      out);
}

// `out` receives 4 numbers: the sum of the real parts after one, two, three and four multiplications.
void MultiplyAndSum(double* HWY_RESTRICT real, double* HWY_RESTRICT imaginary,
                    const double* HWY_RESTRICT step_real, const double* HWY_RESTRICT step_imaginary,
                    std::size_t count, double* HWY_RESTRICT out) {
  const Lanes8 d;
  SumBlocks<4>(
      d, count,
      [&](std::size_t from, std::size_t to, double* sums) HWY_ATTR {
        Vector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
        for (std::size_t i = from; i < to; i += kLanes) {
          const Vector a = hn::LoadU(d, step_real + i), b = hn::LoadU(d, step_imaginary + i);
          Vector x = hn::LoadU(d, real + i), y = hn::LoadU(d, imaginary + i);
          const auto multiply = [&](Vector& sum) HWY_ATTR {
            const Vector product = hn::MulSub(x, a, hn::Mul(y, b));
            y = hn::MulAdd(y, a, hn::Mul(x, b));
            x = product;
            sum = hn::Add(sum, x);
          };
          multiply(sum0);
          multiply(sum1);
          multiply(sum2);
          multiply(sum3);
          hn::StoreU(x, d, real + i);
          hn::StoreU(y, d, imaginary + i);
        }
        hn::StoreU(sum0, d, sums);
        hn::StoreU(sum1, d, sums + kLanes);
        hn::StoreU(sum2, d, sums + 2 * kLanes);
        hn::StoreU(sum3, d, sums + 3 * kLanes);
      },
      out);
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
HWY_EXPORT(MultiplyAndSum);

namespace {

// The sine of an angle above this is counted as kWorkOfFarSine on every machine, although some have a vector
// kernel for it. Accuracy may depend on the work counted, so all machines must count the same.
constexpr double kCountedFar = 6e6;

}  // namespace

TiltSums tilt_sums(const double* points, const double* weights, std::size_t atoms, double c) {
  count_work(atoms, kWorkOfFunction, 0);
  double out[6];
  HWY_DYNAMIC_DISPATCH(Tilt)(points, weights, atoms, c, out);
  return {out[0], out[1], out[2], out[3], out[4], out[5]};
}

void tilt_weights(const double* points, const double* weights, std::size_t atoms, double c, double shift,
                  double* out) {
  count_work(atoms, kWorkOfFunction, 0);
  HWY_DYNAMIC_DISPATCH(TiltWeights)(points, weights, atoms, c, shift, out);
}

std::complex<double> characteristic_sum(const double* points, const double* weights, std::size_t atoms,
                                        double t, double reach) {
  count_work(atoms, kWorkOfFunction, kWorkOfFrequency);
  if (!(std::abs(t) * reach < kCountedFar)) count_work(atoms, kWorkOfFarSine, 0);
  double out[2] = {0, 0};
  if (HWY_DYNAMIC_DISPATCH(Characteristic)(points, weights, atoms, t, reach, out)) return {out[0], out[1]};
  long double real = 0, imaginary = 0;  // sums of doubles would take `atoms` roundings
  for (std::size_t i = 0; i < atoms; ++i) {
    const double half = 0.5 * t * points[i];
    const double s = std::sin(half);
    real -= 2 * weights[i] * s * s;
    imaginary += 2 * weights[i] * s * std::cos(half);
  }
  return {static_cast<double>(real), static_cast<double>(imaginary)};
}

void angles(const double* points, std::size_t atoms, double t, double reach, double* cosines, double* sines) {
  count_work(atoms, kWorkOfFunction, 0);
  if (!(std::abs(t) * reach < kCountedFar)) count_work(atoms, kWorkOfFarSine, 0);
  if (HWY_DYNAMIC_DISPATCH(Angles)(points, atoms, t, reach, cosines, sines)) return;
  for (std::size_t i = 0; i < atoms; ++i) {
    const double angle =
        t * points[i];  // computed once, so that the compiler computes both functions together
    const double cosine = std::cos(angle), sine = std::sin(angle);
    cosines[i] = cosine;
    sines[i] = sine;
  }
}

std::complex<double> angle_sum(const double* weights, const double* cosines, const double* sines,
                               std::size_t atoms) {
  double out[2];
  HWY_DYNAMIC_DISPATCH(AngleSum)(weights, cosines, sines, atoms, out);
  return {out[0], out[1]};
}

std::array<std::complex<double>, 4> turn_and_sum(const double* weights, double* cosines, double* sines,
                                                 const double* step_cosines, const double* step_sines,
                                                 std::size_t atoms) {
  count_work(4 * atoms, 1, 4 * kWorkOfFrequency);
  double out[8];
  HWY_DYNAMIC_DISPATCH(TurnAndSum)(weights, cosines, sines, step_cosines, step_sines, atoms, out);
  return {{{out[0], out[1]}, {out[2], out[3]}, {out[4], out[5]}, {out[6], out[7]}}};
}

std::array<double, 4> multiply_and_sum(double* real, double* imaginary, const double* step_real,
                                       const double* step_imaginary, std::size_t count) {
  count_work(4 * count, 1, 4 * kWorkOfFrequency);
  std::array<double, 4> out{};
  HWY_DYNAMIC_DISPATCH(MultiplyAndSum)(real, imaginary, step_real, step_imaginary, count, out.data());
  return out;
}

}  // namespace muster::numerics
#endif  // HWY_ONCE

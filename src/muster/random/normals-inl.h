// Box-Muller on vectors of 32-bit words: one pair of normals from two words. Included once per vector target.
//
// Polynomials by tools/golden/normal_polynomials.py (relative error of each below 4e-8).
#if defined(MUSTER_RANDOM_NORMALS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_NORMALS_INL_H_
#undef MUSTER_RANDOM_NORMALS_INL_H_
#else
#define MUSTER_RANDOM_NORMALS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// -2 ln(u) for positive normal u <= 1, never negative.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V MinusTwoLog(D d, V u) {
  const hn::RebindToSigned<D> di;
  // u = 2^e (1 + t) with 1 + t in [sqrt(1/2), sqrt(2)): near u = 1 e is 0 and nothing cancels.
  const auto sqrt_half = hn::Set(di, 0x3f3504f3);
  const auto offset = hn::Sub(hn::BitCast(di, u), sqrt_half);
  const auto exponent = hn::ShiftRight<23>(offset);
  const auto mantissa = hn::Add(hn::And(offset, hn::Set(di, 0x007fffff)), sqrt_half);
  const V t = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0f));
  V p = hn::Set(d, -1.706662616e-01f);
  p = hn::MulAdd(p, t, hn::Set(d, 2.853851641e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, -2.995480256e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, 3.315598579e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, -3.991186672e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, 5.000270437e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, -6.666838657e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, 9.999999276e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, -1.999999948e+00f));
  const V minus_two_ln2 = hn::Set(d, -1.386294361e+00f);
  return hn::Max(hn::MulAdd(hn::ConvertTo(d, exponent), minus_two_ln2, hn::Mul(p, t)), hn::Zero(d));
}

// sine and cosine of pi/4 x, |x| <= 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void SinCosEighth(D d, V x, V& sine, V& cosine) {
  const V y = hn::Mul(x, x);
  V s = hn::Set(d, -3.595429072e-05f);
  s = hn::MulAdd(s, y, hn::Set(d, 2.490006801e-03f));
  s = hn::MulAdd(s, y, hn::Set(d, -8.074543471e-02f));
  s = hn::MulAdd(s, y, hn::Set(d, 7.853981610e-01f));
  sine = hn::Mul(s, x);
  V c = hn::Set(d, -3.188774749e-04f);
  c = hn::MulAdd(c, y, hn::Set(d, 1.584991071e-02f));
  c = hn::MulAdd(c, y, hn::Set(d, -3.084242519e-01f));
  cosine = hn::MulAdd(c, y, hn::Set(d, 9.999999723e-01f));
}

// Two independent standard normals a lane. Of radius_word, bits 0-30 give the radius, u = (bits + 1/2) / 2^31
// in (0, 1], and bit 31 the sign of the cosine. Of angle_word, bits 1-31 give an angle within an eighth of
// the circle on either side of 0 and bit 0 exchanges the two normals: together a uniform angle.
template <class D, class VI, class V = hn::Vec<D>>
HWY_INLINE void BoxMuller(D d, VI radius_word, VI angle_word, V& first, V& second) {
  const hn::RebindToSigned<D> di;
  const auto sign_bit = hn::Set(di, INT32_MIN);
  const V bits = hn::ConvertTo(d, hn::AndNot(sign_bit, radius_word));
  const V scale = hn::Set(d, 0x1p-31f), half = hn::Set(d, 0x1p-32f);
  const V radius = hn::Sqrt(MinusTwoLog(d, hn::MulAdd(bits, scale, half)));
  const V signed_radius = hn::Or(radius, hn::BitCast(d, hn::And(sign_bit, radius_word)));
  // Odd numerators: symmetric about 0.
  const V angle = hn::Mul(hn::ConvertTo(d, hn::Or(angle_word, hn::Set(di, 1))), scale);
  V sine, cosine;
  SinCosEighth(d, angle, sine, cosine);
  sine = hn::Mul(sine, radius);
  cosine = hn::Mul(cosine, signed_radius);
  const auto exchange = hn::TestBit(hn::BitCast(di, angle_word), hn::Set(di, 1));
  const auto mask = hn::RebindMask(d, exchange);
  first = hn::IfThenElse(mask, sine, cosine);
  second = hn::IfThenElse(mask, cosine, sine);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

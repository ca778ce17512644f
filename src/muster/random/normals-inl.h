// Computes normals in registers: Box-Muller on vectors of 32-bit words, and rows of 64 normals directly from
// counter blocks. Encryption and arithmetic use different units of the processor, so they are interleaved.
// This file is included once per vector target.
//
// tools/golden/normal_polynomials.py makes the polynomials; each has a relative error below 4e-8. The
// functions touch only their arguments, so any thread may call them.
#if defined(MUSTER_RANDOM_NORMALS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_NORMALS_INL_H_
#undef MUSTER_RANDOM_NORMALS_INL_H_
#else
#define MUSTER_RANDOM_NORMALS_INL_H_
#endif

#include <hwy/highway.h>
#include <sodium.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "muster/random/counter_blocks-inl.h"
#include "muster/random/exact_normals.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Says how BoxMuller reads a radius word, which stands for an interval of numbers u. `plain` takes the middle
// of the interval, in (0, 1]. `certified` takes its lower end, with error bounds that cover the whole
// interval. A word whose first kEqualBits bits are all equal then gives NaN. A normal that is not NaN is
// within kNormalError of every normal that its radius and angle words allow (exact_normals.h).
enum class Reading { plain, certified };

// An `Other` for BoxMuller (below) that does nothing between its steps.
struct NoOtherWork {
  template <std::size_t kStep, std::size_t kSteps>
  HWY_INLINE void Do() {}
};

// Returns a mask of the lanes in which any of the given bits is set.
template <class VI>
HWY_INLINE auto AnyOf(VI words, VI bits) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Mask<hn::DFromV<VI>>{_mm512_test_epi32_mask(words.raw, bits.raw)};
#else
  return hn::Ne(hn::And(words, bits), hn::Zero(hn::DFromV<VI>()));
#endif
}

// Returns the square root in the lanes of the mask, and NaN in all other lanes.
template <class D, class M, class V = hn::Vec<D>>
HWY_INLINE V SqrtOrNaN(D d, M mask, V x) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return V{_mm512_mask_sqrt_ps(hn::NaN(d).raw, mask.raw, x.raw)};
#else
  return hn::IfThenElse(hn::RebindMask(d, mask), hn::Sqrt(x), hn::NaN(d));
#endif
}

// Executes the statement for every pair i, then share `step` of 30 of the work of `other`. The operations of
// independent pairs are adjacent, so that one hides the latency of another.
#define MUSTER_EACH(step, statement)           \
  do {                                         \
    HWY_UNROLL(8)                              \
    for (std::size_t i = 0; i < kPairs; ++i) { \
      statement;                               \
    }                                          \
    other.template Do<step, 30>();             \
  } while (0)

// Performs steps 0 to 16 of BoxMuller, which compute the radius sqrt(-2 ln u); it is never negative. In
// u = 2^e (1 + t), 1 + t is in [sqrt(1/2), sqrt(2)), so e is 0 near u = 1 and nothing cancels there.
template <std::size_t kPairs, Reading kReading, class D, class VI, class Other, class V = hn::Vec<D>>
HWY_INLINE void Radii(D d, const VI* radius_word, V* radius, Other& other) {
  const hn::RebindToSigned<D> di;
  const auto sign_bit = hn::Set(di, INT32_MIN), sqrt_half = hn::Set(di, 0x3f3504f3);
  const V scale = hn::Set(d, 0x1p-31f), half = hn::Set(d, 0x1p-32f);
  V u[kPairs], t[kPairs], p[kPairs], exponent[kPairs];
  VI offset[kPairs];
  MUSTER_EACH(0, u[i] = hn::ConvertTo(d, hn::AndNot(sign_bit, radius_word[i])));
  if constexpr (kReading == Reading::plain) {
    MUSTER_EACH(1, u[i] = hn::MulAdd(u[i], scale, half));
    MUSTER_EACH(2, offset[i] = hn::Sub(hn::BitCast(di, u[i]), sqrt_half));
  } else {
    // This is the same offset, computed from 2^31 u, whose binary exponent is larger by 31.
    const auto shifted = hn::Add(sqrt_half, hn::Set(di, 31 << 23));
    MUSTER_EACH(1, offset[i] = hn::Sub(hn::BitCast(di, u[i]), shifted));
    other.template Do<2, 30>();
  }
  MUSTER_EACH(3, t[i] = hn::BitCast(d, hn::Add(hn::And(offset[i], hn::Set(di, 0x007fffff)), sqrt_half)));
  MUSTER_EACH(4, t[i] = hn::Sub(t[i], hn::Set(d, 1.0f)));
  MUSTER_EACH(5, exponent[i] = hn::ConvertTo(d, hn::ShiftRight<23>(offset[i])));
  MUSTER_EACH(6, p[i] = hn::MulAdd(hn::Set(d, -1.706662616e-01f), t[i], hn::Set(d, 2.853851641e-01f)));
  MUSTER_EACH(7, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, -2.995480256e-01f)));
  MUSTER_EACH(8, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, 3.315598579e-01f)));
  MUSTER_EACH(9, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, -3.991186672e-01f)));
  MUSTER_EACH(10, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, 5.000270437e-01f)));
  MUSTER_EACH(11, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, -6.666838657e-01f)));
  MUSTER_EACH(12, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, 9.999999276e-01f)));
  MUSTER_EACH(13, p[i] = hn::MulAdd(p[i], t[i], hn::Set(d, -1.999999948e+00f)));
  MUSTER_EACH(14, p[i] = hn::Mul(p[i], t[i]));
  MUSTER_EACH(15, p[i] = hn::MulAdd(exponent[i], hn::Set(d, -1.386294361e+00f), p[i]));
  if constexpr (kReading == Reading::plain) {
    MUSTER_EACH(16, radius[i] = hn::Sqrt(hn::Max(p[i], hn::Zero(d))));
  } else {
    const auto one = hn::Set(di, 1 << (31 - kEqualBits)),
               rest = hn::Set(di, 0x7fffffff & -(2 << (31 - kEqualBits)));
    MUSTER_EACH(16, radius[i] = SqrtOrNaN(d, AnyOf(hn::Add(radius_word[i], one), rest), p[i]));
  }
}

// Performs steps 17 to 26 of BoxMuller, which compute sine and cosine of pi/4 x for |x| <= 1. The numerator
// of x is odd, so x is symmetric about 0.
template <std::size_t kPairs, class D, class VI, class Other, class V = hn::Vec<D>>
HWY_INLINE void SinesAndCosines(D d, const VI* angle_word, V* sine, V* cosine, Other& other) {
  const auto odd = hn::Set(hn::RebindToSigned<D>(), 1);
  const V scale = hn::Set(d, 0x1p-31f);
  V x[kPairs], y[kPairs];
  MUSTER_EACH(17, x[i] = hn::ConvertTo(d, hn::Or(angle_word[i], odd)));
  MUSTER_EACH(18, x[i] = hn::Mul(x[i], scale));
  MUSTER_EACH(19, y[i] = hn::Mul(x[i], x[i]));
  MUSTER_EACH(20, sine[i] = hn::MulAdd(hn::Set(d, -3.595429072e-05f), y[i], hn::Set(d, 2.490006801e-03f)));
  MUSTER_EACH(21, cosine[i] = hn::MulAdd(hn::Set(d, -3.188774749e-04f), y[i], hn::Set(d, 1.584991071e-02f)));
  MUSTER_EACH(22, sine[i] = hn::MulAdd(sine[i], y[i], hn::Set(d, -8.074543471e-02f)));
  MUSTER_EACH(23, cosine[i] = hn::MulAdd(cosine[i], y[i], hn::Set(d, -3.084242519e-01f)));
  MUSTER_EACH(24, sine[i] = hn::MulAdd(sine[i], y[i], hn::Set(d, 7.853981610e-01f)));
  MUSTER_EACH(25, cosine[i] = hn::MulAdd(cosine[i], y[i], hn::Set(d, 9.999999723e-01f)));
  MUSTER_EACH(26, sine[i] = hn::Mul(sine[i], x[i]));
}

// Computes two independent standard normals in every lane of kPairs pairs of vectors. Of radius_word, bits
// 0-30 give the radius by u = (bits + 1/2) / 2^31 in (0, 1] (plain reading), and bit 31 is the sign of the
// cosine. Of angle_word, bits 1-31 give an angle within an eighth of the circle on either side of 0, and bit
// 0 exchanges the two normals. Together these give a uniform angle.
template <std::size_t kPairs, Reading kReading = Reading::plain, class D, class VI, class Other,
          class V = hn::Vec<D>>
HWY_INLINE void BoxMuller(D d, const VI* radius_word, const VI* angle_word, V* first, V* second,
                          Other& other) {
  const hn::RebindToSigned<D> di;
  const auto sign_bit = hn::Set(di, INT32_MIN), odd = hn::Set(di, 1);
  V radius[kPairs], sine[kPairs], cosine[kPairs];
  Radii<kPairs, kReading>(d, radius_word, radius, other);
  SinesAndCosines<kPairs>(d, angle_word, sine, cosine, other);
  MUSTER_EACH(27, sine[i] = hn::Mul(sine[i], radius[i]));
  MUSTER_EACH(28, radius[i] = hn::Or(radius[i], hn::BitCast(d, hn::And(sign_bit, radius_word[i]))));
  MUSTER_EACH(29, cosine[i] = hn::Mul(cosine[i], radius[i]));
  HWY_UNROLL(8)
  for (std::size_t i = 0; i < kPairs; ++i) {
    const auto exchange = hn::RebindMask(d, hn::TestBit(angle_word[i], odd));
    first[i] = hn::IfThenElse(exchange, sine[i], cosine[i]);
    second[i] = hn::IfThenElse(exchange, cosine[i], sine[i]);
  }
}

#undef MUSTER_EACH

using NormalTag = hn::CappedTag<float, 16>;
using NormalVec = hn::Vec<NormalTag>;
inline constexpr std::size_t kNormalLanes = hn::MaxLanes(NormalTag());
inline constexpr std::size_t kNormalRow = 64;  // two groups of kNormalGroup
inline constexpr std::size_t kRowVectors = kNormalRow / kNormalLanes;
inline constexpr std::size_t kRowBlocks = kNormalRow / 4;

#if HWY_TARGET != HWY_SCALAR

// Performs the ten AES rounds for kVectors vectors of counter blocks, divided into shares: Do executes share
// kStep of kSteps.
template <std::size_t kVectors>
class Encryption {
 public:
  // `keys` holds the eleven round keys, each repeated over a whole vector. `words` holds the counters xor
  // round key 0.
  HWY_INLINE Encryption(const std::uint8_t* keys, V8* words) : keys_(keys), words_(words) {}

  template <std::size_t kStep, std::size_t kSteps>
  HWY_INLINE void Do() {
    constexpr std::size_t kAll = 10 * kVectors, kFrom = kAll * kStep / kSteps;
    Operations<kFrom>(std::make_index_sequence<kAll*(kStep + 1) / kSteps - kFrom>());
  }

 private:
  template <std::size_t kFrom, std::size_t... kNumbers>
  HWY_INLINE void Operations(std::index_sequence<kNumbers...>) {
    (Operation<kFrom + kNumbers>(), ...);
  }

  template <std::size_t kNumber>
  HWY_INLINE void Operation() {
    constexpr std::size_t kRound = 1 + kNumber / kVectors, kVector = kNumber % kVectors;
    const V8 key = hn::Load(D8(), keys_ + kRound * hn::MaxLanes(D8()));
    if constexpr (kRound < 10) {
      words_[kVector] = hn::AESRound(words_[kVector], key);
    } else {
      words_[kVector] = hn::AESLastRound(words_[kVector], key);
    }
  }

  const std::uint8_t* keys_;
  V8* words_;
};

#endif

// Passes rows on to a sink: whole rows by sink(row, z), and an incomplete last row by sink.Rest(row, z,
// count).
template <class Sink>
struct PassOn {
  Sink& sink;
  std::size_t whole, rest;

  std::size_t Rows() const { return whole + (rest != 0); }

  // This function is always inlined. A call, which a compiler that weighs code size might make, would pass
  // the rows through memory.
  HWY_INLINE void operator()(std::size_t row, const NormalVec* z) {
    if (HWY_LIKELY(row < whole)) {
      sink(row, z);
      return;
    }
    alignas(64) float last[kNormalRow];
    for (std::size_t v = 0; v < kRowVectors; ++v) hn::Store(z[v], NormalTag(), last + v * kNormalLanes);
    sink.Rest(row, last, rest);
  }
};

// Computes the rows of NormalRows and passes them on.
#if HWY_TARGET == HWY_SCALAR

template <Reading kReading, class Sink>
HWY_INLINE void EachRow(const std::uint8_t* HWY_RESTRICT key, Counter counter, PassOn<Sink> pass_on) {
  const NormalTag d;
  const hn::RebindToSigned<NormalTag> di;
  using VI = hn::Vec<decltype(di)>;
  AesSchedule schedule;
  std::copy_n(key, schedule.size(), schedule.begin());
  NoOtherWork none;
  for (std::size_t row = 0; row < pass_on.Rows(); ++row) {
    std::uint64_t words[kNormalRow / 2];
    for (std::size_t b = 0; b < kRowBlocks; ++b, ++counter.low) EncryptOne(schedule, counter, words + 2 * b);
    std::int32_t halves[kNormalRow];
    std::memcpy(halves, words, sizeof halves);
    NormalVec z[kNormalRow];
    for (std::size_t i = 0; i < kNormalRow; i += i % 32 == 15 ? 17 : 1) {
      const VI radius = hn::Load(di, halves + i), angle = hn::Load(di, halves + 16 + i);
      BoxMuller<1, kReading>(d, &radius, &angle, z + i, z + 16 + i, none);
    }
    pass_on(row, z);
  }
  sodium_memzero(schedule.data(), schedule.size());
}

#else

template <Reading kReading, class Sink>
HWY_INLINE void EachRow(const std::uint8_t* HWY_RESTRICT key, Counter counter, PassOn<Sink> pass_on) {
  const NormalTag d;
  const hn::RebindToSigned<NormalTag> di;
  using VI = hn::Vec<decltype(di)>;
  // While kUnit vectors of words become normals, the next kUnit vectors of counters are encrypted. kUnit of
  // the widest vectors fill one row; kUnit narrower ones fill half a row.
  constexpr std::size_t kUnit = kNormalLanes >= 8 ? 4 : 8;
  constexpr std::size_t kPairs = kUnit / 2;
  constexpr std::size_t kRadii = 16 / kNormalLanes;  // vectors of radii (and of angles) in a group
  constexpr std::size_t kKey = hn::MaxLanes(D8());
  alignas(64) std::uint8_t keys[11 * kKey];
  for (std::size_t round = 0; round < 11; ++round) {
    hn::Store(hn::LoadDup128(D8(), key + 16 * round), D8(), keys + round * kKey);
  }
  hn::Vec<D64> counters = FirstCounters(counter, 1);
  const hn::Vec<D64> increment = CounterIncrement(hn::MaxLanes(D64()) / 2);
  V8 words[kUnit];
  Encryption<kUnit> encryption(keys, words);
  const auto begin_next = [&]() HWY_ATTR __attribute__((always_inline)) {
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < kUnit; ++v) {
      words[v] = hn::Xor(hn::BitCast(D8(), counters), hn::Load(D8(), keys));
      counters = hn::Add(counters, increment);
    }
  };
  begin_next();
  encryption.template Do<0, 1>();
  for (std::size_t row = 0; row < pass_on.Rows(); ++row) {
    NormalVec z[kRowVectors];
    HWY_UNROLL(4)
    for (std::size_t unit = 0; unit < kRowVectors; unit += kUnit) {
      VI radius[kPairs], angle[kPairs];
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < kPairs; ++i) {
        const std::size_t v = i / kRadii * 2 * kRadii + i % kRadii;
        radius[i] = hn::BitCast(di, words[v]);
        angle[i] = hn::BitCast(di, words[v + kRadii]);
      }
      begin_next();
      NormalVec first[kPairs], second[kPairs];
      BoxMuller<kPairs, kReading>(d, radius, angle, first, second, encryption);
      HWY_UNROLL(8)
      for (std::size_t i = 0; i < kPairs; ++i) {
        const std::size_t v = unit + i / kRadii * 2 * kRadii + i % kRadii;
        z[v] = first[i];
        z[v + kRadii] = second[i];
      }
    }
    pass_on(row, z);
  }
  sodium_memzero(keys, sizeof keys);
}

#endif

// Computes normals 0, 1, ..., size - 1 in rows, starting at the block of `counter`. It calls sink(row, z) for
// each whole row; z[v] holds the row's normals from number v * kNormalLanes on. If an incomplete row is left,
// it calls sink.Rest(row, z, count); z then holds kNormalRow floats, of which only the first count <
// kNormalRow are wanted. The caller makes sure that the stream has that many normals.
template <Reading kReading = Reading::plain, class Sink>
HWY_INLINE void NormalRows(const std::uint8_t* HWY_RESTRICT key, Counter counter, std::size_t size,
                           Sink& sink) {
  EachRow<kReading>(key, counter, PassOn<Sink>{sink, size / kNormalRow, size % kNormalRow});
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// Runs BoxMuller over given words on the chosen vector target, for tests. This file is included once per
// vector target. The functions touch only their arguments, so any thread may call them.
#if defined(MUSTER_RANDOM_WORD_PAIRS_TEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MUSTER_RANDOM_WORD_PAIRS_TEST_INL_H_
#undef MUSTER_RANDOM_WORD_PAIRS_TEST_INL_H_
#else
#define MUSTER_RANDOM_WORD_PAIRS_TEST_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

// Computes the normals of `size` pairs of words, in order; `size` must be a multiple of 16.
template <Reading kReading>
void PairsOfWords(const std::int32_t* radius_words, const std::int32_t* angle_words, float* first,
                  float* second, std::size_t size) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  NoOtherWork none;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    hn::Vec<decltype(d)> a, b;
    const auto radius = hn::LoadU(di, radius_words + i), angle = hn::LoadU(di, angle_words + i);
    BoxMuller<1, kReading>(d, &radius, &angle, &a, &b, none);
    hn::StoreU(a, d, first + i);
    hn::StoreU(b, d, second + i);
  }
}

inline void PlainPairs(const std::int32_t* radius_words, const std::int32_t* angle_words, float* first,
                       float* second, std::size_t size) {
  PairsOfWords<Reading::plain>(radius_words, angle_words, first, second, size);
}

inline void CertifiedPairs(const std::int32_t* radius_words, const std::int32_t* angle_words, float* first,
                           float* second, std::size_t size) {
  PairsOfWords<Reading::certified>(radius_words, angle_words, first, second, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

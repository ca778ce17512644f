#include "muster/random/normals.h"

#include <algorithm>
#include <string>

#include "muster/core/error.h"
#include "muster/random/counter_blocks.h"
#include "muster/random/exact_normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as counter_blocks.cc
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/normals.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

struct StoreRows {
  float* HWY_RESTRICT out;

  HWY_INLINE void operator()(std::size_t row, const NormalVec* z) {
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < kRowVectors; ++v) {
      hn::StoreU(z[v], NormalTag(), out + row * kNormalRow + v * kNormalLanes);
    }
  }
  HWY_INLINE void Rest(std::size_t row, const float* z, std::size_t count) {
    std::copy_n(z, count, out + row * kNormalRow);
  }
};

void Fill(const std::uint8_t* key, Counter counter, float* out, std::size_t size) {
  StoreRows store{out};
  NormalRows(key, counter, size, store);
}

void FillCertified(const std::uint8_t* key, Counter counter, float* out, std::size_t size) {
  StoreRows store{out};
  NormalRows<Reading::certified>(key, counter, size, store);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(Fill);
HWY_EXPORT(FillCertified);

void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out) {
  fill_normals_from(key, address, 0, out);
}

void fill_normals_from(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                       std::span<float> out) {
  const Counter counter = counter_of_normal(address, first, out.size());
  HWY_DYNAMIC_DISPATCH(Fill)(key.schedule().data(), counter, out.data(), out.size());
}

void fill_certified_normals(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                            std::span<float> out) {
  const Counter counter = counter_of_normal(address, first, out.size());
  HWY_DYNAMIC_DISPATCH(FillCertified)(key.schedule().data(), counter, out.data(), out.size());
}

Counter counter_of_normal(const StreamAddress& address, std::uint64_t first, std::size_t count) {
  if (first % kNormalGroup != 0) {
    throw Error(ErrorCode::internal, "first", std::to_string(first), "a multiple of 32",
                "not the start of a group");
  }
  const std::uint64_t end = first + count;
  if (end < first || end > std::uint64_t{1} << 34) {
    throw Error(ErrorCode::internal, "index", "", "2^34 normals a stream", "the stream is exhausted");
  }
  return counter_of(address, static_cast<std::uint32_t>(first / 4));
}

}  // namespace muster::random
#endif  // HWY_ONCE

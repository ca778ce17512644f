#include "muster/random/normals.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "muster/core/error.h"
#include "muster/random/counter_blocks.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as counter_blocks.cc
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/normals.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/normals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

void FillRows(const std::uint8_t* key, Counter counter, float* out, std::size_t rows) {
  StoreRows store{out};
  NormalRows(key, counter, rows, store);
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(FillRows);

void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out) {
  fill_normals_from(key, address, 0, out);
}

void fill_normals_from(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                       std::span<float> out) {
  const Counter counter = counter_of_normal(address, first, out.size());
  constexpr std::size_t kRow = 64;
  const std::size_t rows = out.size() / kRow;
  HWY_DYNAMIC_DISPATCH(FillRows)(key.schedule().data(), counter, out.data(), rows);
  const std::span<float> rest = out.subspan(rows * kRow);
  if (rest.empty()) return;
  alignas(64) std::array<float, kRow> last;
  const Counter next{counter.low + rows * (kRow / 4), counter.high};
  HWY_DYNAMIC_DISPATCH(FillRows)(key.schedule().data(), next, last.data(), 1);
  std::copy_n(last.begin(), rest.size(), rest.begin());
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

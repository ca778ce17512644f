#include "muster/random/direction.h"

#include <cstddef>

#include "muster/core/error.h"
#include "muster/random/normals.h"

#define HWY_WANT_AVX3_DL 1  // the same targets as counter_blocks.cc
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "muster/random/direction.cc"
#include <hwy/foreach_target.h>
// These headers must follow foreach_target.h.
#include <hwy/highway.h>

#include "muster/random/direction-inl.h"

HWY_BEFORE_NAMESPACE();
namespace muster::random {
namespace HWY_NAMESPACE {

DirectionSums Direction(const std::uint8_t* key, Counter counter, const float* other, float* out,
                        std::size_t size) {
  return other == nullptr ? MakeDirection<false>(key, counter, other, out, size, NothingBeside())
                          : MakeDirection<true>(key, counter, other, out, size, NothingBeside());
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::random
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::random {

HWY_EXPORT(Direction);

DirectionSums fill_direction(const RunKey& key, const StreamAddress& address, std::span<const float> other,
                             std::span<float> out) {
  if (!other.empty() && other.size() != out.size()) {
    throw Error(ErrorCode::internal, "direction", "", "", "sizes differ");
  }
  return HWY_DYNAMIC_DISPATCH(Direction)(key.schedule().data(), counter_of_normal(address, 0, out.size()),
                                         other.empty() ? nullptr : other.data(), out.data(), out.size());
}

}  // namespace muster::random
#endif  // HWY_ONCE

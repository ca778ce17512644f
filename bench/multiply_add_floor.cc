#include "multiply_add_floor.h"

#include <algorithm>

#include "cpu_time.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multiply_add_floor.cc"
#include <hwy/foreach_target.h>
// This header must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace muster::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

float MultiplyAdds(std::size_t count) {
  const hn::CappedTag<float, 16> d;
  // Eight independent chains of multiply-adds keep two units with a latency of four cycles busy. Twelve leave
  // a margin and, with the factor and the term, still fit into 16 registers.
  constexpr std::size_t kChains = 12;
  hn::Vec<decltype(d)> sums[kChains];
  HWY_UNROLL(12)
  for (std::size_t i = 0; i < kChains; ++i) sums[i] = hn::Set(d, static_cast<float>(i));
  const auto factor = hn::Set(d, 0.9999F);
  const auto term = hn::Set(d, 1e-3F);
  const std::size_t step = kChains * hn::Lanes(d);
  for (std::size_t done = 0; done < count; done += step) {
    HWY_UNROLL(12)
    for (std::size_t i = 0; i < kChains; ++i) sums[i] = hn::MulAdd(sums[i], factor, term);
  }
  auto total = hn::Zero(d);
  HWY_UNROLL(12)
  for (std::size_t i = 0; i < kChains; ++i) total = hn::Add(total, sums[i]);
  return hn::GetLane(hn::SumOfLanes(d, total));
}

}  // namespace HWY_NAMESPACE
}  // namespace muster::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace muster::bench {

HWY_EXPORT(MultiplyAdds);

float multiply_adds(std::size_t count) { return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(count); }

double multiply_add_floor(std::size_t count) {
  constexpr int kBatch = 20;
  double best = 1e9;
  volatile float sink = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    const double begin = thread_cpu_seconds();
    for (int i = 0; i < kBatch; ++i) sink = multiply_adds(count);
    best = std::min(best, (thread_cpu_seconds() - begin) / kBatch);
  }
  (void)sink;
  return best;
}

}  // namespace muster::bench
#endif  // HWY_ONCE

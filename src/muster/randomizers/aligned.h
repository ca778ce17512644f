// A vector whose storage starts on a cache line, so that full-width loads and stores never straddle two
// lines. The allocator has no state, so any thread may use it. As with std::vector, several threads may read
// one vector at the same time, but only while none changes it.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace muster::randomizers {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace muster::randomizers

// Overwrites memory before it is freed, so that what it held is not left there: the keys of a round that is
// over, or its uploads in the order of arrival.
//
// Containers with this allocator also overwrite what they leave behind when they grow. It does not keep the
// memory from being swapped to the disk, which SecretBytes does for keys that live long. The functions may be
// called from any thread.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero is not of the C++ library

#include <cstddef>
#include <memory>

namespace muster::wire {

template <typename T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <typename Other>
  WipingAllocator(const WipingAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::explicit_bzero(memory, count * sizeof(T));
    std::allocator<T>{}.deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

}  // namespace muster::wire

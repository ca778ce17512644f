// Looks for bytes in the memory that a test frees, in the moment before it is given back. It replaces the
// global operators new and delete, so exactly one source of a program includes it. One thread at a time may
// have a FreedMemory; the operators may be called from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <span>
#include <string_view>

namespace muster::wire {

// While an object exists, counts the blocks of known size that are freed with `needle` in them.
class FreedMemory {
 public:
  explicit FreedMemory(std::span<const std::uint8_t> needle) {
    found_ = 0;
    needle_ = needle;
    watches_ = true;
  }
  ~FreedMemory() { watches_ = false; }
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;

  std::size_t found() const { return found_; }

  static void look(const void* memory, std::size_t size) {
    if (!watches_) return;
    const std::string_view block(static_cast<const char*>(memory), size);
    const std::string_view needle(reinterpret_cast<const char*>(needle_.data()), needle_.size());
    if (block.find(needle) != block.npos) ++found_;
  }

 private:
  inline static std::atomic<bool> watches_ = false;
  inline static std::atomic<std::size_t> found_ = 0;
  inline static std::span<const std::uint8_t> needle_;
};

}  // namespace muster::wire

// NOLINTBEGIN(misc-definitions-in-headers): one source of a program includes this
void* operator new(std::size_t size) {
  void* memory = std::malloc(std::max<std::size_t>(1, size));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t size) noexcept {
  if (memory != nullptr) muster::wire::FreedMemory::look(memory, size);
  std::free(memory);
}
// NOLINTEND(misc-definitions-in-headers)

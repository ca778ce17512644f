// A computation in a process of its own: it may crash, run out of memory or never end, and the process that
// owns coin, send time and upload goes on. Nobody can tell from outside, since the upload is then that of the
// zero vector.
//
// The child is a copy of this process, which therefore must not hold locks in other threads: it computes,
// leaves the vector in memory that both share, and ends. It is killed when its parent dies, and when the
// result is no longer wanted. An object belongs to one thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "muster/service/client/computation.h"

namespace muster::service {

class ForkedComputation final : public Computation {
 public:
  // The parameters are those of SynchronousComputation. `record` is called in the child.
  ForkedComputation(const TaskDocument& task, std::function<learning::Dataset()> record);
  ~ForkedComputation() override;
  ForkedComputation(const ForkedComputation&) = delete;
  ForkedComputation& operator=(const ForkedComputation&) = delete;

  void start(wire::Bytes model, wire::Bytes frozen) override;
  std::optional<std::vector<float>> result() override;
  void stop() noexcept override;

 private:
  struct Shared;  // the beginning of the memory that parent and child share; the vector follows

  // Runs in the child, and does not return.
  [[noreturn]] void compute(pid_t parent, wire::Bytes model, wire::Bytes frozen) noexcept;
  float* vector() const;

  const TaskDocument& task_;
  std::function<learning::Dataset()> record_;
  std::size_t dimension_;
  std::size_t length_;  // bytes of the shared memory
  Shared* shared_ = nullptr;
  pid_t child_ = -1;  // -1 if there is none
};

}  // namespace muster::service

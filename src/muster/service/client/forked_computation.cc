#include "muster/service/client/forked_computation.h"

#include <sodium.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <utility>

#include "muster/service/model/record_shape.h"

namespace muster::service {

struct ForkedComputation::Shared {
  std::atomic<bool> is_ready{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

ForkedComputation::ForkedComputation(const TaskDocument& task, std::function<learning::Dataset()> record)
    : task_(task),
      record_(std::move(record)),
      dimension_(dimension_of(task)),
      length_(sizeof(std::max_align_t) + dimension_ * sizeof(float)) {
  static_assert(sizeof(Shared) <= sizeof(std::max_align_t));
}

ForkedComputation::~ForkedComputation() { stop(); }

float* ForkedComputation::vector() const {
  return reinterpret_cast<float*>(reinterpret_cast<std::byte*>(shared_) + sizeof(std::max_align_t));
}

void ForkedComputation::start(wire::Bytes model, wire::Bytes frozen) {
  stop();
  void* memory = ::mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  shared_ = new (memory) Shared;
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) compute(parent, model, frozen);
}

void ForkedComputation::compute(pid_t parent, wire::Bytes model, wire::Bytes frozen) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // Otherwise the lock of the device's folder, and its connections, would outlast a parent that was killed,
  // until the child has ended as well.
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) std::signal(number, SIG_DFL);
  SynchronousComputation computation(task_, record_);
  computation.start(model, frozen);
  const auto computed = computation.result();
  if (!computed || computed->size() != dimension_) ::_exit(1);
  std::ranges::copy(*computed, vector());
  shared_->is_ready.store(true, std::memory_order_release);
  ::_exit(0);
}

std::optional<std::vector<float>> ForkedComputation::result() {
  if (shared_ == nullptr || !shared_->is_ready.load(std::memory_order_acquire)) return std::nullopt;
  return std::vector<float>(vector(), vector() + dimension_);
}

void ForkedComputation::stop() noexcept {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child_ = -1;
  if (shared_ == nullptr) return;
  sodium_memzero(vector(), dimension_ * sizeof(float));
  ::munmap(shared_, length_);
  shared_ = nullptr;
}

}  // namespace muster::service

#include "interruptible.h"

#include <mutex>
#include <vector>

namespace muster::python {
namespace {

namespace py = pybind11;

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};     // between two looks for signals
constexpr milliseconds kEnding{300};  // how long a computation that was told to stop is waited for

struct Stopped {
  std::mutex mutex;
  std::vector<std::thread> threads;
};

// The list is never destroyed, because to destroy a thread that was not joined would end the process.
Stopped*& stopped() {
  static Stopped* all = new Stopped;
  return all;
}

bool waited(const std::function<bool(milliseconds)>& wait, milliseconds most) {
  const py::gil_scoped_release others_run;
  return wait(most);
}

void join(std::thread& thread) {
  const py::gil_scoped_release others_run;
  thread.join();
}

void keep(std::thread thread) {
  const std::lock_guard lock(stopped()->mutex);
  stopped()->threads.push_back(std::move(thread));
}

}  // namespace

void await(const std::function<bool(milliseconds)>& wait, std::atomic<bool>& stop, std::thread thread) {
  while (!waited(wait, kLook)) {
    if (PyErr_CheckSignals() == 0) continue;
    py::error_already_set raised;
    stop = true;
    if (waited(wait, kEnding)) {
      join(thread);
    } else {
      keep(std::move(thread));
    }
    throw raised;
  }
  join(thread);
}

void join_stopped() {
  const py::gil_scoped_release others_run;
  const std::lock_guard lock(stopped()->mutex);
  for (std::thread& thread : stopped()->threads) thread.join();
  stopped()->threads.clear();
}

void forget_stopped() { stopped() = new Stopped; }

}  // namespace muster::python

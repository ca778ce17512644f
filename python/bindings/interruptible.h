// Runs a computation of the library without the GIL, so that Python goes on meanwhile and Ctrl-C ends it.
//
// The computation runs on a thread of its own, and the caller waits for it. The caller asks Python for
// signals every twentieth of a second. If their handler raises, as that of Ctrl-C does, the computation is
// told to stop (core/interrupt.h), and the exception is rethrown as soon as the computation has ended, but
// after half a second at the latest. A slower computation then ends by itself, and nobody gets its answer. A
// new thread for each call also works after a fork, which the threads of a pool would not survive.
//
// Example:
//     const Statement found = interruptibly([plan, question] { return statement_of(plan, question); });
//
// The work owns what it uses, because it may outlive the call, and it touches no object of Python. Callers
// hold the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>

#include "muster/core/interrupt.h"

namespace muster::python {

// Waits until `wait` says that the answer is there, or throws what a signal's handler raised, after `stop`
// was set. `thread` computes the answer; it is joined, or kept and joined when the interpreter ends.
void await(const std::function<bool(std::chrono::milliseconds)>& wait, std::atomic<bool>& stop,
           std::thread thread);

// join_stopped() waits for the threads that were told to stop and have not ended yet. forget_stopped() is for
// a child process, which has none of these threads.
void join_stopped();
void forget_stopped();

template <typename Work>
std::invoke_result_t<Work> interruptibly(Work work) {
  using Answer = std::invoke_result_t<Work>;
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  std::packaged_task<Answer()> task([stop, work = std::move(work)]() mutable {
    const InterruptScope scope{Interrupt(stop.get())};
    return work();
  });
  std::future<Answer> answer = task.get_future();
  await([&](std::chrono::milliseconds most) { return answer.wait_for(most) == std::future_status::ready; },
        *stop, std::thread(std::move(task)));
  return answer.get();
}

}  // namespace muster::python

// Lets a computation on another thread tell its caller in Python what happens: logged rounds and notes.
//
// conversing() is interruptibly() (interruptible.h) for work that reports events. They are handled on the
// calling thread, with the GIL, in their order; the work waits until a logged round has been handled. If the
// handler raises, the work is told to stop, and when it has ended, the exception is rethrown.
//
// Example:
//     conversing([plan](Relay& relay) { relay.logged("", measured); return 1; },
//                [&](const Event& event) { callback(event.line); });
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "interruptible.h"
#include "muster/core/interrupt.h"

namespace muster::python {

struct Event {
  bool is_note;  // whether `text` is a note for people; otherwise a line of metrics.jsonl
  std::string text;
  std::string run;  // for a line of one of several runs, the name of its folder
};

class Relay {
 public:
  // The work calls these two. note() returns at once, and logged() when the event was handled or the work is
  // to stop.
  void note(const std::string& text);
  void logged(const std::string& line, const std::string& run);
  // Returns the flag that is true once the work is to stop.
  std::atomic<bool>& stop() { return stop_; }

  // The caller calls these two. heard() waits for an event for the time `most` at most, and returns nothing
  // if none came or the work ended. handled() follows each event.
  std::optional<Event> heard(std::chrono::milliseconds most);
  void handled();
  // The work calls this when it ends, so that nobody waits for another event.
  void end();

 private:
  void tell(Event event, bool wait);

  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  std::uint64_t told_ = 0, handled_ = 0;
  bool ended_ = false;
};

using Handle = std::function<void(const Event&)>;

// Waits for an event for the time `most` at most, and handles it and those that are there by then. If
// `handle` throws, `raised` holds the exception, and no later event is handled. Callers do not hold the GIL.
void handle_events(Relay& relay, const Handle& handle, std::chrono::milliseconds most,
                   std::exception_ptr& raised);

template <typename Work>
std::invoke_result_t<Work, Relay&> conversing(Work work, const Handle& handle) {
  using Answer = std::invoke_result_t<Work, Relay&>;
  const auto relay = std::make_shared<Relay>();
  std::packaged_task<Answer()> task([relay, work = std::move(work)]() mutable {
    struct End {
      Relay& relay;
      ~End() { relay.end(); }
    } const end{*relay};
    const InterruptScope scope{Interrupt(&relay->stop())};
    return work(*relay);
  });
  std::future<Answer> answer = task.get_future();
  std::exception_ptr raised;
  await(
      [&](std::chrono::milliseconds most) {
        handle_events(*relay, handle, most, raised);
        return answer.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
      },
      relay->stop(), std::thread(std::move(task)));
  if (raised) std::rethrow_exception(raised);
  return answer.get();
}

}  // namespace muster::python

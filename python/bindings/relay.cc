#include "relay.h"

namespace muster::python {

namespace py = pybind11;

using std::chrono::milliseconds;

void Relay::note(const std::string& text) {
  if (!text.empty()) tell({true, text, ""}, false);
}

void Relay::logged(const std::string& line, const std::string& run) { tell({false, line, run}, true); }

void Relay::tell(Event event, bool wait) {
  constexpr milliseconds kLook{20};  // between two looks at stop_, of whose change nobody is notified
  std::unique_lock lock(mutex_);
  events_.push_back(std::move(event));
  const std::uint64_t own = ++told_;
  changed_.notify_all();
  while (wait && handled_ < own && !stop_) changed_.wait_for(lock, kLook);
}

std::optional<Event> Relay::heard(milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return !events_.empty() || ended_; });
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Relay::handled() {
  const std::lock_guard lock(mutex_);
  ++handled_;
  changed_.notify_all();
}

void Relay::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void handle_events(Relay& relay, const Handle& handle, milliseconds most, std::exception_ptr& raised) {
  while (const std::optional<Event> event = relay.heard(most)) {
    if (!relay.stop()) {
      const py::gil_scoped_acquire held;
      try {
        handle(*event);
      } catch (...) {
        raised = std::current_exception();
        relay.stop() = true;
      }
    }
    relay.handled();
    most = milliseconds(0);
  }
}

}  // namespace muster::python

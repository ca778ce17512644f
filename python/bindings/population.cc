// Binds runs whose clients' vectors come from Python.
//
// Rows are read where they lie. Messages are made without the GIL, a piece at a time, and Python is asked for
// signals in between, so that Ctrl-C abandons the round within a fraction of a second.
//
// Threads take turns, and a call is refused while another thread has its turn (Turn). Any thread may ask at
// any time for what never changes (plan, dimension, fidelity, secret, steps) and for steps_begun,
// rounds_charged and is_open, which are published when a turn ends; and any thread may abandon a round. Calls
// hold the GIL.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/core/error.h"
#include "muster/simulation/population_run.h"
#include "plan.h"
#include "values.h"
#include "watch.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using simulation::BadVector;
using simulation::PopulationOptions;
using simulation::PopulationRun;

constexpr std::uint64_t kMaxDimension = (std::uint64_t{1} << 31) - 1;
// The most numbers and the most messages that a thread makes between two looks for signals. They take about
// ten milliseconds, much longer than to wake the team of threads.
constexpr std::size_t kPieceNumbers = std::size_t{1} << 24, kPieceMessages = std::size_t{1} << 15;

Error misuse(const std::string& text) {
  return Error::in_words(ErrorCode::usage, Reason::contradiction, "population", "", "", text);
}

// A round is known by a number that its opener chooses, above 0 and never twice. So nobody abandons a round
// of somebody else, and a round that was abandoned is not taken for the one that is open now.
class Population {
 public:
  using Make = std::function<std::unique_ptr<PopulationRun>(const Interrupt&)>;

  explicit Population(const Make& make)
      : stop_(std::make_shared<std::atomic<bool>>(false)), run_(interruptibly([make, stop = stop_] {
          return std::shared_ptr<PopulationRun>(make(Interrupt(stop.get())));
        })) {
    publish();
  }

  // A child process lacks the threads of the run, for which the run's destructor would wait for ever. So it
  // does not free the run.
  ~Population() {
    if (::getpid() != process_) new std::shared_ptr<PopulationRun>(run_);
  }
  Population(const Population&) = delete;
  Population& operator=(const Population&) = delete;

  py::array_t<std::uint64_t> open(std::uint64_t number) {
    const Turn turn(*this);
    const std::uint64_t begun = run_->steps_begun();
    // Another thread calls the roll, because that may take long. When it is told to stop, it ends within a
    // moment, and this function waits for that, because the thread uses the run.
    std::packaged_task<std::span<const std::uint64_t>()> task([run = run_] { return run->open(); });
    std::future<std::span<const std::uint64_t>> clients = task.get_future();
    try {
      await(
          [&](std::chrono::milliseconds most) { return clients.wait_for(most) == std::future_status::ready; },
          *stop_, std::thread(std::move(task)));
    } catch (...) {
      {
        const py::gil_scoped_release others_run;
        clients.wait();
      }
      *stop_ = false;
      // If the round began after all, it is charged. Otherwise a round that is open is somebody else's.
      if (run_->steps_begun() > begun) run_->abandon();
      throw;
    }
    const std::span<const std::uint64_t> who = clients.get();
    open_ = number;
    return array_of(who.size(), who.data());
  }

  void send(const py::array_t<std::uint64_t, py::array::c_style>& clients, const py::array_t<float>& rows) {
    take_in(clients, rows,
            [this](std::span<const std::uint64_t> who, const float* first, std::size_t stride, std::size_t) {
              run_->send(who, first, stride);
            });
  }

  // Returns what each client's message decodes to by itself.
  py::array_t<float> send_decoded(const py::array_t<std::uint64_t, py::array::c_style>& clients,
                                  const py::array_t<float>& rows) {
    const std::size_t dimension = run_->options().dimension;
    py::array_t<float> decoded({clients.size(), static_cast<py::ssize_t>(dimension)});
    float* const into = decoded.mutable_data();
    take_in(clients, rows,
            [&](std::span<const std::uint64_t> who, const float* first, std::size_t stride, std::size_t at) {
              run_->send_decoded(who, first, stride, into + at * dimension);
            });
    return decoded;
  }

  py::tuple close() {
    const Turn turn(*this);
    py::array_t<float> mean = array_of<float>(run_->options().dimension);
    const std::span<float> estimate(mean.mutable_data(), run_->options().dimension);
    simulation::Step step{};
    {
      const py::gil_scoped_release others_run;
      step = run_->close(estimate);
    }
    return py::make_tuple(mean, step.messages, step.neutral, step.decoded);
  }

  // Abandons the round of this number if it is open. If another thread is sending, its call fails after the
  // piece that it is making, and this function waits for that.
  void abandon(std::uint64_t number) {
    if (open_ != number) return;
    expect_own_process();
    given_up_ = number;
    // A signal's handler interrupts a call of this thread, whose turn abandons the round when it ends.
    if (holder_ == std::this_thread::get_id()) return;
    std::unique_lock lock(mutex_, std::defer_lock);
    {
      const py::gil_scoped_release others_run;
      lock.lock();
    }
    const Turn turn(*this, std::move(lock));
  }

  void save(const std::string& path) {
    const Turn turn(*this);
    const py::gil_scoped_release others_run;
    run_->save(path);
  }

  py::dict watched() {
    const Turn turn(*this);
    return watched_by(run_->monitor());
  }

  std::vector<std::uint64_t> messages() {
    const Turn turn(*this);
    return run_->messages();
  }

  std::uint64_t steps_begun() const { return begun_; }
  std::uint64_t rounds_charged() const { return charged_; }
  bool is_open(std::uint64_t number) const { return open_ == number; }
  // Only for what never changes.
  const PopulationRun& run() const { return *run_; }

 private:
  // Locks the population for one call, and publishes what the call changed. Refuses a second thread, a
  // signal's handler that interrupts a call, and a child process, which lacks the threads of the team.
  class Turn {
   public:
    explicit Turn(Population& population) : Turn(population, population.try_lock()) {}
    Turn(Population& population, std::unique_lock<std::mutex> lock)
        : population_(population), lock_(std::move(lock)) {
      population_.holder_ = std::this_thread::get_id();
    }
    ~Turn() {
      population_.publish();
      population_.holder_ = std::thread::id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Population& population_;
    const std::unique_lock<std::mutex> lock_;
  };

  void expect_own_process() const {
    if (::getpid() != process_) throw misuse("a population belongs to the process that made it");
  }

  std::unique_lock<std::mutex> try_lock() {
    expect_own_process();
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (holder_ == std::this_thread::get_id() || !lock.try_lock()) {
      throw misuse("the population is in use by another thread");
    }
    return lock;
  }

  // Abandons the round if it was given up, and tells all threads what has changed.
  void publish() {
    if (open_ != 0 && given_up_ == open_) run_->abandon();
    if (!run_->is_open()) open_ = 0;
    begun_ = run_->steps_begun();
    charged_ = run_->rounds_charged();
  }

  // Hands rows to `send` in pieces, each with its clients, its first row, the stride, and its place in
  // `rows`.
  template <typename Send>
  void take_in(const py::array_t<std::uint64_t, py::array::c_style>& clients, const py::array_t<float>& rows,
               const Send& send) {
    const Turn turn(*this);
    const auto count = static_cast<std::size_t>(clients.size());
    if (rows.ndim() != 2 || rows.itemsize() != sizeof(float) ||
        static_cast<std::size_t>(rows.shape(0)) != count ||
        static_cast<std::size_t>(rows.shape(1)) != run_->options().dimension ||
        (count > 0 && rows.strides(1) != static_cast<py::ssize_t>(sizeof(float))) ||
        (count > 1 &&
         (rows.strides(0) < 0 || rows.strides(0) % static_cast<py::ssize_t>(sizeof(float)) != 0))) {
      throw Error(ErrorCode::internal, "rows", "", "", "were not brought into the form that is sent");
    }
    const std::size_t stride = count > 1 ? static_cast<std::size_t>(rows.strides(0)) / sizeof(float) : 0;
    const std::span<const std::uint64_t> who(clients.data(), count);
    const float* const first = rows.data();
    const std::size_t each =
        std::clamp<std::size_t>(kPieceNumbers / run_->options().dimension, 1, kPieceMessages);
    const std::size_t piece = each * run_->options().threads;
    run_->expect_next(who);  // before the first piece, so that a refused call has sent nothing
    for (std::size_t at = 0; at < count; at += piece) {
      {
        const py::gil_scoped_release others_run;
        send(who.subspan(at, std::min(piece, count - at)), first + at * stride, stride, at);
      }
      if (PyErr_CheckSignals() != 0) {
        run_->abandon();
        throw py::error_already_set();
      }
      if (given_up_ == open_) throw misuse("the round was abandoned while it was being sent to");
    }
  }

  const std::shared_ptr<std::atomic<bool>> stop_;  // the run stops when it is true
  const std::shared_ptr<PopulationRun> run_;
  const ::pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;  // the thread that has its turn
  // The number of the open round, or 0, and of the round that was given up last.
  std::atomic<std::uint64_t> open_{0}, given_up_{0};
  std::atomic<std::uint64_t> begun_{0}, charged_{0};  // the steps begun and the rounds charged
};

// Makes a population that goes on after rounds with these numbers of messages. `messages` is empty for a new
// population.
std::unique_ptr<Population> population_of(const PlanPointer& plan, const py::object& dimension,
                                          const py::object& threads, const std::string& fidelity,
                                          bool neutral, bool secret,
                                          const std::vector<std::uint64_t>& messages) {
  PopulationOptions options;
  options.dimension = static_cast<std::size_t>(count_of("dimension", dimension, 1, kMaxDimension));
  options.threads = threads_of(threads);
  options.fidelity = simulation::fidelity_named(fidelity);
  options.bad = neutral ? BadVector::answered_neutrally : BadVector::refused;
  options.secret = secret;
  return std::make_unique<Population>([whole = plan->whole(), options, messages](const Interrupt& interrupt) {
    return PopulationRun::continued(whole, options, messages, interrupt);
  });
}

std::unique_ptr<Population> population_resumed(const std::string& path, const py::object& threads,
                                               bool neutral) {
  PopulationOptions options;
  options.threads = threads_of(threads);
  options.bad = neutral ? BadVector::answered_neutrally : BadVector::refused;
  return std::make_unique<Population>([path, options](const Interrupt& interrupt) {
    return PopulationRun::resumed(path, options, interrupt);
  });
}

}  // namespace

void bind_population(py::module_& module) {
  py::class_<Population>(module, "Population")
      .def_static("made", &population_of, py::arg("plan"), py::arg("dimension"), py::arg("threads"),
                  py::arg("fidelity"), py::arg("neutral"), py::arg("secret"), py::arg("messages"))
      .def_static("resumed", &population_resumed, py::arg("path"), py::arg("threads"), py::arg("neutral"))
      .def("open", &Population::open, py::arg("number"))
      .def("send", &Population::send, py::arg("clients"), py::arg("rows").noconvert())
      .def("send_decoded", &Population::send_decoded, py::arg("clients"), py::arg("rows").noconvert())
      .def("close", &Population::close)
      .def("abandon", &Population::abandon, py::arg("number"))
      .def("save", &Population::save, py::arg("path"))
      .def("watched", &Population::watched)
      .def("plan",
           [](const Population& population) {
             protocols::PlanSource source = population.run().plan().source();
             source.name_arguments();
             return std::make_shared<protocols::OpenPlan>(std::move(source));
           })
      .def("dimension", [](const Population& population) { return population.run().options().dimension; })
      .def("fidelity",
           [](const Population& population) {
             return simulation::name_of(population.run().options().fidelity);
           })
      .def("secret", [](const Population& population) { return population.run().options().secret; })
      .def("messages", &Population::messages)
      .def("steps", [](const Population& population) { return population.run().steps(); })
      .def("steps_begun", &Population::steps_begun)
      .def("rounds_charged", &Population::rounds_charged)
      .def("is_open", &Population::is_open, py::arg("number"));
}

}  // namespace muster::python

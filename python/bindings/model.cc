// Binds what the clients of a plan with a built-in model compute.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/core/error.h"
#include "muster/simulation/plan_model.h"
#include "plan.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using simulation::PlanModel;

using Clock = std::chrono::steady_clock;

// The vectors are computed in pieces that take between these two times, and Python is asked for signals after
// each piece.
constexpr std::chrono::milliseconds kShort{20}, kLong{100};
constexpr std::size_t kFirstPiece = 8, kMostPiece = 1024;  // vectors for each thread

// A model that one thread at a time uses; others wait for it. Computations that outlive a call share it.
struct Shared {
  explicit Shared(const protocols::Plan& plan, unsigned threads) : model(plan, threads) {}
  PlanModel model;
  std::mutex mutex;
  const ::pid_t process = ::getpid();
};

class Model {
 public:
  Model(const PlanPointer& plan, const py::object& threads) {
    const protocols::Plan trained = protocols::Plan::validate(plan->source(), protocols::Command::train);
    const unsigned workers = threads_of(threads);
    shared_ = interruptibly([trained, workers] { return std::make_shared<Shared>(trained, workers); });
  }

  // A child process lacks the model's threads, for which the model's destructor would wait for ever. So it
  // does not free the model.
  ~Model() {
    if (shared_ != nullptr && ::getpid() != shared_->process) new std::shared_ptr<Shared>(std::move(shared_));
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const PlanModel& model() const { return shared_->model; }

  py::array_t<float> initial() const {
    const std::span<const float> initial = model().initial();
    return array_of(initial.size(), initial.data());
  }

  py::array_t<float> gradients(const py::array_t<float, py::array::c_style>& theta,
                               const py::array_t<std::uint64_t, py::array::c_style>& clients,
                               const py::object& step) {
    const std::span<const float> parameters = parameters_of(theta);
    const std::span<const std::uint64_t> who(clients.data(), static_cast<std::size_t>(clients.size()));
    const std::optional<std::uint64_t> at = step_of(step);
    const std::size_t dimension = model().dimension(), threads = model().threads();
    py::array_t<float> rows({static_cast<py::ssize_t>(who.size()), static_cast<py::ssize_t>(dimension)});
    const std::span<float> all(rows.mutable_data(), who.size() * dimension);
    std::size_t piece = kFirstPiece * threads, first = 0;
    do {  // once for no client, so that such a call is checked, too
      const std::size_t count = std::min(piece, who.size() - first);
      const Clock::time_point began = Clock::now();
      {
        const py::gil_scoped_release others_run;
        const std::lock_guard turn(shared_->mutex);
        shared_->model.vectors(parameters, who.subspan(first, count), at,
                               all.subspan(first * dimension, count * dimension));
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const Clock::duration took = Clock::now() - began;
      if (took < kShort) piece = std::min(2 * piece, kMostPiece * threads);
      if (took > kLong) piece = std::max<std::size_t>(piece / 2, 1);
      first += count;
    } while (first < who.size());
    return rows;
  }

  py::tuple score(const py::array_t<float, py::array::c_style>& theta) {
    const std::span<const float> parameters = parameters_of(theta);
    const auto scored =
        interruptibly([shared = shared_, copy = std::vector<float>(parameters.begin(), parameters.end())] {
          const std::lock_guard turn(shared->mutex);
          return shared->model.score(copy);
        });
    return py::make_tuple(scored.accuracy, scored.loss);
  }

  double learning_rate(const py::object& step) const {
    return model().learning_rate(count_of("step", step, 0, model().steps() - 1));
  }

 private:
  // Returns the parameters in an array. Refuses a child process, which lacks the threads of the model, and an
  // array that the package did not bring into its form.
  std::span<const float> parameters_of(const py::array_t<float, py::array::c_style>& theta) const {
    if (::getpid() != shared_->process) {
      throw Error::in_words(ErrorCode::usage, Reason::contradiction, "model", "", "",
                            "a model belongs to the process that made it");
    }
    if (theta.ndim() != 1 || static_cast<std::size_t>(theta.size()) != model().dimension()) {
      throw Error(ErrorCode::internal, "theta", "", "", "was not brought into the form that is read");
    }
    return {theta.data(), model().dimension()};
  }

  std::optional<std::uint64_t> step_of(const py::object& step) const {
    if (step.is_none()) return std::nullopt;
    return count_of("step", step, 0, model().steps() - 1);
  }

  std::shared_ptr<Shared> shared_;
};

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def(py::init<const PlanPointer&, const py::object&>(), py::arg("plan"), py::arg("threads"))
      .def("dimension", [](const Model& model) { return model.model().dimension(); })
      .def("steps", [](const Model& model) { return model.model().steps(); })
      .def("initial", &Model::initial)
      .def("learning_rate", &Model::learning_rate, py::arg("step"))
      .def("gradients", &Model::gradients, py::arg("theta").noconvert(), py::arg("clients").noconvert(),
           py::arg("step"))
      .def("score", &Model::score, py::arg("theta").noconvert());
}

}  // namespace muster::python

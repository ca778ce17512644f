// Binds the account of rounds that are charged one after another.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>

#include "answers.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/accounting/open_account.h"
#include "muster/core/error.h"
#include "muster/describe/stage.h"
#include "muster/reporting/plan_answers.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using accounting::OpenAccount;
using accounting::Statement;
using protocols::Plan;

// Returns a copy of the account to which the rounds are charged, so that an interrupted charge leaves the
// account as it was. The first charge of a kind of round builds its descriptions, which may take a moment.
OpenAccount charged(const OpenAccount& account, const PlanPointer& plan, const py::object& rounds) {
  const Plan& whole = plan->whole();
  reporting::require_one_stage(whole, "charge");
  const std::uint64_t count = count_of("rounds", rounds, 0, accounting::kMaxRounds);
  return interruptibly([copy = account, whole, count]() mutable {
    copy.charge(whole.mechanism(), whole.participation(), count);
    return std::move(copy);
  });
}

StatementPointer statement(const OpenAccount& account, const py::object& delta, const py::object& epsilon) {
  const accounting::Question question = question_of(delta, epsilon);
  return std::make_shared<Statement>(
      interruptibly([copy = account, question] { return copy.statement(question); }));
}

}  // namespace

void bind_account(py::module_& module) {
  py::class_<OpenAccount>(module, "OpenAccount")
      .def(py::init<>())
      .def("charged", &charged, py::arg("plan"), py::arg("rounds"))
      .def("rounds", &OpenAccount::rounds)
      .def("statement", &statement, py::arg("delta"), py::arg("epsilon"));
}

}  // namespace muster::python

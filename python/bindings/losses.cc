// Binds the dominating pair of what was charged, so that packages that compose privacy losses can take it in.
#include <pybind11/numpy.h>

#include <cstdint>

#include "arrays.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/accounting/open_account.h"
#include "muster/composition/loss_table.h"
#include "muster/core/types.h"
#include "muster/describe/stage.h"
#include "plan.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using accounting::LossTable;
using accounting::OpenAccount;
using protocols::Plan;

// Returns an account of all rounds of a plan, whose dropout may change from stage to stage.
OpenAccount of_plan(const PlanPointer& plan) {
  return interruptibly([whole = plan->whole()] {
    OpenAccount account;
    for (const accounting::Stage& stage : whole.stages()) {
      account.charge(whole.mechanism(), stage.participation, stage.rounds);
    }
    return account;
  });
}

// Returns the spacing, the losses in units of it, their masses, and the mass at infinite loss.
py::tuple losses(const OpenAccount& account, const py::object& delta, const py::object& spacing) {
  const Delta least = Delta::of(number_of("delta", delta, {.low = 0, .high = 1}));
  const double lattice =
      spacing.is_none() ? 0
                        : number_of("value_discretization_interval", spacing, {.low = 1e-300, .high = 1000});
  const LossTable table =
      interruptibly([copy = account, least, lattice] { return copy.losses(least, lattice); });
  return py::make_tuple(table.spacing, array_of(table.losses.size(), table.losses.data()),
                        array_of(table.masses.size(), table.masses.data()), table.infinity);
}

}  // namespace

void bind_losses(py::module_& module) {
  module.def("account_of_plan", &of_plan, py::arg("plan"));
  module.def("losses", &losses, py::arg("account"), py::arg("delta"), py::arg("spacing"));
}

}  // namespace muster::python

// The statement as Python holds it, and the question that a call asks. Callers hold the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>

#include "muster/accounting/statement.h"
#include "muster/describe/question.h"
#include "plan.h"

namespace muster::python {

using StatementPointer = std::shared_ptr<accounting::Statement>;

// Returns the view of this name, or nothing for None, which means the protocol's own.
std::optional<accounting::View> view_of(pybind11::handle name);

// Returns the question for delta at an epsilon, or for epsilon at a delta. Throws Error unless one of the two
// arguments is None and the other is in its range.
accounting::Question question_of(pybind11::handle delta, pybind11::handle epsilon);

// Returns the question about a plan: for delta at `epsilon` if that is given, otherwise for epsilon at the
// plan's delta, which `delta` has overridden. Errors name `caller`, the function that needs the delta.
accounting::Question question_about(const protocols::OpenPlan& plan, pybind11::handle delta,
                                    pybind11::handle epsilon, const char* caller);

}  // namespace muster::python

#include "answers.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/accounting/accountant.h"
#include "muster/accounting/privacy_curve.h"
#include "muster/core/error.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/plan/keys.h"
#include "muster/reporting/curve_text.h"
#include "muster/reporting/notebook_html.h"
#include "muster/reporting/plan_answers.h"
#include "muster/reporting/statement_text.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using accounting::CurvePoint;
using accounting::PrivacyCurves;
using accounting::Question;
using accounting::Statement;
using protocols::OpenPlan;
using protocols::Plan;
using reporting::Papers;

Papers papers_if(bool all) { return all ? Papers::added : Papers::left_out; }

// An answer to calibrate. Its JSON and its sentence are made when they are asked for.
struct Calibrated {
  protocols::Calibration found;
  protocols::Knob knob;
  protocols::Target target;
};

struct Curve {
  PrivacyCurves curves;
  std::string heading;
};

StatementPointer account(const PlanPointer& plan, const py::object& delta, const py::object& epsilon,
                         const py::object& view, bool all) {
  const PlanPointer asked = with_delta(plan, delta);
  const auto seen = view_of(view);
  const Question question = question_about(*asked, delta, epsilon, "account");
  return std::make_shared<Statement>(interruptibly([whole = asked->whole(), question, seen, all] {
    return reporting::statement_of(whole, question, seen, papers_if(all));
  }));
}

std::vector<StatementPointer> account_many(const std::vector<PlanPointer>& plans, const py::object& delta,
                                           const py::object& epsilon, const py::object& view, bool all,
                                           const py::object& threads) {
  const unsigned workers = threads_of(threads);
  const auto seen = view_of(view);
  std::vector<Plan> whole;
  std::vector<Question> questions;
  for (const PlanPointer& plan : plans) {
    const PlanPointer asked = with_delta(plan, delta);
    questions.push_back(question_about(*asked, delta, epsilon, "account_many"));
    whole.push_back(asked->whole());
  }
  std::vector<Statement> statements = interruptibly([=, whole = std::move(whole)] {
    return reporting::statements_of(whole, questions, seen, papers_if(all), workers);
  });
  std::vector<StatementPointer> pointers;
  for (Statement& each : statements) pointers.push_back(std::make_shared<Statement>(std::move(each)));
  return pointers;
}

Calibrated calibrate(const PlanPointer& plan, const py::object& knob, const py::object& epsilon,
                     const py::object& delta, const py::object& view) {
  const protocols::Knob solved = protocols::knob_named(text_of("knob", knob, protocols::knob_names()));
  protocols::Target target{};
  target.epsilon = number_of("epsilon", epsilon, protocols::kPositive);
  target.view = view_of(view);
  const PlanPointer asked = with_delta(plan, delta);
  Plan open = asked->solving_for(solved);
  target.delta = reporting::delta_of(open, asked->source().where(), "delta=", "calibrate needs it");
  return interruptibly([open = std::move(open), solved, target] {
    return Calibrated{protocols::calibrate(open, solved, target), solved, target};
  });
}

// Returns the plan that calibration found. Its source states the answer like every other key.
PlanPointer plan_found(const Calibrated& answer) {
  protocols::PlanSource source = answer.found.plan.source();
  source.settle();
  return std::make_shared<OpenPlan>(std::move(source));
}

// Throws Error(plan) unless there is a point and every point lies above the one before.
template <typename Number>
const std::vector<Number>& rising(const std::vector<Number>& at) {
  const auto falls = std::ranges::adjacent_find(at, std::greater_equal<>());
  if (!at.empty() && falls == at.end()) return at;
  throw Error(ErrorCode::plan, Reason::malformed, "at", at.empty() ? "[]" : fmt::format("{}", *falls),
              "one number or more, each larger than the one before",
              at.empty() ? "has no point" : "is followed by a number that is not larger");
}

std::vector<std::uint64_t> counts_of(const py::list& at) {
  std::vector<std::uint64_t> counts;
  for (const py::handle each : at) counts.push_back(count_of("at", each, 1, accounting::kMaxRounds));
  return rising(counts);
}

std::vector<double> numbers_of(const py::list& at, const protocols::Interval& range) {
  std::vector<double> numbers;
  for (const py::handle each : at) numbers.push_back(number_of("at", each, range));
  return rising(numbers);
}

Curve curve_over_rounds(const PlanPointer& plan, const py::object& at, const py::object& delta,
                        const py::object& epsilon, const py::object& view) {
  const PlanPointer asked = with_delta(plan, delta);
  const auto seen = view_of(view);
  const Question question = question_about(*asked, delta, epsilon, "curve");
  const Plan& whole = asked->whole();
  reporting::require_one_stage(whole, "curve");
  const std::vector<std::uint64_t> counts = protocols::naming_places(
      whole.source(), [&] { return at.is_none() ? accounting::grid_up_to(whole.rounds()) : counts_of(at); });
  return {interruptibly([whole, counts, question, seen] {
            const accounting::Accountant accountant(whole.mechanism(), whole.stages());
            return accounting::curve_over_rounds(accountant, counts, question, seen);
          }),
          reporting::heading(whole, question)};
}

// A curve over deltas asks for epsilon, and one over epsilons for delta.
Curve curve_over_fixed(const PlanPointer& plan, bool over_delta, const py::object& at,
                       const py::object& delta, const py::object& epsilon, const py::object& view) {
  const PlanPointer asked = with_delta(plan, delta);
  const auto seen = view_of(view);
  const Plan& whole = asked->whole();
  const auto kind = over_delta ? Question::Kind::epsilon_at_delta : Question::Kind::delta_at_epsilon;
  const std::vector<double> fixed =
      at.is_none() ? accounting::grid_around(question_about(*asked, delta, epsilon, "curve"))
                   : numbers_of(at, over_delta ? protocols::kProbability : protocols::kNotNegative);
  return {interruptibly([whole, kind, fixed, seen] {
            const accounting::Accountant accountant(whole.mechanism(), whole.stages());
            return accounting::curve_over_fixed(accountant, whole.rounds(), kind, fixed, seen);
          }),
          reporting::plan_sentence(whole)};
}

Curve curve(const PlanPointer& plan, const std::string& over, const py::object& at, const py::object& delta,
            const py::object& epsilon, const py::object& view) {
  if (over == "rounds") return curve_over_rounds(plan, at, delta, epsilon, view);
  if (over == "delta" || over == "epsilon") {
    const bool over_delta = over == "delta";
    const py::object& other = over_delta ? epsilon : delta;
    if (!other.is_none()) {
      throw Error(ErrorCode::usage, Reason::contradiction, over_delta ? "epsilon" : "delta", "", "",
                  fmt::format("does not go with a curve over {}", over));
    }
    if (!over_delta && at.is_none() && epsilon.is_none()) {
      throw Error(ErrorCode::usage, Reason::missing, "at", "",
                  "numbers >= 0, or an epsilon around which to look",
                  "is missing: a curve over epsilon needs it or epsilon=");
    }
    return curve_over_fixed(plan, over_delta, at, delta, epsilon, view);
  }
  throw Error(ErrorCode::usage, Reason::unknown, "over", over, "rounds | delta | epsilon",
              "is nothing that a curve goes over");
}

const std::vector<CurvePoint>& points_of(const Curve& curve) {
  return curve.curves.by_rounds.empty() ? curve.curves.by_fixed : curve.curves.by_rounds;
}

// Returns one side of a curve, with the value `without` at points that have no finite bound.
py::array_t<double> side_of(const Curve& curve, std::optional<double> CurvePoint::*side, double without) {
  const std::vector<CurvePoint>& points = points_of(curve);
  py::array_t<double> values = array_of<double>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    values.mutable_at(static_cast<py::ssize_t>(i)) = (points[i].*side).value_or(without);
  }
  return values;
}

py::array_t<double> at_of(const Curve& curve) {
  const std::vector<CurvePoint>& points = points_of(curve);
  py::array_t<double> values = array_of<double>(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    values.mutable_at(static_cast<py::ssize_t>(i)) =
        curve.curves.by_rounds.empty() ? points[i].fixed : static_cast<double>(points[i].rounds);
  }
  return values;
}

void bind_statement(py::module_& module) {
  py::class_<Statement, std::shared_ptr<Statement>>(module, "Statement")
      .def("json",
           [](const Statement& statement) { return str_of(reporting::statement_json(statement).str()); })
      .def("table", [](const Statement& statement) { return str_of(reporting::statement_table(statement)); })
      .def("html", [](const Statement& statement) { return str_of(reporting::notebook_html(statement)); });
}

void bind_calibration(py::module_& module) {
  py::class_<Calibrated>(module, "Calibration")
      .def("json",
           [](const Calibrated& answer) {
             return str_of(reporting::calibration_json(answer.found, answer.knob).str());
           })
      .def("sentence",
           [](const Calibrated& answer) {
             return str_of(reporting::calibration_sentence(answer.found, answer.knob, answer.target));
           })
      .def("at_end", [](const Calibrated& answer) { return answer.found.at_end; })
      .def("plan", &plan_found)
      .def("statement",
           [](const Calibrated& answer) { return std::make_shared<Statement>(answer.found.statement); });
}

void bind_curve(py::module_& module) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  py::class_<Curve>(module, "Curve")
      .def("at", &at_of)
      .def("upper", [](const Curve& curve) { return side_of(curve, &CurvePoint::upper, kInfinity); })
      .def("lower", [](const Curve& curve) { return side_of(curve, &CurvePoint::lower, 0); })
      .def("local", [](const Curve& curve) { return side_of(curve, &CurvePoint::local_upper, kInfinity); })
      .def("view", [](const Curve& curve) { return name_of(curve.curves.view); })
      .def("neighbouring", [](const Curve& curve) { return name_of(curve.curves.neighbouring); })
      .def("asks_epsilon", [](const Curve& curve) { return curve.curves.question.asks_epsilon(); })
      .def("heading", [](const Curve& curve) { return str_of(curve.heading); })
      .def("svg",
           [](const Curve& curve) { return str_of(reporting::curve_svg(curve.curves, curve.heading)); })
      .def("html",
           [](const Curve& curve) { return str_of(reporting::notebook_html(curve.curves, curve.heading)); });
}

}  // namespace

std::optional<accounting::View> view_of(py::handle name) {
  if (name.is_none()) return std::nullopt;
  return accounting::view_named(
      text_of("view", name, "shuffler-honest | shuffler-colludes | sum-only | server-trusted"), "view");
}

Question question_of(py::handle delta, py::handle epsilon) {
  if (delta.is_none() == epsilon.is_none()) {
    const bool neither = delta.is_none();
    throw Error(ErrorCode::usage, neither ? Reason::missing : Reason::contradiction, "delta", "",
                "delta or epsilon",
                neither ? "is missing, and so is epsilon: one of them asks for the other"
                        : "does not go with epsilon, which asks for delta: leave one of them out");
  }
  if (!epsilon.is_none()) {
    return {Question::Kind::delta_at_epsilon, number_of("epsilon", epsilon, protocols::kNotNegative)};
  }
  return {Question::Kind::epsilon_at_delta, number_of("delta", delta, protocols::kProbability)};
}

Question question_about(const OpenPlan& plan, py::handle delta, py::handle epsilon, const char* caller) {
  if (!epsilon.is_none()) return question_of(delta, epsilon);
  return {Question::Kind::epsilon_at_delta,
          reporting::delta_of(plan.whole(), plan.source().where(),
                              "delta=", fmt::format("{} needs it unless epsilon= asks for it", caller))};
}

void bind_answers(py::module_& module) {
  bind_statement(module);
  bind_calibration(module);
  bind_curve(module);
  module.def("account", &account, py::arg("plan"), py::arg("delta"), py::arg("epsilon"), py::arg("view"),
             py::arg("all"));
  module.def("account_many", &account_many, py::arg("plans"), py::arg("delta"), py::arg("epsilon"),
             py::arg("view"), py::arg("all"), py::arg("threads"));
  module.def("calibrate", &calibrate, py::arg("plan"), py::arg("knob"), py::arg("epsilon"), py::arg("delta"),
             py::arg("view"));
  module.def("curve", &curve, py::arg("plan"), py::arg("over"), py::arg("at"), py::arg("delta"),
             py::arg("epsilon"), py::arg("view"));
}

}  // namespace muster::python

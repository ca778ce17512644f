#include "plan.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind.h"
#include "interruptible.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/profile_file.h"
#include "muster/reporting/notebook_html.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/plan_answers.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using protocols::KeySpec;
using protocols::OpenPlan;
using protocols::PlanSource;
using protocols::RawValue;

constexpr std::string_view kProfile = "randomizer.profile";

PlanPointer plan_from(PlanSource source) {
  source.name_arguments();
  const RawValue* profile = source.find(kProfile);
  if (profile == nullptr || profile->profile != nullptr) return std::make_shared<OpenPlan>(std::move(source));
  // The profile of a large channel takes seconds.
  return interruptibly([source = std::move(source)] { return std::make_shared<OpenPlan>(source); });
}

PlanSource source_of(const py::dict& stated) {
  PlanSource source;
  for (const auto& [key, value] : stated) source.state(std::string(py::str(key)), raw_of(value), false);
  return source;
}

// `stated` maps keys of a plan to their values.
PlanPointer plan_of(const py::dict& stated) { return plan_from(source_of(stated)); }

// Keeps the contents of a profile's file in the source, so that no file is read.
void keep_profile(PlanSource& source, const std::string& path, const std::string& text) {
  const auto read = [path, text] {
    return std::make_shared<const protocols::ProfileFile>(protocols::profile_file_of(path, text));
  };
  source.keep_file(kProfile, interruptibly(read));
}

// Returns plan_of() for the values() of a plan with a profile, of which they have the hash alone, and the
// contents of its file.
PlanPointer plan_with_profile(const py::dict& stated, const std::string& text) {
  PlanSource source = source_of(stated);
  const RawValue* named = source.find(kProfile);
  const std::string expected = "blake2b-256:" + protocols::hash_of(text);
  if (named == nullptr || named->text != expected) {
    throw Error(ErrorCode::plan, Reason::contradiction, std::string(kProfile), named ? named->text : "",
                expected, "is not the hash of the profile's contents");
  }
  keep_profile(source, named->text, text);
  return plan_from(std::move(source));
}

PlanPointer replaced(const OpenPlan& plan, const py::dict& changes) {
  PlanSource source = plan.source();
  source.settle();
  for (const auto& [key, value] : changes) source.state(std::string(py::str(key)), raw_of(value), true);
  return plan_from(std::move(source));
}

// Returns the contents of the file that `raw` names, or None.
py::object contents_of(const RawValue& raw) {
  return raw.profile == nullptr ? py::object(py::none()) : py::object(py::bytes(raw.profile->text));
}

// Returns the file's name and, for every key, what the source holds of it, in types that Python can pickle.
py::tuple state_of(const OpenPlan& plan) {
  py::list entries;
  for (const auto& [key, raw] : plan.source().entries()) {
    const protocols::Origin& from = raw.origin;
    entries.append(py::make_tuple(key, object_of(raw), raw.text, from.flag, from.file, from.line, from.column,
                                  from.in_code, contents_of(raw)));
  }
  return py::make_tuple(plan.source().file(), entries);
}

PlanPointer of_state(const py::tuple& state) {
  std::vector<std::pair<std::string, RawValue>> entries;
  for (const py::handle each : state[1]) {
    const auto entry = py::cast<py::tuple>(each);
    RawValue raw = typed_raw_of(entry[1]);
    raw.text = entry[2].cast<std::string>();
    raw.origin = {.flag = entry[3].cast<std::string>(),
                  .file = entry[4].cast<std::string>(),
                  .line = entry[5].cast<std::uint32_t>(),
                  .column = entry[6].cast<std::uint32_t>(),
                  .in_code = entry[7].cast<bool>()};
    entries.emplace_back(entry[0].cast<std::string>(), std::move(raw));
  }
  PlanSource source = PlanSource::of_entries(state[0].cast<std::string>(), std::move(entries));
  for (const py::handle each : state[1]) {
    const auto entry = py::cast<py::tuple>(each);
    const py::object contents = entry[8];
    if (!contents.is_none()) keep_profile(source, entry[1].cast<std::string>(), contents.cast<std::string>());
  }
  return plan_from(std::move(source));
}

// Returns the contents of the profile's file, or None if the plan has no profile.
py::object profile_text(const OpenPlan& plan) {
  const RawValue* raw = plan.source().find(kProfile);
  return plan.partial().profile() == nullptr || raw == nullptr ? py::object(py::none()) : contents_of(*raw);
}

py::list left_out(const OpenPlan& plan) {
  py::list sentences;
  for (const std::string& sentence : plan.partial().left_out()) sentences.append(str_of(sentence));
  return sentences;
}

py::dict values_of(const OpenPlan& plan) {
  py::dict values;
  for (const auto& [key, value] : reporting::page::keys_of(plan.partial()))
    values[str_of(key)] = str_of(value);
  return values;
}

std::string sentence(const OpenPlan& plan) {
  return plan.complete() ? reporting::plan_sentence(plan.whole())
                         : "a plan that lacks what calibration can find";
}

py::list key_table() {
  py::list rows;
  for (const KeySpec& spec : protocols::plan_keys()) {
    py::dict row;
    row["key"] = spec.key;
    row["keyword"] = protocols::keyword_of(spec);
    row["flag"] = spec.flag;
    row["meaning"] = spec.meaning;
    row["allowed"] = spec.allowed();
    row["default"] = spec.shown_default();
    row["only_with"] = spec.only_with();
    row["commands"] = spec.commands;
    rows.append(row);
  }
  return rows;
}

}  // namespace

PlanPointer with_delta(const PlanPointer& plan, py::handle delta) {
  if (delta.is_none()) return plan;
  py::dict changes;
  changes["privacy.delta"] = delta;
  return replaced(*plan, changes);
}

void bind_plan(py::module_& module) {
  py::class_<OpenPlan, std::shared_ptr<OpenPlan>>(module, "Plan")
      .def_static(
          "read", [](const std::string& path) { return plan_from(PlanSource::from_file(path)); },
          py::arg("path"))
      .def_static("of", &plan_of, py::arg("stated"))
      .def_static("with_profile", &plan_with_profile, py::arg("stated"), py::arg("text"))
      .def("profile", &profile_text)
      .def("replaced", &replaced, py::arg("changes"))
      .def("values", &values_of)
      .def("left_out", &left_out)
      .def("canonical", [](const OpenPlan& plan) { return str_of(plan.partial().canonical()); })
      .def("hash", [](const OpenPlan& plan) { return plan.partial().hash(); })
      .def("complete", &OpenPlan::complete)
      .def("sentence", &sentence)
      .def("html",
           [](const OpenPlan& plan) {
             return str_of(reporting::notebook_html(plan.partial(), sentence(plan)));
           })
      .def("state", &state_of)
      .def_static("of_state", &of_state, py::arg("state"));
  module.def("key_table", &key_table);
  module.def(
      "limit",
      [](const std::string& argument, const py::object& number) {
        return number_of(argument.c_str(), number, protocols::kNotNegative);
      },
      py::arg("argument"), py::arg("number"));
  module.def("nearest_keyword", &protocols::nearest_keyword, py::arg("word"));
}

}  // namespace muster::python

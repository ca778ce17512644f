// Binds the folder of a training run, as it is read: its plan, its logged rounds, its result and its page.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "interruptible.h"
#include "muster/core/atomic_file.h"
#include "muster/experiments/shown_runs.h"
#include "muster/reporting/notebook_html.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/run_figures.h"
#include "muster/reporting/runs_charts.h"
#include "muster/simulation/server_update.h"
#include "plan.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;
namespace fs = std::filesystem;

using experiments::ShownRun;

// The folder of a run as it was read. Its members are shared, because making a page may outlive its call.
class Run {
 public:
  // Reads the folder, and computes every epsilon anew.
  static Run read(const std::string& path, const py::object& noted) {
    std::vector<std::string> notes;
    auto answer = interruptibly([path] {
      std::vector<std::string> said;
      std::vector<ShownRun> shown = experiments::shown_runs(
          {simulation::read_run(path)}, [&said](const std::string& note) { said.push_back(note); });
      const fs::path file = fs::path(path) / simulation::kCheckpointFile;
      const simulation::Checkpoint last = simulation::decode(read_file(file), file);
      const auto& model = reported_model(simulation::update_rule_of(shown.front().record.plan), last.model);
      return std::make_pair(Run(std::move(shown.front()), model), said);
    });
    for (const std::string& note : answer.second) noted(str_of(note));
    return answer.first;
  }

  PlanPointer plan() const {
    protocols::PlanSource source = shown_->record.plan.source();
    source.name_arguments();
    return std::make_shared<protocols::OpenPlan>(std::move(source));
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const simulation::Measurement& each : shown_->record.logged) lines.push_back(metrics_line(each));
    return lines;
  }

  py::object result() const {
    const auto& result = shown_->record.result;
    return result ? py::object(str_of(simulation::result_line(*result))) : py::none();
  }

  py::array_t<float> parameters() const { return array_of(parameters_->size(), parameters_->data()); }

  // Writes the page to `page` and the main picture to `picture`. What has an empty path is not written.
  void report(const std::string& page, const std::string& picture) const {
    if (!page.empty()) experiments::refuse_what_is_not_ours(page, "page", reporting::page::is_report);
    if (!picture.empty()) {
      experiments::refuse_what_is_not_ours(picture, "picture", reporting::is_main_picture);
    }
    interruptibly([shown = shown_, page, picture] {
      if (!page.empty()) replace_file(page, experiments::page_of(*shown));
      if (!picture.empty()) replace_file(picture, picture_of(*shown));
      return true;
    });
  }

  std::string state() const { return reporting::state_of(shown_->record); }
  std::string html() const { return reporting::notebook_html(shown_->record); }
  std::string picture() const { return picture_of(*shown_); }

 private:
  Run(ShownRun shown, std::vector<float> parameters)
      : shown_(std::make_shared<const ShownRun>(std::move(shown))),
        parameters_(std::make_shared<const std::vector<float>>(std::move(parameters))) {}

  static std::string picture_of(const ShownRun& shown) {
    const std::string label = reporting::run_labels({shown.record.folder}).front();
    return reporting::main_picture({{label, shown.record, shown.watched, shown.larger}});
  }

  std::shared_ptr<const ShownRun> shown_;
  std::shared_ptr<const std::vector<float>> parameters_;
};

}  // namespace

void bind_run(py::module_& module) {
  py::class_<Run>(module, "Run")
      .def_static("read", &Run::read, py::arg("path"), py::arg("noted"))
      .def("plan", &Run::plan)
      .def("lines", &Run::lines)
      .def("result", &Run::result)
      .def("parameters", &Run::parameters)
      .def("state", &Run::state)
      .def("report", &Run::report, py::arg("page"), py::arg("picture"))
      .def("html", [](const Run& run) { return str_of(run.html()); })
      .def("picture", [](const Run& run) { return str_of(run.picture()); });
}

}  // namespace muster::python

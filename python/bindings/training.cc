// Binds training runs, and sweeps of them.
#include "muster/simulation/training.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "muster/core/error.h"
#include "muster/experiments/experiment_folder.h"
#include "muster/experiments/many_runs.h"
#include "muster/experiments/single_run.h"
#include "muster/experiments/sweep_runs.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/sweep_summary.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/workload.h"
#include "plan.h"
#include "relay.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using protocols::Plan;
using simulation::RunFolder;
using simulation::RunResult;

// Reports each logged round to the relay, as the line of metrics.jsonl that states it.
class Told final : public simulation::TrainingObserver {
 public:
  Told(Relay& relay, std::string run) : relay_(relay), run_(std::move(run)) {}
  void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
  void round_done(std::uint64_t) override {}
  void logged(const simulation::Measurement& logged) override {
    relay_.logged(simulation::metrics_line(logged), run_);
  }

 private:
  Relay& relay_;
  std::string run_;
};

// How errors name the arguments of both functions.
const experiments::Choices kChoices = {"resume=True", "out=FOLDER"};

// What both functions take besides the plan.
struct Options {
  std::string out;
  bool resume;
  unsigned threads;
  simulation::Fidelity fidelity;
};

// Trains what is left of the plan's run, and returns its folder.
std::string trained(const Plan& plan, const Options& options, Relay& relay) {
  const reporting::NoteSink notes = [&relay](const std::string& note) { relay.note(note); };
  simulation::check_fidelity(plan, options.fidelity);
  simulation::refuse_too_costly(plan, simulation::resources_here(options.threads));
  const auto folder = experiments::open_run(options.out, plan, options.fidelity, options.resume, kChoices);
  RunResult result;
  if (folder->found() == RunFolder::Found::finished) {
    result = experiments::finished_before(plan, options.fidelity, *folder, notes);
  } else {
    const simulation::Prepared prepared =
        simulation::prepare(plan, simulation::Accounting::charged, options.fidelity);
    experiments::before_training(plan, options.fidelity, *folder, prepared, notes);
    Told observer(relay, "");
    // Training looks at relay.stop(). The accountant is not interrupted, because a run that stops still
    // states what its rounds cost.
    const InterruptScope uninterrupted{Interrupt()};
    result = simulation::train(plan, prepared.parts, prepared.data, *folder, {options.threads, &relay.stop()},
                               observer);
  }
  if (result.stopped == simulation::Stopped::interrupted) throw interrupted();
  notes(reporting::neutral_note(result.neutral.value_or(0)));
  notes(reporting::alarm_note(plan, folder->path()));
  return folder->path().string();
}

struct Swept {
  std::string folder, json, table, picture;
};

Swept summary_of(const simulation::Sweep& sweep) {
  return {sweep.folder, reporting::summary_json(sweep), reporting::summary_table(sweep),
          reporting::summary_svg(sweep)};
}

// Trains what is left of the sweep's runs.
Swept swept(simulation::Sweep& sweep, const Options& options, Relay& relay) {
  const reporting::NoteSink notes = [&relay](const std::string& note) { relay.note(note); };
  for (const std::string& sentence : experiments::left_out_of(sweep)) notes(sentence);
  std::vector<experiments::PlannedRun> runs = experiments::runs_of(sweep);
  sweep.folder =
      options.out.empty() ? experiments::usual_folder(runs, experiments::kSweepKind).string() : options.out;
  experiments::check_folder(sweep.folder, runs, experiments::kSweepKind, options.resume, kChoices);
  experiments::ManyRuns many(
      {options.threads, &relay.stop(), options.fidelity},
      [&relay](const Plan& plan, const std::string&) {
        return std::make_unique<Told>(relay, simulation::run_name(plan));
      },
      notes);
  for (const simulation::Combination& combination : sweep.combinations) many.check(combination.plans.front());
  experiments::order_for_training(runs);
  {
    const InterruptScope uninterrupted{Interrupt()};
    sweep.interrupted = !many.run_all(runs, sweep.folder, [](const RunResult&) {});
  }
  const Swept summary = summary_of(sweep);
  experiments::leave_summary(sweep.folder, summary.json, summary.picture);
  if (sweep.interrupted) throw interrupted();
  experiments::throw_if_any_failed(runs, experiments::kSweepKind);
  return summary;
}

Options options_of(const std::string& out, bool resume, const py::object& threads,
                   const std::string& fidelity) {
  return {out, resume, threads_of(threads), simulation::fidelity_named(fidelity)};
}

// Returns the handler that calls told(line, run) or noted(text).
Handle handler(const py::object& told, const py::object& noted) {
  return [&told, &noted](const Event& event) {
    if (event.is_note) {
      noted(str_of(event.text));
    } else if (!told.is_none()) {
      told(str_of(event.text), str_of(event.run));
    }
  };
}

// Waits for runs that were told to stop. Their calls have returned, but they may hold their folders for a
// moment.
void wait_for_stopped() { join_stopped(); }

py::bytes train(const PlanPointer& plan, const std::string& out, bool resume, const py::object& threads,
                const std::string& fidelity, const py::object& told, const py::object& noted) {
  const Plan whole = Plan::validate(plan->source(), protocols::Command::train);
  const Options options = options_of(out, resume, threads, fidelity);
  wait_for_stopped();
  return py::bytes(conversing([whole, options](Relay& relay) { return trained(whole, options, relay); },
                              handler(told, noted)));
}

py::tuple sweep(const PlanPointer& plan, const std::vector<std::pair<std::string, py::list>>& keys,
                const py::object& seeds, const std::string& out, bool resume, const py::object& threads,
                const std::string& fidelity, const py::object& told, const py::object& noted) {
  constexpr std::uint64_t kMostSeeds = 1000;  // as in muster train
  std::vector<simulation::SweptKey> swept_keys;
  for (const auto& [key, values] : keys) {
    std::string text = key + "=";
    for (const py::handle value : values) text += (text.ends_with('=') ? "" : ",") + raw_of(value).text;
    swept_keys.push_back(experiments::swept_key_of(text));
  }
  const std::uint64_t count = count_of("seeds", seeds, 1, kMostSeeds);
  const Options options = options_of(out, resume, threads, fidelity);
  auto all = std::make_shared<simulation::Sweep>(
      experiments::sweep_of(plan->source(), std::move(swept_keys), count));
  wait_for_stopped();
  const Swept summary =
      conversing([all, options](Relay& relay) { return swept(*all, options, relay); }, handler(told, noted));
  return py::make_tuple(py::bytes(summary.folder), str_of(summary.json), str_of(summary.table),
                        str_of(summary.picture));
}

}  // namespace

void bind_training(py::module_& module) {
  module.def("train", &train, py::arg("plan"), py::arg("out"), py::arg("resume"), py::arg("threads"),
             py::arg("fidelity"), py::arg("told"), py::arg("noted"));
  module.def("sweep", &sweep, py::arg("plan"), py::arg("keys"), py::arg("seeds"), py::arg("out"),
             py::arg("resume"), py::arg("threads"), py::arg("fidelity"), py::arg("told"), py::arg("noted"));
}

}  // namespace muster::python

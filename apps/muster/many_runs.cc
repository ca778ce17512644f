#include "many_runs.h"

#include <memory>
#include <string>

#include "interrupt.h"
#include "say.h"
#include "train_progress.h"

namespace muster::app {

experiments::MakeObserver run_progress() {
  return [](const protocols::Plan& plan, const std::string& which) {
    return std::make_unique<TrainProgress>(TrainProgress::Lines::none, plan.has_slots() ? "slot" : "round",
                                           which);
  };
}

experiments::ManyRuns many_runs(unsigned threads, simulation::Fidelity fidelity) {
  return {{threads, &interrupted(), fidelity}, run_progress(), say};
}

}  // namespace muster::app

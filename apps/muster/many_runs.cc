#include "many_runs.h"

#include <memory>
#include <string>

#include "interrupt.h"
#include "say.h"
#include "train_progress.h"

namespace muster::app {

experiments::ManyRuns many_runs(unsigned threads, simulation::Fidelity fidelity) {
  const auto progress = [](const protocols::Plan& plan, const std::string& which) {
    return std::make_unique<TrainProgress>(TrainProgress::Lines::none, plan.has_slots() ? "slot" : "round",
                                           which);
  };
  return {{threads, &interrupted(), fidelity}, progress, say};
}

}  // namespace muster::app

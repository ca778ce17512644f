// The task of the simulated deployments on which faults act: a histogram of digits in three planned rounds,
// each of which needs five devices. At most eight rounds are opened. The objects belong to the thread of the
// test.
#pragma once

#include <cstdint>
#include <random>

#include "muster/plan/source.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/client/draws.h"
#include "muster/service/task/plans_test.h"
#include "muster/service/task/task_document.h"
#include "tests/deployment/deployment.h"

namespace muster::deployment {

inline constexpr std::int64_t kSmallRound = 60'000;  // its length in milliseconds

inline const service::TaskDocument& small_task() {
  static const service::TaskDocument document = [] {
    service::TaskSettings settings = Deployment::settings();
    settings.malicious = 1;
    settings.seconds = kSmallRound / 1000;
    settings.most_rounds = 8;
    return service::TaskDocument::make(
        protocols::Plan::validate(protocols::PlanSource::from_text(service::kHistogramPlan, "plan.toml"),
                                  protocols::Command::train)
            .with("population.clients", "4"),
        settings);
  }();
  return document;
}
inline const simulation::Prepared& small_parts() {
  static const simulation::Prepared parts = service::server_parts(small_task());
  return parts;
}

// Coins and send times from a seed, so that a schedule can be run again.
class SeededChoices : public service::Draws {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(seed) {}
  bool coin(std::uint64_t) override { return random_() % 2 == 0; }
  std::uint64_t below(std::uint64_t bound) override { return random_() % bound; }
  random::RunKey message_key() override { return random::RunKey::fresh(); }
  std::uint64_t client() const override { return 0; }

 private:
  std::mt19937_64 random_;
};

}  // namespace muster::deployment

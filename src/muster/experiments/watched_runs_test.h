// Watches training runs in tests: records which runs began and how many rounds they did, and can request an
// interruption after some rounds.
//
// The classes are for tests. An object belongs to one thread, but any thread may use Watched::interrupt.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "muster/experiments/many_runs.h"

namespace muster::experiments {

// Counts the rounds of all runs, and asks for an interruption after a total of `interrupt_after` rounds.
struct Watched {
  std::vector<std::string> started;  // how each run was announced, in the order of their beginnings
  std::uint64_t rounds = 0;
  std::uint64_t interrupt_after = 0;
  std::atomic<bool> interrupt{false};

  // Returns a function that makes observers of runs. It must not outlive this object.
  MakeObserver make_observer();
};

class Watcher final : public simulation::TrainingObserver {
 public:
  Watcher(Watched& watched, const std::string& which) : watched_(watched) {
    watched_.started.push_back(which);
  }
  void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
  void round_done(std::uint64_t) override {
    watched_.interrupt = ++watched_.rounds == watched_.interrupt_after;
  }
  void logged(const simulation::Measurement&) override {}

 private:
  Watched& watched_;
};

inline MakeObserver Watched::make_observer() {
  return [this](const protocols::Plan&, const std::string& which) {
    return std::make_unique<Watcher>(*this, which);
  };
}

}  // namespace muster::experiments

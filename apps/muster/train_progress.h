// Shows the progress of `muster train` while a model trains.
//
// On stderr, a terminal gets a bar with the time left; otherwise there is one line per tenth of the run, or
// in a sweep one line per run. On stdout, there is one line per logged round (JSON or a table row; none in a
// sweep), which is flushed at once so that the run can be followed through a pipe.
//
// All calls must come on one thread, in the order that TrainingObserver describes. The destructor removes the
// bar.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "muster/simulation/training.h"

namespace muster::app {

class TrainProgress final : public simulation::TrainingObserver {
 public:
  enum class Lines { json, table, none };
  // `unit` names the plan's updates: "round" or "slot". `run` says which of several runs this is ("run 3
  // of 12") in lines on stderr; it is empty for a single run.
  explicit TrainProgress(Lines lines, std::string unit = "round", std::string run = "");
  ~TrainProgress() override;

  void started(std::uint64_t done, std::uint64_t last, const simulation::Expected& expected) override;
  void round_done(std::uint64_t round) override;
  void logged(const simulation::Measurement& logged) override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw_bar(std::uint64_t round);
  void clear_bar();
  std::string time_left(std::uint64_t round) const;

  Lines lines_;
  std::string unit_;
  std::string before_;  // the beginning of each line on stderr
  bool terminal_;
  bool bar_shown_ = false;
  bool header_shown_ = false;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  Clock::time_point began_;
  Clock::time_point drawn_;
};

}  // namespace muster::app

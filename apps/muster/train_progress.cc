#include "train_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "muster/core/number_text.h"

namespace muster::app {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr double kWorthSaying = 600;  // seconds above which the expected work is announced

}  // namespace

TrainProgress::TrainProgress(Lines lines, std::string unit, std::string run)
    : lines_(lines),
      unit_(std::move(unit)),
      before_(run.empty() ? std::string() : std::move(run) + ": "),
      terminal_(::isatty(STDERR_FILENO) == 1) {}

TrainProgress::~TrainProgress() { clear_bar(); }

void TrainProgress::started(std::uint64_t done, std::uint64_t last, const simulation::Expected& expected) {
  first_ = done;
  last_ = last;
  began_ = Clock::now();
  if (expected.seconds > kWorthSaying) {
    fmt::print(stderr, "muster: {}about {:.3g} messages and {:.3g} coins are ahead: {} on {}\n", before_,
               expected.messages, expected.coins, duration_text(expected.seconds),
               count_text(expected.threads, "thread"));
  }
  if (!terminal_) {
    fmt::print(stderr, "muster: {}training, {} of {} {}s done\n", before_, done, last, unit_);
  }
}

std::string TrainProgress::time_left(std::uint64_t round) const {
  const double spent = std::chrono::duration<double>(Clock::now() - began_).count();
  return duration_text(spent * static_cast<double>(last_ - round) / static_cast<double>(round - first_));
}

void TrainProgress::round_done(std::uint64_t round) {
  if (terminal_) {
    const Clock::time_point now = Clock::now();
    if (now - drawn_ >= kRedraw || round == last_) {
      drawn_ = now;
      draw_bar(round);
    }
    return;
  }
  if (lines_ == Lines::none) {
    // In a sweep, the start line of each run is enough.
    return;
  }
  const std::uint64_t tenth = std::max<std::uint64_t>(1, last_ / 10);
  if (round % tenth == 0 && round != last_) {
    fmt::print(stderr, "muster: {}{} {} of {}, {} left\n", before_, unit_, round, last_, time_left(round));
  }
}

void TrainProgress::draw_bar(std::uint64_t round) {
  const auto filled = static_cast<std::size_t>(static_cast<double>(kBarWidth) * static_cast<double>(round) /
                                               static_cast<double>(last_));
  fmt::print(stderr, "\r\033[K[{:<{}}] {}{} {} of {}, {} left", std::string(filled, '#'), kBarWidth, before_,
             unit_, round, last_, time_left(round));
  std::fflush(stderr);
  bar_shown_ = true;
}

void TrainProgress::clear_bar() {
  if (bar_shown_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    bar_shown_ = false;
  }
}

void TrainProgress::logged(const simulation::Measurement& logged) {
  clear_bar();
  if (lines_ == Lines::none) {
    return;
  }
  if (lines_ == Lines::json) {
    fmt::print("{}\n", simulation::shown_line(logged));
  } else {
    if (!header_shown_) {
      fmt::print("{:>9}  {:>8}  {:>9}  {:>9}\n", unit_, "accuracy", "epsilon", "check-ins");
      header_shown_ = true;
    }
    fmt::print("{:>9}  {:>8.4f}  {:>9}  {:>9}\n", logged.step(), logged.accuracy,
               epsilon_text(logged.epsilon), logged.check_ins);
  }
  std::fflush(stdout);
}

}  // namespace muster::app

// Watches how many clients check in, and raises an alarm when the counts no longer fit the declared rate.
//
// Liew, Hasegawa, Takahashi, "Shuffled check-in" (2022), Section 3.3, note that clients drop out, so that
// the number of check-ins should be monitored in each round and the effective rate estimated from it. The
// declared rate remains what is charged. The monitor estimates the effective rate and raises an alarm in one
// of two cases:
//  - A count lies outside its binomial band.
//  - There is a drift: the evidence of all rounds so far, a mixture of likelihood ratios, exceeds a level
//    that it exceeds by chance with a bounded probability, however often it is checked.
//
// As long as every client's rate is as declared, the probability that all rounds of the plan together raise
// any alarm is at most `false_alarm`; each rule in each direction has a quarter of it. Derivation:
// docs/theory/check-in-monitor.md.
//
// The counts are public, since the aggregator sees them. If no coin decides how many messages arrive
// (everybody reports, a fixed subset, one message per slot), there is nothing to watch, and `blind()`
// gives the reason.
//
// Example:
//     CheckInMonitor monitor(plan.stages());
//     monitor.watch(1, 5793);      // the next round had 5793 check-ins
//     monitor.watch(9, 54210);     // the nine rounds after it, together
//     monitor.alarm();             // nothing, or what is wrong
//
// A monitor belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/types.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"
#include "muster/protocols/monitor/binomial_interval.h"

namespace muster::protocols {

// Evidence that the rate is above (or below) the declared one: the mean of kTilts likelihood ratios. Each
// compares odds of a report that are larger (or smaller) by a fixed factor with those of the declared rate.
// The evidence starts from 1. If the true rate is never above the `p` given to add() (for downward evidence:
// never below it), the expectation of the evidence never grows. So for every b in (0, 1), the probability
// that the evidence ever reaches 1/b is at most b (Ville, "Etude critique de la notion de collectif", 1939).
class DriftEvidence {
 public:
  explicit DriftEvidence(bool upward);
  // Adds the observation that `trials` coins showed `successes`. p is the highest declared probability
  // for upward evidence and the lowest for downward evidence.
  void add(double trials, std::uint64_t successes, double p);
  double log_evidence() const;

 private:
  static constexpr std::size_t kTilts = 18;
  std::array<double, kTilts> tilts_;  // logarithms of the factors on the odds
  std::array<double, kTilts> log_ratios_{};
};

class CheckInMonitor {
 public:
  static constexpr double kFalseAlarm = 1e-3;

  // `stages` declares all rounds of the plan (runs of slots in slot protocols): at least one stage, all
  // of the same protocol. Requires 0 < false_alarm < 1.
  explicit CheckInMonitor(const std::vector<accounting::Stage>& stages, double false_alarm = kFalseAlarm);

  // Why the number of messages is independent of the clients' coins; empty if it is not.
  const std::string& blind() const { return blind_; }

  // Records that the next `rounds` rounds (or slots) had `messages` messages in total. More messages than
  // the clients can send in these rounds, or more rounds than planned, are Error(data). A block of slots is
  // watched if it lies within one run that was watched from its start; other blocks are counted but skipped.
  void watch(std::uint64_t rounds, std::uint64_t messages);

  // The band of the next `rounds` rounds together; nothing if they cannot be watched.
  std::optional<CountBand> band(std::uint64_t rounds) const;

  enum class Direction { too_few, too_many };
  struct Alarm {
    Direction direction;
    std::uint64_t round;  // the last round watched when it was raised
    std::string reason;   // shown to users
  };
  // The first alarm raised, or nothing; later alarms do not replace it.
  const std::optional<Alarm>& alarm() const { return alarm_; }

  struct Estimate {
    // Reports per client and round (per client and run in slot protocols); the clients' mean if rates differ.
    double rate;
    // The confidence interval of the rate. At any time fixed beforehand, it misses the true rate with
    // probability at most kFalseAlarm.
    double low, high;
  };
  std::optional<Estimate> estimate() const;

  std::uint64_t rounds_watched() const { return watched_; }
  std::uint64_t rounds_skipped() const { return done_ - watched_; }

 private:
  struct Law {
    double trials;
    double min_rate, max_rate;
    // The probability of a false alarm that the band may use at each end.
    double side;
    bool operator==(const Law&) const = default;
  };
  std::optional<Law> law(std::uint64_t rounds) const;
  void advance(std::uint64_t rounds, std::uint64_t messages);
  void raise(Direction direction, const std::string& reason);

  std::string blind_;
  double clients_ = 0;
  struct Declared {
    std::uint64_t last;  // the last round, or slot, with these rates
    double min_rate, max_rate;
  };
  std::vector<Declared> declared_;
  std::uint64_t slots_ = 0;  // slots per run; 0 if rounds are independent
  std::uint64_t planned_ = 0;
  double side_;  // a quarter of false_alarm

  std::uint64_t done_ = 0;
  std::uint64_t watched_ = 0;
  std::uint64_t messages_ = 0;      // in all rounds so far
  bool run_known_ = true;           // in slot protocols, whether the current run was watched from its start
  std::uint64_t run_messages_ = 0;  // in slot protocols, the messages of the current run
  std::uint64_t whole_run_rounds_ = 0;  // in slot protocols, done_ at the end of the last run that ended
  std::uint64_t whole_run_messages_ = 0;
  DriftEvidence up_{true};
  DriftEvidence down_{false};
  std::optional<Alarm> alarm_;
  // The last band computed; most rounds ask for it again.
  mutable std::optional<std::pair<Law, CountBand>> newest_band_;
};

const char* name_of(CheckInMonitor::Direction direction);  // "too few", "too many"

// The same protocol with every client at `rate`, to compute epsilon at the ends of an estimate.
accounting::Participation at_rate(const accounting::Participation& participation, Rate rate);

}  // namespace muster::protocols

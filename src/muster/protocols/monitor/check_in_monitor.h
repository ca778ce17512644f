// Watches how many clients check in, and says when that no longer fits the rate the plan declares.
//
// Liew, Hasegawa, Takahashi, "Shuffled check-in" (2022), Section 3.3: clients drop out, so the number of
// check-ins of each round should be monitored, and the effective rate found from it. The declared rate stays
// what is charged; the monitor estimates the effective one, and raises an alarm by one of two rules:
//  - a count outside its binomial band;
//  - a drift: evidence of all rounds so far, a mixture of likelihood ratios, that passes a level it passes by
//    chance only so often, whenever it is looked at.
// Over the whole run, as long as every client's rate is as declared, an alarm is raised with probability at
// most `false_alarm`, by each rule and in each direction a quarter of it. Derivation:
// docs/theory/check-in-monitor.md.
//
// Counts are public: the aggregator sees them. Where no coin decides how many messages arrive (everybody, a
// fixed subset, one message a slot), there is nothing to watch, and `blind()` says why.
//
// Example:
//     CheckInMonitor monitor(plan.stages());
//     monitor.watch(1, 5793);      // the next round had 5793 check-ins
//     monitor.watch(9, 54210);     // the nine after it, together
//     monitor.alarm();             // nothing, or what is wrong
//
// Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/describe/participation.h"
#include "muster/accounting/scheduled_accountant.h"
#include "muster/core/types.h"
#include "muster/protocols/monitor/binomial_interval.h"

namespace muster::protocols {

// Evidence for a rate above or below the declared one; a mixture of likelihood ratios over fixed tilts of the
// odds. Under every rate that is not beyond `p` its expectation never grows, so it passes the level 1/b with
// probability at most b, at any time (Ville, "Etude critique de la notion de collectif", 1939).
class DriftEvidence {
 public:
  explicit DriftEvidence(bool upward);
  // `trials` coins of chance p (the most for upward, the least for downward) showed `successes`.
  void add(double trials, std::uint64_t successes, double p);
  double log_evidence() const;

 private:
  static constexpr std::size_t kTilts = 18;
  std::array<double, kTilts> tilts_;  // logarithms of the factor on the odds
  std::array<double, kTilts> log_ratios_{};
};

class CheckInMonitor {
 public:
  static constexpr double kFalseAlarm = 1e-3;

  // The declaration: all rounds of the plan, runs of slots where a round has slots. At least one stage, all
  // of one protocol; 0 < false_alarm < 1.
  explicit CheckInMonitor(const std::vector<accounting::Stage>& stages, double false_alarm = kFalseAlarm);

  // Why the number of messages says nothing about the clients' coins; empty when it does.
  const std::string& blind() const { return blind_; }

  // The next `rounds` rounds, or slots, had so many messages together. Error(data) for more messages than
  // clients, or more rounds than planned. Slots are watched where a block lies within one run that was
  // watched from its start; others are counted, and skipped.
  void watch(std::uint64_t rounds, std::uint64_t messages);

  // The band of the next `rounds` rounds together; nothing where they cannot be watched.
  std::optional<CountBand> band(std::uint64_t rounds) const;

  enum class Direction { too_few, too_many };
  struct Alarm {
    Direction direction;
    std::uint64_t round;  // the last round watched when it was raised
    std::string reason;   // for people
  };
  // The first one raised; it stays.
  const std::optional<Alarm>& alarm() const { return alarm_; }

  struct Estimate {
    double rate;  // reports a client and round (a client and run in slot protocols); where rates differ, the
                  // mean
    double low,
        high;  // confidence interval: misses with probability at most kFalseAlarm at a time fixed beforehand
  };
  std::optional<Estimate> estimate() const;

  std::uint64_t rounds_watched() const { return watched_; }
  std::uint64_t rounds_skipped() const { return done_ - watched_; }

 private:
  struct Law {
    double trials;
    double least, most;
    double side;  // the share of false alarms that the band may use at each end
    bool operator==(const Law&) const = default;
  };
  std::optional<Law> law(std::uint64_t rounds) const;
  void advance(std::uint64_t rounds, std::uint64_t messages);
  void raise(Direction direction, const std::string& reason);

  std::string blind_;
  double clients_ = 0;
  struct Declared {
    std::uint64_t last;  // round, or slot, with these rates
    double least, most;
  };
  std::vector<Declared> declared_;
  std::uint64_t slots_ = 0;  // of a run; 0: rounds are independent
  std::uint64_t planned_ = 0;
  double side_;  // a quarter of the false alarms

  std::uint64_t done_ = 0;
  std::uint64_t watched_ = 0;
  std::uint64_t messages_ = 0;          // of all rounds
  bool run_known_ = true;               // slots: this run was watched from its start
  std::uint64_t run_messages_ = 0;      // slots: of the run under way
  std::uint64_t whole_run_rounds_ = 0;  // slots: done at the last end of a run that was seen
  std::uint64_t whole_run_messages_ = 0;
  DriftEvidence up_{true};
  DriftEvidence down_{false};
  std::optional<Alarm> alarm_;
  mutable std::optional<std::pair<Law, CountBand>> newest_band_;  // most rounds ask for the one before's
};

const char* name_of(CheckInMonitor::Direction direction);  // "too few", "too many"

// The same protocol with every client at `rate`: for the epsilon at the ends of an estimate.
accounting::Participation at_rate(const accounting::Participation& participation, Rate rate);

}  // namespace muster::protocols

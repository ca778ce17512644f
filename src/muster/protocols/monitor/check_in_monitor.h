// Watches how many clients check in, and raises an alarm if the counts no longer fit the declared rate.
//
// Liew, Hasegawa, Takahashi, "Shuffled check-in" (2022), Section 3.3, note that clients drop out, so the
// number of check-ins should be monitored in each round and the effective rate estimated from it. The
// declared rate remains the one that is charged. The monitor estimates the effective rate and raises an alarm
// in one of two cases:
//  - A count is outside its binomial band.
//  - There is a drift. The evidence of all rounds so far, a mixture of likelihood ratios, exceeds a level.
//    The probability of exceeding it by chance is bounded, however often the evidence is checked.
//
// If every client's rate is as declared, the probability of any alarm in all rounds of the plan together is
// at most `false_alarm`. Each of the two cases has a quarter of this probability for the direction "too few"
// and another quarter for "too many". docs/theory/check-in-monitor.md has the derivation.
//
// The counts are public, because the aggregator sees them. If the number of messages does not depend on coins
// (everybody reports, a fixed subset, one message per slot), there is nothing to watch, and `blind()` gives
// the reason.
//
// Example:
//     CheckInMonitor monitor(plan.stages());
//     monitor.watch(1, 5793);      // the next round had 5793 check-ins
//     monitor.watch(9, 54210);     // the nine rounds after it, together
//     monitor.watch_round(6102, 3058);   // the next round had 3058 check-ins of 6102 clients that were heard
//     monitor.alarm();             // nullopt, or the round and the reason
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
// compares the odds of a report at the declared rate with odds that are larger (or smaller) by a fixed
// factor. The evidence starts from 1. If the true rate is never above the `p` given to add() (for downward
// evidence: never below it), the expectation of the evidence never grows. So for every b in (0, 1), the
// probability that the evidence ever reaches 1/b is at most b (Ville, "Etude critique de la notion de
// collectif", 1939).
class DriftEvidence {
 public:
  explicit DriftEvidence(bool upward);
  // Adds the observation of `successes` among `trials` coins. `p` is the highest declared probability for
  // upward evidence, and the lowest for downward evidence.
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

  // `stages` declares all rounds of the plan (runs of slots in slot protocols). It has at least one stage,
  // and all stages have the same protocol. Throws Error(internal) unless 0 < false_alarm < 1.
  explicit CheckInMonitor(const std::vector<accounting::Stage>& stages, double false_alarm = kFalseAlarm);

  // The reason why the number of messages is independent of the clients' coins; empty if it depends on them.
  const std::string& blind() const { return blind_; }

  // Records that the next `rounds` rounds (or slots) had `messages` messages in total. Throws Error(data) for
  // more messages than the clients can send in these rounds, or for more rounds than planned. In slot
  // protocols, the slots of a call are tested if they lie within one run that was watched from its start.
  // Otherwise they are counted, but skipped by the tests.
  void watch(std::uint64_t rounds, std::uint64_t messages);

  // Records that the next round had `messages` messages of `clients` clients, which need not be as many as
  // the plan declares. Their number must not depend on the coins of the round. Throws Error(data) as watch()
  // does, and Error(internal) for a slot protocol. A round without clients is counted, but skipped by the
  // tests.
  void watch_round(std::uint64_t clients, std::uint64_t messages);

  // Returns the band for the number of messages of the next `rounds` rounds together; nullopt if these rounds
  // cannot be tested.
  std::optional<CountBand> band(std::uint64_t rounds) const;

  // The band that the messages watched last were compared with; nullopt if they were not tested.
  const std::optional<CountBand>& last_band() const { return last_band_; }

  enum class Direction { too_few, too_many };
  struct Alarm {
    Direction direction;
    std::uint64_t round;  // the last round watched when the alarm was raised
    std::string reason;   // the reason as shown to users
  };
  // The first alarm, if any; later alarms do not replace it.
  const std::optional<Alarm>& alarm() const { return alarm_; }

  struct Estimate {
    // Reports per client and round (in slot protocols, per client and run), on average over the clients.
    double rate;
    // The confidence interval of the rate. At any time that is fixed in advance, it misses the true rate with
    // probability at most kFalseAlarm.
    double low, high;
  };
  std::optional<Estimate> estimate() const;

  std::uint64_t rounds_watched() const { return watched_; }
  std::uint64_t rounds_skipped() const { return done_ - watched_; }

 private:
  // What is declared for the messages of some rounds: they are the successes of `trials` independent coins,
  // each with a probability in [min_rate, max_rate].
  struct Law {
    double trials;
    double min_rate, max_rate;
    // The probability of a false alarm that is allowed at each end of the band.
    double side;
    bool operator==(const Law&) const = default;
  };
  std::optional<Law> law(std::uint64_t rounds) const;
  const CountBand& band_of(const Law& law) const;
  void expect_planned(std::uint64_t rounds) const;
  // Tests the messages of the next `rounds` rounds against the law that is expected of them. Without a law,
  // it only counts them.
  void test(const std::optional<Law>& expected, double most_messages, std::uint64_t rounds,
            std::uint64_t messages);
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
  double side_;  // allowed false-alarm probability of each case and direction: false_alarm / 4

  std::uint64_t done_ = 0;
  std::uint64_t watched_ = 0;
  std::uint64_t messages_ = 0;      // messages in all rounds so far
  double surplus_ = 0;              // clients of all rounds so far beyond those that the plan declares
  bool run_known_ = true;           // in slot protocols, whether the current run was watched from its start
  std::uint64_t run_messages_ = 0;  // in slot protocols, the messages of the current run
  std::uint64_t whole_run_rounds_ = 0;  // in slot protocols, done_ at the end of the last complete run
  std::uint64_t whole_run_messages_ = 0;
  DriftEvidence up_{true};
  DriftEvidence down_{false};
  std::optional<Alarm> alarm_;
  std::optional<CountBand> last_band_;
  // The most recent band, because most rounds need the same band again.
  mutable std::optional<std::pair<Law, CountBand>> newest_band_;
};

const char* name_of(CheckInMonitor::Direction direction);  // "too few", "too many"

// Returns the same protocol with `rate` for every client, to compute epsilon at the ends of an estimate.
accounting::Participation at_rate(const accounting::Participation& participation, Rate rate);

}  // namespace muster::protocols

#include "muster/protocols/monitor/check_in_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "muster/core/error.h"
#include "muster/core/overloaded.h"

namespace muster::protocols {
namespace {

std::string rounds_text(std::uint64_t first, std::uint64_t last, const char* unit) {
  return first == last ? fmt::format("{} {}", unit, first)
                       : fmt::format("{}s {} to {} together", unit, first, last);
}

}  // namespace

const char* name_of(CheckInMonitor::Direction direction) {
  return direction == CheckInMonitor::Direction::too_few ? "too few" : "too many";
}

accounting::Participation at_rate(const accounting::Participation& participation, Rate rate) {
  using accounting::Participation;
  return std::visit(Overloaded{[](const accounting::Shuffle& p) -> Participation { return p; },
                               [](const accounting::FixedSubset& p) -> Participation { return p; },
                               [rate](const accounting::ShuffledCheckIn& p) -> Participation {
                                 return accounting::ShuffledCheckIn(p.clients(), rate);
                               },
                               [rate](const accounting::RandomCheckIn& p) -> Participation {
                                 return accounting::RandomCheckIn(p.kind(), p.clients(), p.slots(), rate);
                               },
                               [rate](const accounting::AggregatedCheckIn& p) -> Participation {
                                 return accounting::AggregatedCheckIn(p.clients(), rate, p.minimum());
                               }},
                    participation);
}

DriftEvidence::DriftEvidence(bool upward) {
  // Each logarithm of a factor on the odds is half the one before, so the factors go from e^2 down to
  // 1.000015 (or they are the inverses of these).
  double tilt = upward ? 2 : -2;
  for (double& each : tilts_) {
    each = tilt;
    tilt /= 2;
  }
}

void DriftEvidence::add(double trials, std::uint64_t successes, double p) {
  for (std::size_t j = 0; j < kTilts; ++j) {
    log_ratios_[j] +=
        static_cast<double>(successes) * tilts_[j] - trials * std::log1p(p * std::expm1(tilts_[j]));
  }
}

double DriftEvidence::log_evidence() const {
  const double largest = std::ranges::max(log_ratios_);
  double sum = 0;
  for (const double each : log_ratios_) {
    sum += std::exp(each - largest);
  }
  return largest + std::log(sum / static_cast<double>(kTilts));
}

CheckInMonitor::CheckInMonitor(const std::vector<accounting::Stage>& stages, double false_alarm)
    : side_(false_alarm / 4) {
  if (!(false_alarm > 0 && false_alarm < 1)) {
    throw Error(ErrorCode::internal, "false_alarm", fmt::format("{}", false_alarm), "in (0, 1)",
                "not a rate of false alarms");
  }
  for (const accounting::Stage& stage : stages) {
    const auto coins = [&](const auto& protocol, std::uint64_t slots) {
      clients_ = static_cast<double>(protocol.clients().value());
      slots_ = slots;
      const double most = protocol.rate().value();
      planned_ += stage.rounds * std::max<std::uint64_t>(1, slots);
      declared_.push_back({planned_, accounting::min_message_rate(protocol).value(), most});
    };
    using Kind = accounting::RandomCheckIn::Kind;
    std::visit(
        Overloaded{[this](const accounting::Shuffle&) {
                     blind_ = "everybody reports in every round: there is no coin to watch";
                   },
                   [this](const accounting::FixedSubset&) {
                     blind_ = "a fixed number of clients is drawn each round: there is no coin to watch";
                   },
                   [&](const accounting::RandomCheckIn& protocol) {
                     coins(protocol, protocol.slots());
                     if (protocol.kind() != Kind::averaged) {
                       blind_ =
                           "every slot has one message, a dummy where nobody checked in: their number says "
                           "nothing about the clients' coins";
                     }
                   },
                   [&](const auto& protocol) { coins(protocol, 0); }},
        stage.participation);
  }
}

std::optional<CheckInMonitor::Law> CheckInMonitor::law(std::uint64_t rounds) const {
  if (!blind_.empty() || rounds > planned_ - done_) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(rounds);
  const double side = side_ * count / static_cast<double>(planned_);
  // If the declared rates change within these rounds, their minimum and maximum apply.
  Declared rates{0, 1, 0};
  for (std::uint64_t from = 0; const Declared& each : declared_) {
    if (from < done_ + rounds && each.last > done_) {
      rates = {each.last, std::min(rates.min_rate, each.min_rate), std::max(rates.max_rate, each.max_rate)};
    }
    from = each.last;
  }
  if (slots_ == 0) {
    return Law{clients_ * count, rates.min_rate, rates.max_rate, side};
  }
  const std::uint64_t slot = done_ % slots_;
  if (!run_known_ || rounds > slots_ - slot) {
    return std::nullopt;
  }
  // Let g be the probability that a client reports in a run of m slots, of which s are over. If it has not
  // reported in these s slots, it reports in the next k slots with probability (g k/m) / (1 - g s/m).
  const auto all = static_cast<double>(slots_), before = static_cast<double>(slot);
  const auto chance = [&](double rate) { return std::min(1.0, rate * count / (all - rate * before)); };
  return Law{clients_ - static_cast<double>(run_messages_), chance(rates.min_rate), chance(rates.max_rate),
             side};
}

std::optional<CountBand> CheckInMonitor::band(std::uint64_t rounds) const {
  const std::optional<Law> next = law(rounds);
  if (!next || rounds == 0) {
    return std::nullopt;
  }
  return band_of(*next);
}

const CountBand& CheckInMonitor::band_of(const Law& law) const {
  if (!newest_band_ || newest_band_->first != law) {
    newest_band_ = {law, binomial_band(law.trials, law.min_rate, law.max_rate, law.side)};
  }
  return newest_band_->second;
}

void CheckInMonitor::expect_planned(std::uint64_t rounds) const {
  if (blind_.empty() && rounds > planned_ - done_) {
    throw Error(ErrorCode::data, "rounds", fmt::format("{}", done_ + rounds),
                fmt::format("at most {}", planned_), "are more than the plan has");
  }
}

void CheckInMonitor::watch(std::uint64_t rounds, std::uint64_t messages) {
  expect_planned(rounds);
  if (rounds == 0 && messages > 0 && blind_.empty()) {
    throw Error(ErrorCode::data, "messages", fmt::format("{}", messages), "0", "came in no round");
  }
  if (rounds == 0 || !blind_.empty()) {
    advance(rounds, messages);
    return;
  }
  const std::optional<Law> expected = law(rounds);
  test(expected, expected ? expected->trials : clients_ * static_cast<double>(rounds), rounds, messages);
}

void CheckInMonitor::watch_round(std::uint64_t clients, std::uint64_t messages) {
  if (slots_ != 0) {
    throw Error(ErrorCode::internal, "clients", "", "",
                "the clients of a slot are those of its run, and not a number of its own");
  }
  expect_planned(1);
  if (!blind_.empty()) {
    advance(1, messages);
    return;
  }
  const auto heard = static_cast<double>(clients);
  std::optional<Law> expected = law(1);
  expected->trials = heard;
  if (clients == 0) expected.reset();
  test(expected, heard, 1, messages);
  surplus_ += heard - clients_;
}

void CheckInMonitor::test(const std::optional<Law>& expected, double most_messages, std::uint64_t rounds,
                          std::uint64_t messages) {
  if (static_cast<double>(messages) > most_messages) {
    throw Error(ErrorCode::data, "messages", fmt::format("{}", messages),
                fmt::format("at most {:.0f}", most_messages),
                "are more than the clients can send in these rounds");
  }
  last_band_.reset();
  if (!expected) {
    advance(rounds, messages);
    return;
  }
  const CountBand inside = band_of(*expected);
  last_band_ = inside;
  const std::uint64_t first = done_ + 1;
  up_.add(expected->trials, messages, expected->max_rate);
  down_.add(expected->trials, messages, expected->min_rate);
  watched_ += rounds;
  advance(rounds, messages);

  if (messages < inside.low || messages > inside.high) {
    raise(messages < inside.low ? Direction::too_few : Direction::too_many,
          fmt::format("{} had {} check-ins, outside {} to {}",
                      rounds_text(first, done_, slots_ == 0 ? "round" : "slot"), messages, inside.low,
                      inside.high));
  }
  const double level = -std::log(side_);
  for (const auto& [direction, evidence] :
       {std::pair{Direction::too_few, &down_}, std::pair{Direction::too_many, &up_}}) {
    if (evidence->log_evidence() >= level) {
      raise(direction,
            fmt::format("a drift: the {} {} so far are {:.3g} times likelier under a {} rate", watched_,
                        slots_ == 0 ? "rounds" : "slots", std::exp(std::min(evidence->log_evidence(), 600.0)),
                        direction == Direction::too_few ? "lower" : "higher"));
    }
  }
}

void CheckInMonitor::advance(std::uint64_t rounds, std::uint64_t messages) {
  const bool within_run = slots_ != 0 && rounds <= slots_ - done_ % slots_;
  done_ += rounds;
  messages_ += messages;
  if (slots_ == 0) {
    return;
  }
  run_messages_ += messages;
  run_known_ = run_known_ && within_run;
  if (done_ % slots_ == 0) {
    run_known_ = true;
    run_messages_ = 0;
    whole_run_rounds_ = done_;
    whole_run_messages_ = messages_;
  }
}

void CheckInMonitor::raise(Direction direction, const std::string& reason) {
  if (!alarm_) {
    alarm_ = Alarm{direction, done_, reason};
  }
}

std::optional<CheckInMonitor::Estimate> CheckInMonitor::estimate() const {
  double trials = clients_ * static_cast<double>(done_) + surplus_;
  std::uint64_t reports = messages_;
  double scale = 1;
  if (slots_ != 0) {
    if (whole_run_rounds_ > 0) {
      const std::uint64_t runs = whole_run_rounds_ / slots_;
      trials = clients_ * static_cast<double>(runs);
      reports = whole_run_messages_;
    } else {
      // Only the first s of the m slots of the first run are over. A client of rate g reports in these slots
      // with probability g s/m.
      trials = clients_;
      scale = static_cast<double>(slots_) / static_cast<double>(done_);
    }
  }
  if (!blind_.empty() || done_ == 0 || scale < 1 || trials == 0) {
    return std::nullopt;
  }
  const RateInterval interval = clopper_pearson(trials, reports, kFalseAlarm / 2);
  const auto rate = [scale](double chance) { return std::min(1.0, chance * scale); };
  return Estimate{rate(static_cast<double>(reports) / trials), rate(interval.low), rate(interval.high)};
}

}  // namespace muster::protocols

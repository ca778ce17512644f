#include "muster/simulation/workload.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/protocols/roll_call.h"
#include "muster/randomizers/aligned.h"
#include "muster/simulation/client_update.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {
namespace {

using protocols::Plan;
using protocols::Protocol;

constexpr double kCoin = 3e-10, kDraw = 1e-7;  // seconds per coin and per other draw on a fast machine
constexpr double kMinCoin = 1e-10, kMinMessage = 5e-8,
                 kMinGradient = 1e-9;  // no machine needs fewer seconds per coin, message or gradient
constexpr double kYear = 365.25 * 86400;
constexpr double kMaxMessagesAStep = 0x1p31;

// Returns the workload of one round (in slot protocols, of one run) in which `reporting` clients are expected
// to check in without dropping out.
Workload of_one_round(const Plan& plan, double reporting) {
  constexpr double kSender = sizeof(protocols::Sender);
  const auto clients = static_cast<double>(plan.clients()), slots = static_cast<double>(plan.slots()),
             subset = static_cast<double>(plan.subset()), batch = static_cast<double>(plan.batch());
  // The bytes per sender. Senders are listed twice, once by each worker and once all together, and a roll
  // call by coins also lists the numbers of the clients that report.
  constexpr double kListed = 2 * kSender, kReported = kListed + sizeof(std::uint64_t);
  // A slot protocol keeps two words per slot (a Reservoir). Averaged check-ins instead list the clients that
  // report and then the clients of each slot, so that the number of each client is kept twice. A list that
  // grows is copied to one of twice its size, so for a moment it takes three times its size.
  constexpr double kPlace = 16, kGrowing = 3;
  switch (plan.protocol()) {
    case Protocol::shuffle:
      return {0, 0, clients, clients, kListed * clients};
    case Protocol::subset: {
      const double table = 8 * static_cast<double>(std::bit_ceil(2 * plan.subset() + 1));
      return {0, subset, subset, subset, kListed * subset + 8 * subset + table};
    }
    case Protocol::shuffled_check_in:
    case Protocol::aggregated_check_in:
      return {clients, reporting, reporting, reporting, kReported * reporting};
    case Protocol::random_check_in_fixed:
      return {clients, reporting, slots, batch, kPlace * slots + kListed * batch};
    case Protocol::random_check_in_averaged:
      return {clients, reporting, reporting, reporting / slots,
              kGrowing * kPlace * reporting + kReported * reporting / slots};
    case Protocol::random_check_in_sliding:
      return {clients, clients + reporting, static_cast<double>(plan.updates_per_round()), 1, kPlace * slots};
  }
  throw Error(ErrorCode::internal, "participation.protocol", name_of(plan.protocol()), "",
              "a protocol without a workload");
}

// The plan key that determines the size of a step, and its value.
struct Size {
  const char* key;
  std::uint64_t value;
};
Size size_of(const Plan& plan) {
  switch (plan.protocol()) {
    case Protocol::subset:
      return {"participation.subset", plan.subset()};
    case Protocol::random_check_in_fixed:
    case Protocol::random_check_in_sliding:
      return {"participation.slots", plan.slots()};
    default:
      return {"population.clients", plan.clients()};
  }
}

// Returns the text of an integer as a plan states it: in digits if there are at most 15, otherwise with an
// exponent.
std::string integer_text(double integer) {
  return integer < 1e15 ? fmt::format("{:.0f}", integer) : fmt::format("{:g}", integer);
}

// Returns the text "at most about x" if `value` is too large by the factor `times`. The allowed value x is
// value / times, rounded down to two significant digits.
std::string at_most(std::uint64_t value, double times) {
  const double most = static_cast<double>(value) / times;
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(1.0, most))) - 1);
  return fmt::format("at most about {}", integer_text(std::floor(most / unit) * unit));
}

std::string bytes_text(double bytes) {
  return bytes < 1e12 ? fmt::format("{:.1f} GB", bytes / 1e9) : fmt::format("{:.3g} TB", bytes / 1e12);
}

}  // namespace

Workload workload_of(const Plan& plan) {
  Workload work;
  std::uint64_t round = 1;
  for (const accounting::Stage& stage : plan.stages()) {
    const double rate = plan.rate() * (1 - plan.dropout().at(round));
    const Workload one = of_one_round(plan, static_cast<double>(plan.clients()) * rate);
    const auto rounds = static_cast<double>(stage.rounds);
    work.coins += one.coins * rounds;
    work.draws += one.draws * rounds;
    work.messages += one.messages * rounds;
    work.step = std::max(work.step, one.step);
    work.bytes = std::max(work.bytes, one.bytes);
    round += stage.rounds;
  }
  work.gradients = work.messages * gradients_a_message(local_sgd_of(plan), plan.records());
  return work;
}

Resources resources_here(unsigned threads_a_rank) {
  const Launch launch = launch_of_this_process();
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  const bool known = pages > 0 && page > 0;
  return {static_cast<double>(threads_a_rank) * launch.ranks,
          known ? static_cast<double>(pages) * static_cast<double>(page)
                : std::numeric_limits<double>::infinity(),
          static_cast<double>(launch.ranks_on_this_machine) / launch.ranks};
}

void refuse_too_costly(const Plan& plan, const Resources& resources) {
  const Workload work = workload_of(plan);
  const double seconds =
      (work.coins * kMinCoin + work.messages * kMinMessage + work.gradients * kMinGradient) /
      resources.threads;
  const auto refuse = [&](const Size& size, double times, const std::string& why) {
    throw plan.source().with_place(
        Error(ErrorCode::plan, Reason::out_of_range, size.key, fmt::format("{}", size.value),
              at_most(size.value, times),
              fmt::format("makes a run of about {:.3g} messages and {:.3g} coins, {} or more on {}: {}",
                          work.messages, work.coins, duration_text(seconds),
                          count_text(static_cast<std::uint64_t>(resources.threads), "thread"), why)));
  };
  const double bytes = work.bytes * resources.share_of_list;
  const double times = std::max(work.step / kMaxMessagesAStep, bytes / resources.memory);
  if (bytes > resources.memory) {
    refuse(size_of(plan), times,
           fmt::format("to list who sends takes {}, and this machine has {}", bytes_text(bytes),
                       bytes_text(resources.memory)));
  }
  if (work.step > kMaxMessagesAStep) {
    refuse(size_of(plan), times,
           fmt::format("{:.3g} messages in one step are more than can be added up exactly", work.step));
  }
  if (seconds > kYear) {
    const bool a_round_does = seconds / static_cast<double>(plan.rounds()) <= kYear;
    refuse(a_round_does ? Size{"rounds.count", plan.rounds()} : Size{"population.clients", plan.clients()},
           seconds / kYear, "more than a year");
  }
}

double seconds_of(const Workload& work, const TrainingParts& parts, const learning::DataSplit& inputs) {
  using Clock = std::chrono::steady_clock;
  const learning::ClientFunction& function = *parts.task.function;
  const std::unique_ptr<learning::Workspace> workspace = function.make_workspace();
  const std::unique_ptr<randomizers::Scratch> scratch = parts.randomizer->make_scratch();
  randomizers::AlignedVector<float> parameters(parts.task.initial.begin(), parts.task.initial.end());
  randomizers::AlignedVector<float> buffer(inputs.train.shape.size()), vector(function.dimension());
  randomizers::MessageSum sum = parts.sum != nullptr ? parts.sum->make_sum() : parts.randomizer->make_sum();
  const random::RunKey key = random::RunKey::from_seed(0);
  randomizers::Message message;
  function.prepare(parameters, *workspace);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  double gradient = kNever, rest = kNever;          // seconds of one gradient, and of the rest of one message
  for (std::uint64_t time = 0; time < 4; ++time) {  // the first call fills the caches
    const Clock::time_point began = Clock::now();
    function.evaluate(parameters, inputs.train.example(0, buffer), *workspace, vector);
    const Clock::time_point computed = Clock::now();
    std::ranges::fill(vector, 0.0f);  // the gradient may not be finite, and would then be refused
    if (parts.sum != nullptr) {
      parts.sum->add(vector, sum);
    } else {
      parts.randomizer->randomize(vector, key, 1, time, *scratch, message);
      parts.randomizer->accumulate(message, *scratch, sum);
    }
    gradient = std::min(gradient, seconds(computed - began));
    rest = std::min(rest, seconds(Clock::now() - computed));
  }
  return work.coins * kCoin + work.draws * kDraw + work.gradients * gradient + work.messages * rest;
}

}  // namespace muster::simulation

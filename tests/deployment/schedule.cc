#include "tests/deployment/schedule.h"

#include <fmt/format.h>

#include <array>
#include <random>

namespace muster::deployment {
namespace {

using Kind = Operation::Kind;

constexpr std::array<const char*, 11> kKinds{"pass",    "lose_request", "lose_response", "twice",
                                             "replay",  "malformed",    "kill",          "restart",
                                             "back_up", "restore",      "jump"};
constexpr std::array<const char*, 4> kRoles{"shuffler", "issuer", "aggregator", "device"};

// How often an operation is drawn, relative to the others.
constexpr std::array<double, 11> kWeights{14, 3, 3, 3, 2, 2, 6, 2, 3, 2, 1};

}  // namespace

Schedule draw_schedule(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::discrete_distribution<int> kind(kWeights.begin(), kWeights.end());
  Schedule schedule(10 + random() % 40);
  for (Operation& operation : schedule) {
    operation.kind = static_cast<Kind>(kind(random));
    operation.role = static_cast<Role>(random() % kRoles.size());
    operation.number = random();
  }
  return schedule;
}

std::string text_of(const Schedule& schedule) {
  std::string text;
  for (const Operation& o : schedule) {
    text += fmt::format("  {} {} {}\n", kKinds[static_cast<std::size_t>(o.kind)],
                        kRoles[static_cast<std::size_t>(o.role)], o.number);
  }
  return text;
}

Schedule shrink(Schedule schedule, const std::function<bool(const Schedule&)>& fails) {
  for (std::size_t length = schedule.size(); length > 0; length /= 2) {
    for (std::size_t first = 0; first + length <= schedule.size();) {
      Schedule shorter = schedule;
      const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(first);
      shorter.erase(from, from + static_cast<std::ptrdiff_t>(length));
      if (fails(shorter)) {
        schedule = std::move(shorter);
      } else {
        first += length;
      }
    }
  }
  return schedule;
}

}  // namespace muster::deployment

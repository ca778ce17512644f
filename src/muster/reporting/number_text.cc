#include "muster/reporting/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace muster::reporting {

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::clamp(seconds, 0.0, 1e15)));
  if (whole < 60) {
    return fmt::format("{} s", whole);
  }
  if (whole < 3600) {
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  if (whole < 72 * 3600) {
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  }
  return fmt::format("{} days", whole / 86400);
}

std::string epsilon_text(double epsilon) {
  return std::isfinite(epsilon) ? fmt::format("{:.4f}", std::ceil(epsilon * 1e4) / 1e4) : "none";
}

}  // namespace muster::reporting

#include "muster/core/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace muster {
namespace {

std::string printed(double value) { return fmt::format("{:.6g}", value); }
double read_back(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

// One unit of the sixth significant digit of a number that is not zero.
double last_digit(double value) { return std::pow(10.0, std::floor(std::log10(std::fabs(value))) - 5); }

bool moves(double value) { return value != 0 && std::isfinite(value); }

}  // namespace

std::string number_text(double value) { return fmt::format("{:.15g}", value); }

std::string rounded_up(double value) {
  std::string text = printed(value);
  if (moves(value) && read_back(text) < value) {
    text = printed(read_back(text) + last_digit(value));
  }
  return text;
}

std::string rounded_down(double value) {
  std::string text = printed(value);
  if (moves(value) && read_back(text) > value) {
    text = printed(read_back(text) - last_digit(value));
  }
  return text;
}

std::string epsilon_text(double epsilon) {
  if (!std::isfinite(epsilon)) return "none";
  const double up = std::ceil(epsilon * 1e4);
  const std::string text = fmt::format("{:.4f}", up / 1e4);
  // The product is rounded, so an epsilon just above a multiple of 1e-4 may have been rounded down to that
  // multiple.
  return read_back(text) < epsilon ? fmt::format("{:.4f}", (up + 1) / 1e4) : text;
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

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

}  // namespace muster

// Maximum, minimum and clamping that pass a NaN on. std::max(0.0, NaN) is 0, so a failed computation would
// look like a true zero.
//
// `larger`, `smaller` and `within` return NaN when any argument is NaN, so a failed computation stays visible
// until `as_upper_bound` or `as_lower_bound` replaces it by the largest or the smallest value that the
// quantity can have. In the folders of src/muster that compute epsilons, `larger`, `smaller` and `within`
// replace std::max, std::min and std::clamp, also for integers; tests/architecture checks this. Pure
// functions; call from any thread.
#pragma once

#include <concepts>
#include <type_traits>

namespace muster::numerics {

template <typename T>
concept Number = std::is_arithmetic_v<T>;

template <Number T>
constexpr T larger(T a, T b) {
  return a > b ? a : b >= a ? b : a + b;  // a + b is NaN if a or b is NaN
}
template <Number T>
constexpr T smaller(T a, T b) {
  return a < b ? a : b <= a ? b : a + b;
}
template <Number T, std::same_as<T>... More>
requires(sizeof...(More) > 0) constexpr T larger(T a, T b, More... more) {
  return larger(larger(a, b), more...);
}
template <Number T, std::same_as<T>... More>
requires(sizeof...(More) > 0) constexpr T smaller(T a, T b, More... more) {
  return smaller(smaller(a, b), more...);
}

// x clamped to [low, high], where low <= high.
template <Number T>
constexpr T within(T x, T low, T high) {
  return smaller(larger(x, low), high);
}

// x as an upper bound of a quantity in [0, most]. A NaN or negative x comes from a failed computation; the
// result is then `most`.
constexpr double as_upper_bound(double x, double most = 1) { return x >= 0 && x < most ? x : most; }
// x as a lower bound of a quantity in [0, most]: at most `most`, and 0 where x is NaN or negative.
constexpr double as_lower_bound(double x, double most = 1) { return x > 0 ? (x < most ? x : most) : 0; }

}  // namespace muster::numerics

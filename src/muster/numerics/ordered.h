// Comparisons that a NaN cannot pass: std::max(0, NaN) is 0, and a lost number would read as "nothing left".
//
// `larger`, `smaller` and `within` return NaN when any argument is one, so that a failed computation stays
// visible until `as_upper_bound` or `as_lower_bound` turns it into what is true of every quantity: the
// largest or the smallest value it can have. They stand in for std::max, std::min and std::clamp in the rooms
// numerics and accounting (tests/architecture looks), of integers too: one way to compare. Pure functions.
#pragma once

#include <concepts>
#include <type_traits>

namespace muster::numerics {

template <typename T>
concept Number = std::is_arithmetic_v<T>;

template <Number T>
constexpr T larger(T a, T b) {
  return a > b ? a : b >= a ? b : a + b;  // a + b is NaN when either is
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

// x moved into [low, high], low <= high.
template <Number T>
constexpr T within(T x, T low, T high) {
  return smaller(larger(x, low), high);
}

// An upper bound of a quantity in [0, most]: one that is NaN or negative says nothing, so `most`.
constexpr double as_upper_bound(double x, double most = 1) { return x >= 0 && x < most ? x : most; }
// A lower bound of it: 0 where nothing is known.
constexpr double as_lower_bound(double x, double most = 1) { return x > 0 ? (x < most ? x : most) : 0; }

}  // namespace muster::numerics

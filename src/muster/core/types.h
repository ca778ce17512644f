// Strong types for the quantities that must never be confused: an epsilon is not a delta, a rate not a
// probability of failure. Each is immutable and valid by construction: the factory `of` throws Error(plan)
// naming the type and the value it refused.
#pragma once

#include <cstdint>

namespace muster {

// Privacy loss bound, nats: 0 <= value <= infinity.
class Epsilon {
 public:
  static Epsilon of(double value);
  double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

// Failure probability of an (epsilon, delta) guarantee: 0 < value < 1.
class Delta {
 public:
  static Delta of(double value);
  double value() const { return value_; }

 private:
  explicit Delta(double value) : value_(value) {}
  double value_;
};

// Probability that a client's message reaches the shuffler in a round: 0 < value <= 1.
class Rate {
 public:
  static Rate of(double value);
  // The effective rate of a coin of rate p followed by an independent dropout p': p (1 - p').
  static Rate effective(double rate, double dropout);
  double value() const { return value_; }
  bool operator==(const Rate&) const = default;

 private:
  explicit Rate(double value) : value_(value) {}
  double value_;
};

// Honest clients the accountant may count on: 1 .. 10^12.
class ClientCount {
 public:
  static ClientCount of(std::uint64_t value);
  std::uint64_t value() const { return value_; }
  bool operator==(const ClientCount&) const = default;

 private:
  explicit ClientCount(std::uint64_t value) : value_(value) {}
  std::uint64_t value_;
};

}  // namespace muster

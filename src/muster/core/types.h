// Defines quantities that are checked when they are made: an epsilon, a delta, a rate, a number of clients.
//
// Each type is immutable and always valid: its factory `of` throws Error(plan), naming the type and the
// value, for a value out of range.
#pragma once

#include <cstdint>

namespace muster {

// The epsilon of an (epsilon, delta) guarantee, in nats: 0 <= value <= infinity.
class Epsilon {
 public:
  static Epsilon of(double value);
  double value() const { return value_; }

 private:
  explicit Epsilon(double value) : value_(value) {}
  double value_;
};

// The delta of an (epsilon, delta) guarantee: 0 < value < 1.
class Delta {
 public:
  static Delta of(double value);
  double value() const { return value_; }

 private:
  explicit Delta(double value) : value_(value) {}
  double value_;
};

// The probability that a client takes part in a round, or in a run of random check-ins: 0 < value <= 1.
class Rate {
 public:
  static Rate of(double value);
  // rate * (1 - dropout): the rate that is left if a client who takes part drops out with probability
  // `dropout`, independently.
  static Rate effective(double rate, double dropout);
  double value() const { return value_; }
  bool operator==(const Rate&) const = default;

 private:
  explicit Rate(double value) : value_(value) {}
  double value_;
};

// The number of honest clients that the accountant may count on: 1 .. 10^12.
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

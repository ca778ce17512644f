#include "muster/core/types.h"

#include <fmt/format.h>

#include "muster/core/error.h"

namespace muster {

Epsilon Epsilon::of(double value) {
  if (!(value >= 0)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "epsilon", fmt::format("{}", value), ">= 0",
                "is not an epsilon");
  }
  return Epsilon(value);
}

Delta Delta::of(double value) {
  if (!(value > 0 && value < 1)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "delta", fmt::format("{}", value), "in (0, 1)",
                "is not a delta");
  }
  return Delta(value);
}

Rate Rate::of(double value) {
  if (!(value > 0 && value <= 1)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rate", fmt::format("{}", value), "in (0, 1]",
                "is not a check-in rate");
  }
  return Rate(value);
}

Rate Rate::effective(double rate, double dropout) {
  if (!(dropout >= 0 && dropout < 1)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "dropout", fmt::format("{}", dropout), "in [0, 1)",
                "is not a dropout probability");
  }
  return of(Rate::of(rate).value() * (1 - dropout));
}

ClientCount ClientCount::of(std::uint64_t value) {
  if (value < 1 || value > 1'000'000'000'000) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "clients", fmt::format("{}", value), "1 .. 1e12",
                "is not a number of clients");
  }
  return ClientCount(value);
}

}  // namespace muster

#include "muster/service/aggregator/population_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "muster/core/error.h"
#include "muster/service/ledger/same_cost.h"

namespace muster::service {
namespace {

using Amount = PopulationBudget::Amount;

constexpr std::size_t kRow = 32 + 8 + 8;

bool is_amount(const Amount& amount) {
  const auto positive = [](double value) { return std::isnormal(value) && value > 0; };
  return positive(amount.epsilon) && positive(amount.delta) && amount.delta < 1;
}

wire::Buffer row_of(const PopulationBudget::Reservation& reservation) {
  return wire::FieldWriter(kRow)
      .bytes(reservation.task)
      .integer(std::bit_cast<std::uint64_t>(reservation.amount.epsilon))
      .integer(std::bit_cast<std::uint64_t>(reservation.amount.delta))
      .take();
}

// The row must have kRow bytes.
PopulationBudget::Reservation read_row(wire::Bytes row) {
  wire::FieldReader in(row);
  PopulationBudget::Reservation reservation;
  reservation.task = in.array<32>();
  reservation.amount.epsilon = std::bit_cast<double>(in.integer<std::uint64_t>());
  reservation.amount.delta = std::bit_cast<double>(in.integer<std::uint64_t>());
  return reservation;
}

std::string text_of(const Amount& amount) { return fmt::format("[{}, {}]", amount.epsilon, amount.delta); }

}  // namespace

double sum_rounded_up(double a, double b) {
  const double sum = a + b;
  // Knuth's two-sum: the exact sum is sum + error.
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);
  return error > 0 ? std::nextafter(sum, std::numeric_limits<double>::infinity()) : sum;
}

PopulationBudget::PopulationBudget(Store& store, std::string origin, Amount limit)
    : store_(store), origin_(std::move(origin)), limit_(limit) {
  if (!is_amount(limit_)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "population_budget", text_of(limit_),
                "[epsilon > 0, 0 < delta < 1]", "is out of range");
  }
  for (const wire::Buffer& row : store_.rows()) {
    const auto refuse = [&](const char* why) {
      throw Error(ErrorCode::file, origin_, "", "", fmt::format(", row {}: {}", reservations_.size(), why));
    };
    if (row.size() != kRow) refuse("has another length than a reservation");
    const Reservation read = read_row(row);
    if (!is_amount(read.amount)) refuse("reserves no valid amount");
    if (std::ranges::count(reservations_, read.task, &Reservation::task) > 0) refuse("is of a task again");
    reservations_.push_back(read);
  }
}

Amount PopulationBudget::reserved() const {
  Amount sum;
  for (const Reservation& each : reservations_) {
    sum.epsilon = sum_rounded_up(sum.epsilon, each.amount.epsilon);
    sum.delta = sum_rounded_up(sum.delta, each.amount.delta);
  }
  return sum;
}

Amount PopulationBudget::reserve(const wire::Hash& task, Amount amount) {
  if (!is_amount(amount)) {
    throw Error(ErrorCode::internal, "reservation", text_of(amount), "", "is no valid amount");
  }
  const auto found = std::ranges::find(reservations_, task, &Reservation::task);
  if (found != reservations_.end()) {
    const Amount& standing = found->amount;
    if (same_cost(standing.epsilon, amount.epsilon) && standing.delta == amount.delta) return standing;
    throw Error(ErrorCode::file, origin_, text_of(found->amount), text_of(amount),
                "holds another reservation of this task");
  }
  const Amount before = reserved();
  const Amount sum{sum_rounded_up(before.epsilon, amount.epsilon),
                   sum_rounded_up(before.delta, amount.delta)};
  if (!(sum.epsilon <= limit_.epsilon && sum.delta <= limit_.delta)) {
    throw Error(ErrorCode::budget, "population_budget", text_of(limit_),
                fmt::format("at least {}", text_of(sum)),
                fmt::format("does not pay for this task, which costs {}, beside those that have reserved {}",
                            text_of(amount), text_of(before)));
  }
  const Reservation reservation{task, amount};
  store_.commit({.append = {row_of(reservation)}, .put = {}, .remove = {}});
  reservations_.push_back(reservation);
  return amount;
}

}  // namespace muster::service

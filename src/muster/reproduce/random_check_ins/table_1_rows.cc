#include "muster/reproduce/random_check_ins/table_1_rows.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "muster/papers/optimal_composition.h"
#include "muster/papers/published/published_random_check_in.h"
#include "muster/reproduce/paper_texts.h"

namespace muster::reproduce {
namespace {

namespace published = accounting::random_check_in;
using accounting::Guarantee;

double composed(const Guarantee& round, double rounds) {
  return accounting::advanced_composition_epsilon_upper(round, static_cast<std::uint64_t>(rounds),
                                                        kTableDelta)
      .value_or(std::numeric_limits<double>::infinity());
}

double subsampling(double epsilon0, double n) {
  return composed(accounting::subsampled({epsilon0, 0}, number_of("002-table-1-batch") / n), n);
}

double shuffling_2019(double epsilon0, double n) {
  return published::erlingsson_2019_upper(epsilon0, n, kTableDelta);
}

double shuffling(double epsilon0, double n) {
  return published::shuffling(epsilon0, n).epsilon_as_published(kTableDelta);
}

double fixed_window_runs(double epsilon0, double n) {
  const double slots = table_slots(n), runs = std::round(n / slots), own = kTableDelta / (2 * runs);
  return composed({one_fixed_window(epsilon0, slots, slots / n, own), own}, runs);
}

TableRow row(const std::string& name, const std::string& statement, double (*epsilon)(double, double)) {
  return {name, number_of(statement, 0), number_of(statement, 1), epsilon};
}

}  // namespace

std::vector<TableRow> amplifying_rows() {
  return {row("uniform subsampling", "002-table-1-subsampling", subsampling),
          row("shuffling [19]", "002-table-1-shuffling-2019", shuffling_2019),
          row("shuffling, Theorem 5.1", "002-table-1-shuffling", shuffling),
          row("fixed window, Corollary 3.3", "002-table-1-fixed-window", fixed_window_runs)};
}

double table_slots(double n) { return std::round(std::sqrt(n)); }

double one_fixed_window(double epsilon0, double slots, double p0, double delta) {
  return published::fixed_window(epsilon0, slots, p0).epsilon_as_published(delta);
}

double one_averaged(double epsilon0, double n, double slots, double delta) {
  return published::averaged_updates(epsilon0, n, slots, delta / 2).epsilon_as_published(delta / 2);
}

}  // namespace muster::reproduce

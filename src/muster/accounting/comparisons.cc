#include "muster/accounting/comparisons.h"

#include <utility>

#include "muster/accounting/bounds/published.h"

namespace muster::accounting {
namespace {

void append(std::vector<Bound>& all, std::vector<Bound> more) {
  for (Bound& bound : more) {
    all.push_back(std::move(bound));
  }
}

}  // namespace

std::vector<Bound> comparisons(const Mechanism& mechanism, const Participation& participation,
                               std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all;
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (const auto* check_in = std::get_if<ShuffledCheckIn>(&participation); check_in && epsilon0) {
    all.push_back(check_in_rdp_bound(*check_in, *epsilon0, rounds, question, Conversion::exact));
    append(all, published_bounds(*check_in, *epsilon0, rounds, question));
  }
  return all;
}

}  // namespace muster::accounting

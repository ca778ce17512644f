#include "muster/theorems/cover.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "muster/theorems/entry.h"
#include "muster/theorems/subset/subset.h"
#include "muster/theorems/swap/cover.h"

namespace muster::accounting {

void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list) {
  if (p.subset() == p.clients().value()) {
    return cover(mechanism, Shuffle{p.clients()}, list);
  }
  const double n = count_of(p.clients()), k = static_cast<double>(p.subset());
  const std::vector<std::string> who = {
      "the subset is uniform, independent of the data, and secret from the server",
      fmt::format("{} honest clients, exactly {} of them reporting", p.clients().value(), p.subset())};
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  add_swap_bounds(
      mechanism, {n, k, 1}, who, sum,
      {.id = "subset-swap",
       .validity = Validity::proven,
       .citation = "swap theorem for a fixed-size secret subset, profile-only form; docs/theory/subset.md",
       .assumptions = {},
       .delta = curve_of(subset_curve(*sum, n, k))},
      list);
}

}  // namespace muster::accounting

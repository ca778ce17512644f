#include "muster/accounting/theorems/cover.h"

#include <fmt/format.h>

#include <memory>

#include "muster/accounting/theorems/entry.h"
#include "muster/accounting/theorems/exact/cover.h"
#include "muster/accounting/theorems/subset/subset.h"
#include "muster/accounting/theorems/swap/cover.h"

namespace muster::accounting {

void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list) {
  if (p.subset == p.clients.value()) {
    return cover(mechanism, Shuffle{p.clients}, list);
  }
  const double n = count_of(p.clients), k = static_cast<double>(p.subset);
  if (in_class_c(mechanism) && summable(mechanism)) {
    list.uppers.push_back(
        class_c(mechanism,
                {"the subset is uniform, independent of the data, and secret from the server",
                 fmt::format("{} honest clients, exactly {} of them reporting", p.clients.value(), p.subset)},
                ClassCCurve::subset(pure_epsilon0(mechanism).value(), n, k)));
  }
  const auto sum = std::make_shared<const ReportingSum>(mechanism);
  const bool two_types = add_two_types_of_subset(mechanism, sum, n, k, list.uppers);
  list.uppers.push_back(
      {.id = "subset-swap",
       .citation = "swap theorem for a fixed-size secret subset, profile-only form; docs/theory/subset.md",
       .assumptions = with_mechanism(
           mechanism,
           {"the subset is uniform, independent of the data, and secret from the server",
            fmt::format("{} honest clients, exactly {} of them reporting", p.clients.value(), p.subset)}),
       .delta = curve_of(SubsetCurve(*sum, n, k)),
       .is_dominated = two_types || (in_class_c(mechanism) && summable(mechanism))});
  list.lowers.push_back(homogeneous(mechanism, {n, k, 1}));
  add_third_symbol(mechanism, {n, k, 1}, list);
}

}  // namespace muster::accounting

// Makes several plan sources from one by setting keys, for the combinations of a sweep or a comparison.
//
// A flag must apply to at least one of the plans. It is left out of the plans to which it does not apply, and
// Plan::left_out() says so. So `--subset 100` can go with several protocols of which only one takes it. The
// function is pure.
//
// Example:
//     PlanSource base = PlanSource::from_file("plans/quickstart.toml");
//     base.override_key("participation.subset", "100");
//     for (const PlanSource& source : variants_of(base, {{{"participation.protocol", "shuffle"}},
//                                                        {{"participation.protocol", "subset"}}})) ...
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "muster/plan/source.h"

namespace muster::protocols {

using Settings = std::vector<std::pair<std::string, std::string>>;  // keys and their values

// Returns one source for each of `settings`. Errors name `given_by` as the origin of a value that is set here
// or, if `given_by` is empty, the key's own flag. Throws what PlanSource::override_key throws.
std::vector<PlanSource> variants_of(const PlanSource& base, const std::vector<Settings>& settings,
                                    const std::string& given_by = "");

}  // namespace muster::protocols

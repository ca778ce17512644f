#include "muster/plan/data_layout.h"

#include <fmt/format.h>

#include <utility>

namespace muster::protocols {

std::optional<Misfit> misfit_of_layout(const PlanValues& values) {
  if (!values.owner.empty()) {
    if (!values.data.starts_with("csv:") && !values.data.empty()) {
      return Misfit{"population.records", "an integer, or a column of population.data = csv:FILE",
                    fmt::format("names a column, which {} does not have", values.data)};
    }
    if (values.owner == values.label || values.owner == values.split) {
      return Misfit{"population.records", "another column",
                    fmt::format("is population.{}, too", values.owner == values.label ? "label" : "split")};
    }
    if (values.partition || values.share) {
      return Misfit{values.partition ? "population.partition" : "population.share", "without it",
                    fmt::format("does not go with population.records = {}, which says whose each record is",
                                values.owner)};
    }
  }
  const bool alone = values.data.empty() && !values.test_data.empty();
  for (const auto& [key, value] :
       {std::pair("population.label", &values.label), std::pair("population.split", &values.split),
        std::pair("population.test_data", &values.test_data)}) {
    if (!value->empty() && !alone && !values.data.starts_with("csv:")) {
      return Misfit{key, "with population.data = csv:FILE", fmt::format("does not apply to {}", values.data)};
    }
  }
  if (!values.split.empty() && !values.test_data.empty()) {
    return Misfit{"population.split", "population.split | population.test_data",
                  "names a test set besides population.test_data"};
  }
  if (!values.split.empty() && values.split == values.label) {
    return Misfit{"population.split", "another column", "is population.label, too"};
  }
  return std::nullopt;
}

}  // namespace muster::protocols

#include "muster/reproduce/significance.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "muster/core/error.h"

namespace muster::reproduce {

PairedDifference paired_difference(std::span<const double> first, std::span<const double> second,
                                   double false_alarm) {
  if (first.empty() || first.size() != second.size() || !(false_alarm > 0) || !(false_alarm < 0.5)) {
    throw Error(ErrorCode::internal, "paired difference",
                fmt::format("{} and {} runs, false alarms {}", first.size(), second.size(), false_alarm),
                "as many runs in both groups", "has no pairs to compare");
  }
  const auto n = static_cast<double>(first.size());
  PairedDifference difference{.pairs = first.size()};
  for (std::size_t i = 0; i < first.size(); ++i) difference.mean += (second[i] - first[i]) / n;
  if (first.size() == 1) {
    difference.threshold = std::numeric_limits<double>::infinity();
    return difference;
  }
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double from_mean = second[i] - first[i] - difference.mean;
    squares += from_mean * from_mean;
  }
  const boost::math::students_t student(n - 1);
  difference.threshold =
      boost::math::quantile(boost::math::complement(student, false_alarm)) * std::sqrt(squares / (n - 1) / n);
  return difference;
}

}  // namespace muster::reproduce

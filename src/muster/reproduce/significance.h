// Says whether two groups of runs differ by more than chance, by Student's test of pairs.
//
// Run i of both groups has the same seed, so a pair shares its data, its initial model and its check-in
// coins, and only what is compared differs. If the differences of the pairs are independent and normal
// with mean 0, their mean exceeds the threshold with probability `false_alarm`. Source: Student (W. S.
// Gosset), "The probable error of a mean", Biometrika 6, 1908; the quantile is Boost.Math's. Pure functions.
#pragma once

#include <cstddef>
#include <span>

namespace muster::reproduce {

// The probability with which a comparison of accuracies reports a difference that is not there.
inline constexpr double kFalseAlarm = 0.05;

struct PairedDifference {
  std::size_t pairs = 0;
  double mean = 0;       // of the second value minus the first, over the pairs
  double threshold = 0;  // infinity for one pair, whose difference shows nothing about chance
  // Says whether the second group is significantly above the first one. The test is one-sided: this is true
  // with probability `false_alarm` if there is no difference.
  bool rises() const { return mean > threshold; }
};

// Compares the runs of two groups in the order of their seeds. Throws Error(internal) unless both have the
// same number of runs, at least one, and 0 < false_alarm < 1/2.
PairedDifference paired_difference(std::span<const double> first, std::span<const double> second,
                                   double false_alarm = kFalseAlarm);

}  // namespace muster::reproduce

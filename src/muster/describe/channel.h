// A randomizer given by its channel: the probability of every output for every record.
//
// Row x of the matrix is the law of the message of record x. From it follow the privacy profile, as an upper
// bound (tabulated_profile.h), and pairs of laws and tests between two records, which bound the loss from
// below.
//
// Probabilities that were rounded when they were written do not sum to 1 exactly. Let s be the largest
// distance of a row's sum from 1, and at least 2^-50, which covers the rounding of decimals. Every
// probability counts as known up to the share s of itself: the profile charges the worst of the channels
// whose entries lie between 1/(1+s) and 1/(1-s) times the stated ones. If F is the profile of the stated
// numbers, it is
//     f(alpha) = F(alpha (1-s) / (1+s)) / (1-s).
// The channel whose rows are the stated ones divided by their sums is one of these, and lower bounds are
// computed for it. A stated probability of 0 counts as exactly 0. An output that one record sends and another
// never sends has infinite loss, and its probability is mass at infinity.
//
// F is computed at the likelihood ratios of outputs, if these are few, and otherwise on a grid that is dense
// where losses are moderate. Chords in between lie above F, and are halved where they lie far above it.
// Channels are immutable, and threads may share them.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/describe/tabulated_profile.h"

namespace muster::accounting {

class Channel {
 public:
  static constexpr std::size_t kMaxInputs = 256, kMaxOutputs = 4096, kMaxEntries = 65'536;
  // The sum of a row may differ from 1 by at most this.
  static constexpr double kMaxSumError = 1e-6;

  // `rows` has one row for each record, all of one length. Throws Error(plan), with the row's place, for
  // fewer than two rows or two outputs, for sizes above the limits, for rows of different lengths, for an
  // entry that is no number in [0, 1], for a row whose sum is not 1 within kMaxSumError, and if all rows are
  // equal.
  explicit Channel(std::vector<std::vector<double>> rows, const RowPlace& place = row_number);

  std::size_t inputs() const { return rows_.size(); }
  std::size_t outputs() const { return rows_.front().size(); }
  // The number s above.
  double entry_error() const { return entry_error_; }
  const std::vector<std::vector<double>>& rows() const { return rows_; }

  // An upper bound of the profile of this channel, for all records.
  TabulatedProfile profile() const;

  // A test of one message between two records: an event, which is a set of outputs. Its probabilities are
  // those of the channel whose rows are the stated ones divided by their sums.
  struct Test {
    double victim;       // a lower bound of its probability for the one record
    double alternative;  // an upper bound of its probability for the other record
  };
  // Some tests whose two probabilities differ much; they suit various numbers of clients and epsilons. The
  // list is empty if all differences are below what rounding can explain.
  const std::vector<Test>& tests() const { return tests_; }

  // The two laws of one message for two records that are easy to tell apart in a crowd, as probabilities of a
  // few sets of outputs; empty if each of any two records has an output that is impossible for the other. The
  // laws are those of the channel whose rows are the stated ones divided by their sums. Outputs of similar
  // likelihood ratio are one set, so that the two laws are those of a function of the message.
  struct Cell {
    long double victim, alternative;  // the alternative's is positive
  };
  const std::vector<Cell>& pair() const { return pair_; }

  bool operator==(const Channel& other) const { return rows_ == other.rows_; }

 private:
  std::vector<std::vector<double>> rows_;
  double entry_error_;
  std::vector<Test> tests_;
  std::vector<Cell> pair_;
};

}  // namespace muster::accounting

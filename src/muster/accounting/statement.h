// Describes a two-sided privacy statement, with the conditions under which it holds.
//
// A Bound is one theorem applied to one protocol. A Statement has every applicable bound, the best proven
// one first, together with the largest valid lower bound and the local guarantee. Both are plain values
// that own all they refer to; there is nothing to call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/describe/neighbouring.h"
#include "muster/describe/question.h"
#include "muster/describe/validity.h"
#include "muster/describe/view.h"

namespace muster::accounting {

struct Bound {
  std::string id;  // kebab-case, stable: "swap-profile", "homogeneous-pair", ...
  // The upper value of the quantity asked for, epsilon or delta; nullopt if there is no value or it is
  // infinite. If there is no upper value, `assumptions` says why.
  std::optional<double> upper;
  std::optional<double> lower;
  Validity validity = Validity::as_published;  // the weakest, unless a bound says that it is stronger
  Neighbouring neighbouring = Neighbouring::replace_one;
  View view = View::shuffler_honest;
  double numerical_error = 0;  // absolute, of the quantity asked for; upper and lower allow for it
  std::vector<std::string> assumptions;
  std::string citation;
  // Wall time spent on this bound, including the tables that it was the first to need.
  double seconds = 0;
};

struct Statement {
  Question question;
  std::uint64_t rounds = 0;
  // The smallest proven upper bound. Its `lower` is the largest valid lower bound.
  Bound best;
  std::optional<double> local_upper;  // an upper value that holds even if the shuffler colludes
  std::uint64_t local_rounds = 0;     // the number of rounds for which local_upper is given
  std::vector<Bound> all;             // proven bounds first, by increasing upper value
};

}  // namespace muster::accounting

// Protocols and randomizers side by side: each is calibrated to one epsilon at one delta, for one population and
// one number of rounds, and shown with what it takes and what it gives.
//
// Two references that readers know stand below them: `local`, in which no shuffler takes the names off, and
// `central`, a trusted server that samples clients and adds Gaussian noise once. The functions are pure. Each row
// builds several accountants, which takes up to seconds.
//
// Example:
//     Candidates candidates = candidates_of(source, {}, Command::compare, Solves::noise);
//     Comparison all = compare(candidates, {.target = {.epsilon = 1, .delta = 1e-5}}, {});
//     all.rows.front().bound->upper;   // at most 1
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/comparison/candidates.h"
#include "muster/comparison/message_size.h"
#include "muster/describe/view.h"
#include "muster/plan/calibration/parameter_cost.h"
#include "muster/plan/plan.h"

namespace muster::comparison {

// The names of the references, which stand where the protocols' names do.
inline constexpr const char* kLocal = "local";
inline constexpr const char* kCentral = "central";

struct Row {
  std::string protocol;  // as plans write it, or the name of the reference
  std::string randomizer;
  // The plan with the answer filled in; none for `central`, which no plan describes, and where there is no answer.
  std::optional<protocols::Plan> plan;
  std::string knob;  // "sigma" or "epsilon0"
  double value = 0;  // of the knob
  // The probability that a client takes part in a round (in slot protocols, in a run), dropout not counted; none
  // where nothing is drawn by coins.
  std::optional<double> rate;
  // The best proven bound on epsilon, with its lower value, view and neighbours; none if nothing meets the
  // target, and `why_not` then says why.
  std::optional<accounting::Bound> bound;
  std::string why_not;
  std::string trusted;             // whom the guarantee trusts: "the shuffler"
  std::optional<double> variance;  // of a round's mean, in squared clips (plan/calibration/round_variance.h)
  std::optional<std::uint64_t> bits;  // of one message
  double messages = 0;                // expected in all rounds, a server's dummies included
};

struct Comparison {
  protocols::Target target;
  Solves solves = Solves::noise;
  std::uint64_t clients = 0;
  std::uint64_t rounds = 0;
  std::vector<Row> rows;        // in the order of the candidates
  std::vector<Row> references;  // `local` by randomizer, then `central` for replace-one and add-remove
  std::vector<LeftOut> left_out;
};

// Whom a guarantee in this view trusts, in words: "the shuffler", "nobody".
std::string trusted_in(accounting::View view);

struct Wish {
  protocols::Target target;  // its view is ignored: each protocol is compared in its own
  Solves solves = Solves::noise;
  std::optional<Records> records;  // for the bits of a message; none if they are not known
};

// Called before each row is computed, with the number of rows done and of all.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

// Throws Error(plan) for a target that is not positive and finite.
Comparison compare(const Candidates& candidates, const Wish& wish, const Progress& progress);

}  // namespace muster::comparison

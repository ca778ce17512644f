// Compares protocols and randomizers: each is calibrated to the same epsilon and delta, for the same
// population and number of rounds, and gets a row with its noise, its accuracy and its messages.
//
// Two well-known references follow: `local`, without a shuffler that removes names, and `central`, a trusted
// server that samples clients and adds Gaussian noise once. The functions are pure. Each row builds several
// accountants, which may take seconds.
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
#include "muster/simulation/sweep.h"

namespace muster::comparison {

// The names of the references, in Row::protocol.
inline constexpr const char* kLocal = "local";
inline constexpr const char* kCentral = "central";

struct Row {
  std::string protocol;  // the protocol's name as in plans, or the name of the reference
  std::string randomizer;
  // The plan with the answer filled in; nullopt for `central`, which no plan describes, and for rows without
  // an answer.
  std::optional<protocols::Plan> plan;
  std::string knob;  // the name of the noise parameter: "sigma" or "epsilon0"
  double value = 0;  // the value of the noise parameter
  // The check-in rate: the probability that a client takes part in a round (in slot protocols, in a run),
  // before dropout. For `central`, the probability that the server samples a client in a round. nullopt for
  // protocols without coins.
  std::optional<double> rate;
  // The best proven bound on epsilon, with its lower value, view and neighbouring relation. nullopt if no
  // noise meets the target; `why_not` then gives the reason.
  std::optional<accounting::Bound> bound;
  std::string why_not;
  std::string trusted;                // who must be trusted for the guarantee, for example "the shuffler"
  std::optional<double> variance;     // variance of a round's mean, in squared clip norms (round_variance.h)
  std::optional<std::uint64_t> bits;  // bits of one message
  double messages = 0;                // expected number of messages in all rounds, including dummies
  // One run per seed, if the row is trained (experiments/comparison_runs.h); compare() leaves it empty.
  std::vector<simulation::SweptRun> runs;
};

// How the rows of a comparison were trained.
struct Training {
  std::string folder;  // "" if no row has a plan to train
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  bool interrupted = false;
};

struct Comparison {
  protocols::Target target;
  Solves solves = Solves::noise;
  std::uint64_t clients = 0;
  std::uint64_t rounds = 0;
  std::vector<Row> rows;        // rows in the order of the candidates
  std::vector<Row> references;  // `local` for each randomizer, then `central` for replace-one and add-remove
  std::vector<LeftOut> left_out;
  std::optional<Training> training;  // nullopt unless the rows were to be trained, too
};

// Returns in words who must be trusted for a guarantee in this view, for example "the shuffler" or "nobody".
std::string trusted_in(accounting::View view);

struct Request {
  protocols::Target target;  // its view is ignored: each protocol is compared in its own view
  Solves solves = Solves::noise;
  std::optional<Records> records;  // the records, which determine the bits of a message; nullopt if unknown
};

// Called before each row is computed, with the number of finished rows and the total number of rows.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

// Throws what calibrate() throws, except that a plan that cannot meet the target, or that no theorem covers,
// becomes a row without a bound. Throws Error(plan) for an epsilon that is not positive and finite.
Comparison compare(const Candidates& candidates, const Request& request, const Progress& progress);

}  // namespace muster::comparison

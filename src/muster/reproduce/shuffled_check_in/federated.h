// The settings of "Federated DP-SGD" in "Shuffled check-in" (shuffled_check_in.h), which Figures 3b and 4
// share: Gaussian noise on every client's clipped gradient, so that a message is (epsilon0, n^-1.5)-LDP.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "muster/accounting/statement.h"
#include "muster/papers/optimal_composition.h"
#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

struct Federated {
  double epsilon0, clients, rate, clip;

  // Returns the guarantee of one message, (epsilon0, n^-1.5).
  accounting::Guarantee message() const;
  // Returns the least noise multiplier of six digits, the noise's deviation over the clip, for that
  // guarantee. `clips` says how many clips apart two gradients can be: 2 if one replaces the other, 1 if one
  // is absent.
  double noise_multiplier(double clips) const;

  // Return epsilon of `rounds` rounds at delta: by the paper's two approaches, by its baseline, and by the
  // baseline with composition in place of the false lemma.
  accounting::Bound approach_1(std::uint64_t rounds, double delta) const;
  accounting::Bound approach_2(std::uint64_t rounds, double delta) const;
  accounting::Bound baseline(std::uint64_t rounds, double delta) const;
  accounting::Bound corrected_baseline(std::uint64_t rounds, double delta) const;
};

// Returns the experiment whose epsilon0, clients, rate and clip are the numbers of this statement.
Federated federated_of(const std::string& statement);

// Adds the parameters of the experiment to the figure's settings.
void add_settings(PaperFigure& figure, const Federated& experiment, double delta);

// Writes an upper value that may be missing: "10.13", or "none".
std::string upper_text(const accounting::Bound& bound);

}  // namespace muster::reproduce

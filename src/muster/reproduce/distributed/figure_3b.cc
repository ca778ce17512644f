// Reproduces Figure 3b of the later version: the experiment of Figure 4 of the first one, about which it
// makes three of the same claims.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "muster/core/error.h"
#include "muster/reproduce/distributed/distributed.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/shuffled_check_in/shuffled_check_in.h"

namespace muster::reproduce {
namespace {

// The ids of the claims in this version, and of the same claims in the first one.
constexpr std::array<std::pair<const char*, std::string_view>, 3> kSameClaims = {{
    {"003-figure-3b-90-percent", "000-figure-4-90-percent"},
    {"003-figure-3b-larger-epsilon0", "000-figure-4-larger-epsilon0"},
    {"003-figure-3b-average-check-ins", "000-figure-4-average-check-ins"},
}};

}  // namespace

std::vector<Training> distributed_figure_3b_trainings() { return shuffled_check_in_trainings_4(); }

PaperFigure distributed_figure_3b_of(const PaperFigure& first_version) {
  PaperFigure figure = first_version;
  figure.settings.push_back(
      {"rounds", grouped(number_of("000-figure-4-accuracy", 1)) + ", as in the first version", true});
  figure.findings.clear();
  for (const auto& [here, there] : kSameClaims) {
    const auto found = std::ranges::find(first_version.findings, there, &Finding::claim);
    if (found == first_version.findings.end()) {
      throw Error(ErrorCode::internal, std::string(there), "", "", "has no verdict");
    }
    figure.findings.push_back({here, found->verdict, found->found});
  }
  return figure;
}

PaperFigure distributed_figure_3b(Trainer& trainer) {
  return distributed_figure_3b_of(shuffled_check_in_figure_4(trainer));
}

}  // namespace muster::reproduce

// Makes trainings by hand, for tests of what figures say about them. Pure functions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/trainer.h"

namespace muster::reproduce::testing {

// Returns a Trainer that has trained nothing: `data` as in TrainerSettings.
inline Trainer trainer(const std::string& data = "idx:mnist", double scale = 1) {
  TrainerSettings settings;
  settings.data = data;
  settings.scale = scale;
  return {settings, nullptr, nullptr};
}

// Returns a training with these accuracies after these rounds. Seed s, counted from 0, is s * `apart` above
// the first one, and the proven epsilon is a hundredth of the rounds.
inline Trained made(const Training& training, const std::vector<std::uint64_t>& rounds,
                    const std::vector<double>& accuracies, double apart = 0) {
  Trained trained{training, trainer().full_plan(training), {}};
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    TrainedRound round{rounds[i], rounds[i], 0.01 * static_cast<double>(rounds[i]), {}};
    for (std::uint64_t seed = 0; seed < training.seeds; ++seed) {
      round.accuracies.push_back(accuracies[i] + apart * static_cast<double>(seed));
    }
    trained.rounds.push_back(round);
  }
  return trained;
}

// Expects one finding for each claim of the figure's text, with words, curves in the order of their kinds,
// and points by increasing x. Points of the accountant's own curves must name their bound.
inline void expect_whole(const PaperFigure& figure, const std::string& id) {
  const FigureText& text = figure_text(id);
  EXPECT_EQ(figure.findings.size(), text.claims.size()) << id;
  for (const Claim& claim : text.claims) {
    EXPECT_EQ(std::ranges::count(figure.findings, claim.id, &Finding::claim), 1) << claim.id;
  }
  for (const Finding& finding : figure.findings) EXPECT_FALSE(finding.found.empty()) << finding.claim;
  EXPECT_FALSE(figure.curves.empty()) << id;
  EXPECT_TRUE(std::ranges::is_sorted(figure.curves, {}, &Curve::kind)) << id;
  for (const Curve& curve : figure.curves) {
    EXPECT_TRUE(std::ranges::is_sorted(curve.points, {}, &Point::x)) << id << ": " << curve.name;
    if (curve.kind != Kind::proven && curve.kind != Kind::lower) continue;
    for (const Point& point : curve.points) EXPECT_NE(point.bound, "") << id << ": " << curve.name;
  }
}

inline const Finding& finding_of(const PaperFigure& figure, const std::string& claim) {
  return *std::ranges::find(figure.findings, claim, &Finding::claim);
}

}  // namespace muster::reproduce::testing

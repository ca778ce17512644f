#include "muster/accounting/theorems/everyone/gaussian_shuffle.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "muster/accounting/theorems/everyone/star_pool.h"
#include "muster/accounting/theorems/exact/shuffle_gaussian_pair.h"
#include "muster/core/number_text.h"

namespace muster::accounting {

std::optional<RoundBound> gaussian_shuffle_bound(std::uint64_t clients, double mu, double radius) {
  std::optional<StarPool> star = StarPool::over(clients, mu, 1, radius);
  if (!star) {
    return std::nullopt;
  }
  RoundBound bound;
  bound.id = "star-pool";
  bound.citation =
      "a star of likely senders with a pool of clones, Gaussian in any dimension; "
      "docs/theory/star-with-a-pool.md";
  bound.assumptions = {
      fmt::format("{} honest clients, each reports once in the round", clients),
      fmt::format("records at most {} noise deviations apart, in any dimension", number_text(mu))};
  bound.delta = [curve = std::make_shared<const StarPool>(std::move(*star))](double epsilon) {
    return curve->delta(epsilon);
  };
  return bound;
}

RoundPair gaussian_shuffle_pair(std::uint64_t clients, double mu) {
  const auto curve = std::make_shared<const ShuffleGaussianPair>(clients, mu);
  RoundPair pair;
  pair.id = "shuffle-gaussian-pair";
  pair.citation =
      "exact curve of the dataset whose other records all equal the victim's alternative; "
      "docs/theory/shuffle-gaussian.md";
  pair.assumptions = {"a lower bound: upper is none"};
  pair.forward = [curve](double epsilon) { return curve->forward(epsilon); };
  pair.reverse = [curve](double epsilon) { return curve->reverse(epsilon); };
  return pair;
}

}  // namespace muster::accounting

#include "muster/papers/comparisons.h"

#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "muster/accounting/timed.h"
#include "muster/papers/conversions/local_rdp.h"
#include "muster/papers/published/published.h"
#include "muster/papers/published/published_clones.h"
#include "muster/papers/renyi/shuffle_gaussian_rdp.h"

namespace muster::accounting {
namespace {

void append(std::vector<Bound>& all, std::vector<Bound> more) {
  for (Bound& bound : more) {
    all.push_back(std::move(bound));
  }
}

// Describes who reports. The result is nullopt where the Renyi theorems do not apply: for random and for
// aggregated check-ins, and for check-ins at unequal rates.
std::optional<RenyiCrowd> renyi_crowd(const Participation& participation) {
  const double n = static_cast<double>(clients_of(participation).value());
  if (std::holds_alternative<Shuffle>(participation)) return RenyiCrowd::all(n);
  if (const auto* p = std::get_if<FixedSubset>(&participation)) {
    return RenyiCrowd::fixed_subset(n, static_cast<double>(p->subset()));
  }
  const auto* p = std::get_if<ShuffledCheckIn>(&participation);
  if (p == nullptr || min_message_rate(*p).value() < p->rate().value()) return std::nullopt;
  return RenyiCrowd::check_in(n, p->rate().value());
}

void append_renyi(const Mechanism& mechanism, const RenyiCrowd& crowd, std::uint64_t rounds,
                  const Question& question, std::vector<Bound>& all) {
  RenyiCurve message;
  double largest_loss = std::numeric_limits<double>::infinity();
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const double mu = gaussian->mu();
    all.push_back(
        timed([&] { return shuffle_gaussian_rdp_bound(crowd, mu, rounds, question, Conversion::exact); }));
    message = [mu](std::uint64_t order) { return gaussian_rdp_upper(mu, static_cast<double>(order)); };
  } else if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism)) {
    largest_loss = *epsilon0;
    message = [e = *epsilon0](std::uint64_t order) { return pure_rdp_upper(e, static_cast<double>(order)); };
  }
  const bool everybody = crowd.subset == crowd.clients || (crowd.subset == 0 && crowd.rate == 1);
  if (message && !everybody) {
    all.push_back(timed([&] {
      return subset_local_rdp_bound(crowd, message, largest_loss, rounds, question, Conversion::exact);
    }));
  }
}

}  // namespace

std::vector<Bound> comparisons(const Mechanism& mechanism, const Participation& participation,
                               std::uint64_t rounds, const Question& question) {
  std::vector<Bound> all;
  const std::optional<double> epsilon0 = pure_epsilon0(mechanism);
  if (const auto* check_in = std::get_if<ShuffledCheckIn>(&participation); check_in && epsilon0) {
    all.push_back(
        timed([&] { return check_in_rdp_bound(*check_in, *epsilon0, rounds, question, Conversion::exact); }));
  }
  append(all, published_bounds(mechanism, participation, rounds, question));
  if (const auto* shuffle = std::get_if<Shuffle>(&participation)) {
    const double n = static_cast<double>(shuffle->clients().value());
    if (epsilon0) append(all, clone_bounds_pure(n, *epsilon0, rounds, question));
    if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
      append(all, clone_bounds_gaussian(n, gaussian->mu(), rounds, question));
    }
  }
  if (const std::optional<RenyiCrowd> crowd = renyi_crowd(participation)) {
    append_renyi(mechanism, *crowd, rounds, question, all);
  }
  return all;
}

std::vector<Bound> comparisons(const Mechanism& mechanism, const std::vector<Stage>& stages,
                               const Question& question) {
  if (stages.size() != 1) return {};
  return comparisons(mechanism, stages.front().participation, stages.front().rounds, question);
}

}  // namespace muster::accounting

#include "muster/describe/mechanism.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// Covers the few rounding errors of a closed formula.
constexpr double kOutward = 1 + numerics::kEightyRoundings;
// Covers the rounding errors of an exponential of any size.
constexpr double kPowerOutward = 1 + numerics::kEightThousandRoundings;

void require_positive(const char* key, double value) {
  if (!(value > 0 && std::isfinite(value))) {
    throw Error(ErrorCode::plan, Reason::out_of_range, key, fmt::format("{}", value), "a finite number > 0",
                "is not a privacy parameter");
  }
}

const char* name_of(CoordinateLocal::Norm norm) {
  switch (norm) {
    case CoordinateLocal::Norm::l1:
      return "l1";
    case CoordinateLocal::Norm::l2:
      return "l2";
    case CoordinateLocal::Norm::linf:
      break;
  }
  return "linf";
}

void add_assumptions(const ProfileLocal& given, std::vector<std::string>& assumptions) {
  if (const Channel* channel = given.channel()) {
    assumptions.push_back(fmt::format(
        "each message of each client is one of {} outputs, drawn independently by the row of its record, or "
        "by a randomizer with the same profile",
        channel->outputs()));
  } else {
    assumptions.emplace_back(
        "the table's values are upper bounds of every client's profile, over all ordered pairs of records");
  }
  if (const double infinite = given.profile().mass_at_infinity(); infinite > 0) {
    assumptions.push_back(fmt::format("from a loss of {} on, losses count as infinite, with probability {}",
                                      rounded_down(given.profile().last_log_alpha()), number_text(infinite)));
  }
}

std::string description(const ProfileLocal& given) {
  const std::string losses =
      given.epsilon0() ? fmt::format("epsilon0 = {}", rounded_up(*given.epsilon0()))
                       : fmt::format("mass at infinity {}", number_text(given.profile().mass_at_infinity()));
  if (const Channel* channel = given.channel()) {
    return fmt::format("channel of {} inputs and {} outputs, {}", channel->inputs(), channel->outputs(),
                       losses);
  }
  return fmt::format("profile of {} points, {}", given.profile().size(), losses);
}

}  // namespace

WithEpsilon0::WithEpsilon0(double epsilon0) : epsilon0_(epsilon0) {
  if (!(epsilon0 >= kMinEpsilon0 && std::isfinite(epsilon0))) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.epsilon0", fmt::format("{}", epsilon0),
                fmt::format("a finite number >= {}", kMinEpsilon0), "is not a privacy parameter");
  }
}

KRandomizedResponse::KRandomizedResponse(double epsilon0, std::uint64_t k) : WithEpsilon0(epsilon0), k_(k) {
  if (k < 2) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.k", fmt::format("{}", k), "integer >= 2",
                "is not a number of answers");
  }
}

GaussianLocal::GaussianLocal(double sigma, double diameter) : sigma_(sigma), diameter_(diameter) {
  require_positive("randomizer.sigma", sigma);
  require_positive("randomizer.diameter", diameter);
}

ProfileLocal::ProfileLocal(TabulatedProfile table)
    : profile_(std::make_shared<const TabulatedProfile>(std::move(table))) {}

ProfileLocal::ProfileLocal(Channel channel)
    : channel_(std::make_shared<const Channel>(std::move(channel))),
      profile_(std::make_shared<const TabulatedProfile>(channel_->profile())) {}

bool ProfileLocal::operator==(const ProfileLocal& other) const {
  if (profile_ == other.profile_) return true;
  const bool same_channel = channel_ != nullptr && other.channel_ != nullptr ? *channel_ == *other.channel_
                                                                             : channel_ == other.channel_;
  return same_channel && *profile_ == *other.profile_;
}

std::optional<double> pure_epsilon0(const Mechanism& mechanism) {
  return std::visit(
      [](const auto& m) -> std::optional<double> {
        if constexpr (requires { m.epsilon0(); }) {
          return m.epsilon0();
        } else {
          return std::nullopt;
        }
      },
      mechanism);
}

bool in_class_c(const Mechanism& mechanism) {
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  return std::holds_alternative<LdpSgdLocal>(mechanism) ||
         std::holds_alternative<CoordinateLocal>(mechanism) || (response != nullptr && response->k() == 2);
}

Profile local_profile(const Mechanism& mechanism, double tail) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    return Profile::gaussian(gaussian->mu(), tail);
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) return given->profile().profile();
  if (const auto* laplace = std::get_if<LaplaceLocal>(&mechanism)) {
    return Profile::laplace(laplace->epsilon0());
  }
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism)) {
    return Profile::k_randomized_response(response->epsilon0(), static_cast<double>(response->k()));
  }
  return Profile::pure(*pure_epsilon0(mechanism));
}

double local_divergence_upper(const Mechanism& mechanism, double log_alpha) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    return gaussian_divergence(gaussian->mu(), log_alpha).upper;
  }
  if (log_alpha < 0) {
    return numerics::as_upper_bound(
        (-std::expm1(log_alpha) + std::exp(log_alpha) * local_divergence_upper(mechanism, -log_alpha)) *
        kOutward);
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism))
    return given->profile().divergence(log_alpha);
  const double epsilon0 = *pure_epsilon0(mechanism);
  if (log_alpha >= epsilon0) return 0;
  const double below = log_alpha - epsilon0;
  if (std::holds_alternative<LaplaceLocal>(mechanism)) {
    return numerics::as_upper_bound(-std::expm1(below / 2) * kOutward);
  }
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  const double others = response != nullptr ? static_cast<double>(response->k()) - 1 : 1;
  return numerics::as_upper_bound(-std::expm1(below) / (1 + others * std::exp(-epsilon0)) * kOutward);
}

double local_alternative_tail_upper(const Mechanism& mechanism, double log_alpha) {
  constexpr double kMinNormal = std::numeric_limits<double>::min();
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    const auto tail = static_cast<double>(gaussian_alternative_tail(gaussian->mu(), log_alpha));
    return numerics::as_upper_bound(tail * kOutward + kMinNormal);
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) {
    return given->profile().alternative_tail(log_alpha);
  }
  const double epsilon0 = *pure_epsilon0(mechanism);
  if (log_alpha >= epsilon0) return 0;
  const auto* response = std::get_if<KRandomizedResponse>(&mechanism);
  const double others = response != nullptr ? static_cast<double>(response->k()) - 1 : 1;
  const double tail = std::holds_alternative<LaplaceLocal>(mechanism)
                          ? 0.5 * std::exp(-(log_alpha + epsilon0) / 2) * kPowerOutward
                          : std::exp(-epsilon0) / (1 + others * std::exp(-epsilon0));
  return numerics::as_upper_bound(tail * kOutward + kMinNormal);
}

void add_assumptions(const Mechanism& mechanism, std::vector<std::string>& assumptions) {
  if (std::holds_alternative<GaussianLocal>(mechanism)) {
    assumptions.emplace_back(
        "noise has the normal law, and what is sent depends on the record through the noisy vector alone; "
        "muster's own "
        "messages are true normals, correctly rounded");
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) add_assumptions(*given, assumptions);
}

std::string describe(const Mechanism& mechanism) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    return fmt::format("gaussian, sigma = {}", gaussian->sigma());
  }
  if (const auto* given = std::get_if<ProfileLocal>(&mechanism)) return description(*given);
  const std::string epsilon0 = fmt::format("{}", *pure_epsilon0(mechanism));
  if (std::holds_alternative<PureLocal>(mechanism)) {
    return fmt::format("any {}-LDP randomizer", epsilon0);
  }
  if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism)) {
    return fmt::format("{}-ary randomized response, epsilon0 = {}", response->k(), epsilon0);
  }
  if (const auto* coordinate = std::get_if<CoordinateLocal>(&mechanism)) {
    return fmt::format("{} coordinate sampler, epsilon0 = {}", name_of(coordinate->norm()), epsilon0);
  }
  return fmt::format("{}, epsilon0 = {}",
                     std::holds_alternative<LaplaceLocal>(mechanism) ? "laplace" : "ldp-sgd", epsilon0);
}

}  // namespace muster::accounting

#include "muster/accounting/bounds/swap_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "muster/accounting/bounds/reporting_law.h"
#include "muster/core/error.h"
#include "muster/numerics/call_of_sum.h"

namespace muster::accounting {
namespace {

double n_of(const ShuffledCheckIn& protocol) { return static_cast<double>(protocol.clients.value()); }

// g^n f(E): everybody reports.
double all_report(double rate, double n, double local) { return std::exp(n * std::log(rate)) * local; }

void refuse_certain_participation(double rate) {
  if (rate >= 1) {
    throw Error(ErrorCode::uncovered, "participation.rate", "1",
                "a rate below 1, or the privacy-blanket theorem",
                "the swap theorem needs clients that may abstain");
  }
}

}  // namespace

numerics::Enclosure swap_delta(const Profile& profile, const ShuffledCheckIn& protocol, double epsilon) {
  const double rate = protocol.rate.value();
  refuse_certain_participation(rate);
  const double n = n_of(protocol);
  const numerics::AtomicLaw law = reporting_law(profile, rate, epsilon);
  const numerics::Enclosure call = numerics::call_of_sum(law, n, n * std::expm1(epsilon));
  const double extra = rate * profile.mass_at_infinity() + all_report(rate, n, profile.at(std::exp(epsilon)));
  const double weights = weight_error(n * rate);
  return {std::max(0.0, call.lower / n / weights),
          std::min(1.0, (call.upper / n * weights + extra) * (1 + 1e-15))};
}

SwapCurve::SwapCurve(const Mechanism& mechanism, const ShuffledCheckIn& protocol, double deepest)
    : protocol_(protocol) {
  refuse_certain_participation(protocol.rate.value());
  if (const std::optional<double> epsilon0 = pure_epsilon0(mechanism)) {
    profiles_.push_back(Profile::pure(*epsilon0));
    return;
  }
  const double mu = std::get<GaussianLocal>(mechanism).mu();
  for (double tail : {1e-44, 1e-26, 1e-21, 1e-17, 1e-13, 1e-10, 1e-8}) {
    if (tail >= deepest) {
      profiles_.push_back(Profile::gaussian(mu, tail));
    }
  }
}

numerics::Enclosure SwapCurve::delta(double epsilon) const {
  if (profiles_.size() == 1) {
    return swap_delta(profiles_.front(), protocol_, epsilon);
  }
  // Every cut is a valid bound: go on to coarser ones while the Chernoff estimate plus mass at infinity
  // falls.
  const double n = n_of(protocol_);
  const Profile* best = &profiles_.front();
  double best_total = std::numeric_limits<double>::infinity();
  for (const Profile& profile : profiles_) {
    const numerics::AtomicLaw law = reporting_law(profile, protocol_.rate.value(), epsilon);
    const double total = numerics::call_of_sum_chernoff(law, n, n * std::expm1(epsilon)) / n +
                         100 * protocol_.rate.value() * profile.mass_at_infinity();
    if (total >= 0.999 * best_total) {
      break;
    }
    best_total = total;
    best = &profile;
  }
  return swap_delta(*best, protocol_, epsilon);
}

}  // namespace muster::accounting

#include "muster/theorems/swap/cover.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "muster/core/number_text.h"
#include "muster/theorems/entry.h"
#include "muster/theorems/exact/cover.h"
#include "muster/theorems/swap/class_c.h"
#include "muster/theorems/swap/gaussian_two_types.h"

namespace muster::accounting {
namespace {

bool is_subset(const RoundShape& shape) { return shape.count < shape.clients; }

RoundBound class_c(const Mechanism& mechanism, const RoundShape& shape, std::vector<std::string> who) {
  const auto [n, count, rate] = shape;
  const double epsilon0 = pure_epsilon0(mechanism).value();
  who.emplace_back(kOneRoundAtATime);
  return {.id = "class-c",
          .validity = Validity::proven,
          .citation =
              "the worst types of the others for a sampler between 2q and 2p times one law; "
              "docs/theory/class-c.md",
          .assumptions = with_mechanism(mechanism, std::move(who)),
          .delta = curve_of(is_subset(shape) ? ClassCCurve::subset(epsilon0, n, count)
                                             : ClassCCurve::check_in(epsilon0, n, rate))};
}

bool two_types_gain(double ball, const RoundShape& shape) {
  const double absent =
      is_subset(shape) ? std::numeric_limits<double>::infinity() : shape.clients * (1 - shape.rate);
  return two_types_cover(ball, shape.count * shape.rate, absent);
}

// To compose rounds, the curve is tabulated at nodes. The table of this bound may take this share of a full
// table's work (RoundBound::share), because the correction in its laws takes about as much work again. The
// limit matters for few clients, where each node takes many milliseconds: for 50 clients, rate 0.3 and 12
// rounds of noise sigma = 3, a full table took a second more and lowered epsilon by 5e-4.
constexpr double kShareOfTwoTypes = 0.6;

RoundBound gaussian_two_types(const GaussianLocal& mechanism, const RoundShape& shape,
                              std::vector<std::string> who, const std::shared_ptr<const ReportingSum>& sum) {
  const auto [n, count, rate] = shape;
  const double ball = ball_diameter(mechanism);
  who.emplace_back(kOneRoundAtATime);
  who.push_back(
      fmt::format("records in a ball of diameter {} noise deviations, in any dimension", number_text(ball)));
  return {.id = "gaussian-two-types",
          .validity = Validity::proven,
          .citation =
              "the worst of two types of other clients and a certified correction, Gaussian in any "
              "dimension; docs/theory/gaussian-two-types.md",
          .assumptions = with_mechanism(mechanism, std::move(who)),
          .delta = curve_of(is_subset(shape) ? GaussianTwoTypesCurve::subset(sum, ball, n, count)
                                             : GaussianTwoTypesCurve::check_in(sum, ball, n, rate)),
          .share = kShareOfTwoTypes};
}

// Adds the bound by the worst types of the other clients, if the mechanism has one. Returns whether the
// profile-only bound is certainly not smaller than it. This holds for class C, because the profile-only law
// is above both types in convex order. It holds for the Gaussian if the ball's diameter is at most the
// largest distance of two records, because the curve of the two types then tries the profile-only law itself
// wherever this law may give less.
bool add_worst_types(const Mechanism& mechanism, const RoundShape& shape, const std::vector<std::string>& who,
                     const std::shared_ptr<const ReportingSum>& sum, Applicable& list) {
  if (summable_in_class_c(mechanism)) {
    list.uppers.push_back(class_c(mechanism, shape, who));
    return true;
  }
  const auto* gaussian = std::get_if<GaussianLocal>(&mechanism);
  if (gaussian == nullptr || !two_types_gain(ball_diameter(*gaussian), shape)) return false;
  list.uppers.push_back(gaussian_two_types(*gaussian, shape, who, sum));
  return ball_diameter(*gaussian) <= gaussian->mu();
}

}  // namespace

void add_swap_bounds(const Mechanism& mechanism, const RoundShape& shape, const std::vector<std::string>& who,
                     const std::shared_ptr<const ReportingSum>& sum, RoundBound profile_only,
                     Applicable& list) {
  profile_only.is_dominated = add_worst_types(mechanism, shape, who, sum, list);
  profile_only.assumptions = with_mechanism(mechanism, who);
  list.uppers.push_back(std::move(profile_only));
  add_homogeneous_pair(mechanism, shape, list);
  add_third_symbol(mechanism, shape, list);
}

}  // namespace muster::accounting

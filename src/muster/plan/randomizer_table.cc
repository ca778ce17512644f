#include "muster/plan/randomizer_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/profile_file.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/k_rr.h"
#include "muster/randomizers/k_rr_sum.h"
#include "muster/randomizers/l1.h"
#include "muster/randomizers/l2.h"
#include "muster/randomizers/laplace.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/randomizers/linf.h"
#include "muster/randomizers/variance.h"

namespace muster::protocols {
namespace {

using accounting::CoordinateLocal;
using accounting::Mechanism;
using SamplerPtr = std::unique_ptr<randomizers::VectorRandomizer>;
using SumSamplerPtr = std::unique_ptr<randomizers::SumSampler>;

// In one dimension, all randomizers that send one noisy sign have the same second moment.
double sign_second_moment(const PlanValues& values) {
  return randomizers::sphere_second_moment(randomizers::ideal_sign_scale(*values.epsilon0), 1, 1);
}

double k_rr_second_moment(const PlanValues& values) {
  const double k = static_cast<double>(*values.k);
  return randomizers::k_rr_second_moment(randomizers::ideal_kept(*values.epsilon0, k), k);
}

// Returns e^epsilon0, or e^100 if epsilon0 is above 100, so that the value stays finite. The estimates below
// need not be accurate for such an epsilon0.
double capped_exp(const PlanValues& values) { return std::exp(std::min(*values.epsilon0, 100.0)); }

// Returns the likelihood_variance of a randomizer of class C (docs/theory/class-c.md), which is
// 4 sinh^2(epsilon0 / 2).
double class_c_variance(const PlanValues& values) {
  const double e = capped_exp(values);
  return (e - 1) * (e - 1) / e;
}

// Returns the likelihood_variance of a randomizer that is treated as binary randomized response. It is
// k_rr_variance with k = 2.
double binary_variance(const PlanValues& values) {
  const double e = capped_exp(values);
  return 2 * (e - 1) * (e - 1) / (e + 1);
}

double k_rr_variance(const PlanValues& values) {
  const double e = capped_exp(values);
  return 2 * (e - 1) * (e - 1) / (e + static_cast<double>(*values.k) - 1);
}

double gaussian_variance(const PlanValues& values) {
  const double mu = 2 / *values.sigma;
  return std::expm1(std::min(mu * mu, 100.0));
}

const ProfileFile& profile_of(const PlanValues& values) {
  if (values.profile == nullptr) {
    throw Error(ErrorCode::internal, "randomizer.profile", "", "", "the file of the profile was not read");
  }
  return *values.profile;
}

// Returns the variance of the law X* at epsilon = 0 (docs/theory/profile-only.md). A kink of the profile at
// ln alpha = l > 0, whose Q-mass is m, gives X* the value e^l - 1 with probability m. Its mirror image, the
// kink at -l, gives X* the value 1 - e^l with the same probability. The mean of X* is 0.
double profile_variance(const accounting::ProfileLocal& mechanism) {
  const accounting::Profile profile = mechanism.profile().profile();
  double variance = 0;
  for (std::size_t i = 0; i < profile.log_alphas().size(); ++i) {
    if (const double l = profile.log_alphas()[i]; l > 0) {
      const double apart = std::expm1(std::min(l, 100.0));
      variance += 2 * apart * apart * profile.q_masses()[i];
    }
  }
  return variance;
}

template <CoordinateLocal::Norm norm>
Mechanism coordinate(const PlanValues& values) {
  return CoordinateLocal{norm, values.epsilon0.value()};
}

// Makes a sampler of vectors by calling make(epsilon0, clip, dimension).
template <auto make>
SamplerPtr of_epsilon0(const PlanValues& values, std::size_t dimension) {
  return make(values.epsilon0.value(), values.clip.value(), dimension);
}

constexpr std::array kRandomizers = {
    RandomizerSpec{
        .kind = RandomizerKind::ldp_sgd,
        .name = "ldp-sgd",
        .description = [](const PlanValues& v) -> Mechanism {
          return accounting::LdpSgdLocal{v.epsilon0.value()};
        },
        .sampler = of_epsilon0<randomizers::make_ldp_sgd>,
        .second_moment = sign_second_moment,
        .likelihood_variance = class_c_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::gaussian,
        .name = "gaussian",
        .takes_epsilon0 = false,
        .takes_sigma = true,
        .description = [](const PlanValues& v) -> Mechanism {
          return accounting::GaussianLocal{v.sigma.value()};
        },
        .sampler = [](const PlanValues& v, std::size_t dimension) -> SamplerPtr {
          return randomizers::make_gaussian(v.sigma.value(), v.clip.value(), dimension);
        },
        .sum_sampler = [](const PlanValues& v, std::size_t dimension) -> SumSamplerPtr {
          return randomizers::make_gaussian_sum(v.sigma.value(), v.clip.value(), dimension);
        },
        .second_moment = [](const PlanValues& v) { return 1 + *v.sigma * *v.sigma; },
        .likelihood_variance = gaussian_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::l1,
        .name = "l1",
        .description = coordinate<CoordinateLocal::Norm::l1>,
        .sampler = of_epsilon0<randomizers::make_l1>,
        .second_moment = sign_second_moment,
        .likelihood_variance = class_c_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::l2,
        .name = "l2",
        .description = coordinate<CoordinateLocal::Norm::l2>,
        .sampler = of_epsilon0<randomizers::make_l2>,
        .second_moment = sign_second_moment,
        .likelihood_variance = class_c_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::linf,
        .name = "linf",
        .clips_coordinates = true,
        .description = coordinate<CoordinateLocal::Norm::linf>,
        .sampler = of_epsilon0<randomizers::make_linf>,
        .second_moment = sign_second_moment,
        .likelihood_variance = class_c_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::k_rr,
        .name = "k-rr",
        .randomizes = Randomizes::one_answer,
        .takes_clip = false,
        .takes_k = true,
        .description = [](const PlanValues& v) -> Mechanism {
          return accounting::KRandomizedResponse{v.epsilon0.value(), v.k.value()};
        },
        .sampler = [](const PlanValues& v, std::size_t) -> SamplerPtr {
          return randomizers::make_k_rr(v.epsilon0.value(), v.k.value());
        },
        .sum_sampler = [](const PlanValues& v, std::size_t) -> SumSamplerPtr {
          return randomizers::make_k_rr_sum(v.epsilon0.value(), v.k.value());
        },
        .second_moment = k_rr_second_moment,
        .likelihood_variance = k_rr_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::laplace,
        .name = "laplace",
        .randomizes = Randomizes::one_number,
        .description = [](const PlanValues& v) -> Mechanism {
          return accounting::LaplaceLocal{v.epsilon0.value()};
        },
        .sampler = [](const PlanValues& v, std::size_t) -> SamplerPtr {
          return randomizers::make_laplace(v.epsilon0.value(), v.clip.value());
        },
        .second_moment =
            [](const PlanValues& v) { return 1 + randomizers::laplace_variance(*v.epsilon0, 1); },
        .likelihood_variance = binary_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::pure,
        .name = "pure",
        .untrainable = "describes a guarantee, not a randomizer that can run: it is accounted and "
                       "calibrated alone",
        .takes_clip = false,
        .description = [](const PlanValues& v) -> Mechanism {
          return accounting::PureLocal{v.epsilon0.value()};
        },
        .likelihood_variance = binary_variance,
    },
    RandomizerSpec{
        .kind = RandomizerKind::profile,
        .name = "profile",
        .untrainable = "describes a guarantee, not a randomizer that can run: it is accounted and "
                       "calibrated alone",
        .incomparable = "has no noise to solve for: it is accounted and calibrated alone",
        .takes_epsilon0 = false,
        .takes_clip = false,
        .takes_profile = true,
        .description = [](const PlanValues& v) -> Mechanism { return profile_of(v).mechanism; },
        .likelihood_variance = [](const PlanValues& v) { return profile_variance(profile_of(v).mechanism); },
    },
};

}  // namespace

std::span<const RandomizerSpec> randomizer_table() { return kRandomizers; }

const RandomizerSpec& spec_of(RandomizerKind kind) {
  const auto* const found = std::ranges::find(kRandomizers, kind, &RandomizerSpec::kind);
  if (found == kRandomizers.end()) {
    throw Error(ErrorCode::internal, "randomizer.kind", "", "", "a randomizer without a row in the table");
  }
  return *found;
}

const char* name_of(RandomizerKind kind) { return spec_of(kind).name; }

std::vector<std::string_view> randomizers_where(const std::function<bool(const RandomizerSpec&)>& fits) {
  std::vector<std::string_view> names;
  for (const RandomizerSpec& spec : kRandomizers) {
    if (fits(spec)) names.emplace_back(spec.name);
  }
  return names;
}

std::string vector_randomizers() {
  const auto of_vectors = [](const RandomizerSpec& spec) {
    return spec.randomizes == Randomizes::vectors && spec.sampler != nullptr;
  };
  return fmt::format("{}", fmt::join(randomizers_where(of_vectors), " | "));
}

}  // namespace muster::protocols

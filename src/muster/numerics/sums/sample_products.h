// Sums over frequencies of products of two laws' transforms, phi_0^(n-h) phi_1^h, for one h after another.
//
// worst_mixture.cc bounds the expected excess of a sum of n terms for every number h of terms of the second
// law. It computes the samples of both ends, h = 0 and h = n, with mixture_samples.h; the products between
// them are made here by multiplications, with a bound on their rounding. Each object belongs to one thread.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atom_kernels.h"
#include "muster/numerics/sums/mixture_samples.h"

namespace muster::numerics::mixture {

// If a sample is below this and would grow from step to step, Products leaves it out, because it is 0 or has
// lost digits.
inline constexpr double kUnderflow = 1e-290;

// Sums over frequencies of kernel * phi_0^(n-h) phi_1^h (mixture_samples.h) for one h after another. A
// positive `towards` starts from phi_0^n and raises h by `towards` each time; a negative one starts from
// phi_1^n and lowers h.
class Products {
 public:
  Products(const std::vector<double>& re, const std::vector<double>& im, const std::vector<double>& log_ratio,
           const std::vector<double>& turn, double towards)
      : re_(re), im_(im) {
    for (std::size_t i = 0; i < re.size(); ++i) {
      const double modulus = std::exp(smaller(300.0, towards * log_ratio[i]));
      step_re_.push_back(modulus * std::cos(towards * turn[i]));
      step_im_.push_back(modulus * std::sin(towards * turn[i]));
      if (towards * log_ratio[i] > 0 && std::abs(re[i]) + std::abs(im[i]) < kUnderflow) re_[i] = im_[i] = 0;
    }
    resize((re.size() + 7) / 8 * 8);
  }
  // A bound on the error that dropped products cause in later results of next(), rounding not included.
  static constexpr double kDropped = 1e-240;
  // A bound on the rounding error after `steps` multiplications, beyond what Samples::error covers, if
  // `size` is the sum of the moduli of the samples. A multiplication rounds by at most sqrt(5) units of
  // 2^-53 of the modulus. Its factor errs by at most 5 such units: two for the exponential, two for the sine
  // or cosine, and one for their product. (The errors of the logarithm and the angle, times the number of
  // terms, are in contour::RoundOff.) Samples::error has 4096 of these units for the multiplications, for
  // the sample itself and for the sum, which takes at most 5 + log2(count + 64) roundings (slack.h,
  // atom_kernels.cc). Of these units, 3800 are left for up to 524 multiplications.
  static double rounding(double steps, double size) {
    return larger(0.0, 7.25 * steps - 3800) * kUnitRoundoff * size;
  }
  // The sum for the next h.
  double next() {
    if (ready_ == 0) {
      if (++groups_ % kGroupsBetween == 0) {
        drop_what_vanished();
      }
      ahead_ = multiply_and_sum(re_.data(), im_.data(), step_re_.data(), step_im_.data(), re_.size());
      ready_ = ahead_.size();
    }
    return ahead_[ahead_.size() - ready_--];
  }

 private:
  static constexpr int kGroupsBetween = 4;
  static constexpr double kVanished = 1e-250;  // smaller products are dropped: subnormal arithmetic is slow

  void resize(std::size_t count) {
    for (auto* values : {&re_, &im_, &step_re_, &step_im_}) {
      values->resize(count, 0.0);
    }
  }
  // Drops products that have become negligible and keep falling.
  void drop_what_vanished() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < re_.size(); ++i) {
      const bool falls = step_re_[i] * step_re_[i] + step_im_[i] * step_im_[i] <= 1 - kEightyRoundings;
      if (!falls || std::abs(re_[i]) + std::abs(im_[i]) >= kVanished) {
        re_[kept] = re_[i];
        im_[kept] = im_[i];
        step_re_[kept] = step_re_[i];
        step_im_[kept] = step_im_[i];
        ++kept;
      }
    }
    resize(kept);
    resize((kept + 7) / 8 * 8);
  }

  std::vector<double> re_, im_, step_re_, step_im_;
  std::array<double, 4> ahead_{};
  std::size_t ready_ = 0;
  int groups_ = 0;
};

// The frequencies that Products leaves out, where the sample of the end it starts from underflows and the
// products grow towards the other end. Close to the other end they may matter, so this class computes their
// part of each sum from the samples of the other end. Up to halfway they do not matter, because a product is
// then at most the geometric mean of the two ends. This mean is below kDropped or far below the rounding of
// the other end's sample.
class LateSamples {
 public:
  // `from` is the end where the products start: 0 for phi_0^n, 1 for phi_1^n.
  LateSamples(const Samples& samples, int from, double terms) : terms_(terms) {
    const double sign = from == 0 ? 1 : -1;
    for (std::size_t i = 0; i < samples.turn.size(); ++i) {
      const double grows = sign * samples.log_ratio[i];
      if (grows > 0 && std::abs(samples.re[from][i]) + std::abs(samples.im[from][i]) < kUnderflow) {
        late_.push_back({samples.re[1 - from][i], samples.im[1 - from][i], grows, sign * samples.turn[i]});
      }
    }
  }

  // The sum of the products in which `steps` of the terms are of the other end's law.
  double at(double steps) const {
    const double left = terms_ - steps;
    double total = 0;
    for (const Late& each : late_) {
      if (left * each.grows > kVanishes) continue;
      const double angle = left * each.turn;
      total += std::exp(-left * each.grows) * (each.re * std::cos(angle) + each.im * std::sin(angle));
    }
    return total;
  }

 private:
  // Products below e^-60 = 9e-27 of the other end's sample are within the rounding of that sample.
  static constexpr double kVanishes = 60;
  struct Late {
    double re, im, grows, turn;
  };
  double terms_;
  std::vector<Late> late_;
};

}  // namespace muster::numerics::mixture

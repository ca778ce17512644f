#include "muster/randomizers/k_rr.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string>

#include "muster/core/error.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/clip.h"
#include "muster/randomizers/variance.h"

namespace muster::randomizers {
namespace {

class KRandomizedResponseSampler final : public StreamRandomizer {
 public:
  KRandomizedResponseSampler(double epsilon0, std::uint64_t k)
      : epsilon0_(epsilon0), k_(k), replacement_(replacement_of(epsilon0, k)) {}

  std::size_t dimension() const override { return k_; }
  accounting::Mechanism description() const override {
    return accounting::KRandomizedResponse{epsilon0_, k_};
  }
  std::uint64_t message_bits() const override { return static_cast<std::uint64_t>(std::bit_width(k_ - 1)); }
  double variance(double squared_norm) const override {
    return k_rr_second_moment(replacement_.kept, static_cast<double>(k_)) - squared_norm;
  }
  double step() const override { return 1; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch&,
                      Message& out) const override {
    check_dimension(gradient, k_);
    const std::size_t category = category_of(gradient);
    const bool replaced = random::bernoulli(bits, replacement_.probability) || category == k_;
    out = AnswerMessage{
        static_cast<std::uint32_t>(replaced ? random::uniform_below(bits, k_) : std::uint64_t{category})};
  }

  void accumulate(const Message& message, Scratch&, MessageSum& sum) const override {
    const auto* sent = std::get_if<AnswerMessage>(&message);
    if (sent == nullptr || sent->answer >= k_) {
      throw Error(ErrorCode::data, "message", "", "an answer below " + std::to_string(k_),
                  "is not of this randomizer");
    }
    check(sum);
    ++sum.sums()[sent->answer];
    sum.count_one();
  }

  void mean(const MessageSum& sum, std::span<float> out) const override {
    check(sum);
    if (out.size() != k_) {
      throw Error(ErrorCode::internal, "mean", "", "the randomizer's dimension", "sizes differ");
    }
    const auto n = static_cast<double>(sum.count());
    // `expected` is the expected number of replaced answers in each category.
    const double expected = n * (1 - replacement_.kept) / static_cast<double>(k_);
    const double scale = sum.count() == 0 ? 0.0 : 1 / (n * replacement_.kept);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>((static_cast<double>(sum.sums()[i]) - expected) * scale);
    }
  }

 private:
  void check(const MessageSum& sum) const { check_sum(sum, k_, 1); }

  double epsilon0_;
  std::uint64_t k_;
  Replacement replacement_;
};

}  // namespace

Replacement replacement_of(double epsilon0, std::uint64_t k) {
  if (!(epsilon0 >= 1e-9 && epsilon0 <= 700)) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.epsilon0", fmt::format("{}", epsilon0),
                "1e-9 .. 700", "is outside the range of the sampler");
  }
  if (k < 2 || k >= std::uint64_t{1} << 31) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "randomizer.k", std::to_string(k), "2 .. 2^31 - 1",
                "is outside the range of the sampler");
  }
  const double extra = std::expm1(epsilon0), answers = static_cast<double>(k);
  // The slack of 2^-50 is eight relative errors of 2^-53. Of these, `extra` has at most two, and it occurs in
  // the dividend and in the divisor. The sum, the division and the product with the slack add one each, so
  // there are at most seven.
  constexpr double kRounding = 0x1p-50;
  std::uint64_t numerator;
  if (extra < answers) {
    // 1 - w = extra / (extra + k), rounded down; it is at least 1e-9 / 2^31 > 2^-61.
    numerator = 0 - static_cast<std::uint64_t>(std::ldexp(extra / (extra + answers) * (1 - kRounding), 64));
  } else {
    numerator =
        static_cast<std::uint64_t>(std::ceil(std::ldexp(answers / (extra + answers) * (1 + kRounding), 64)));
  }
  return {random::Probability::of_numerator(numerator), std::ldexp(static_cast<double>(0 - numerator), -64)};
}

std::size_t category_of(std::span<const float> indicator) {
  check_finite(indicator);
  std::size_t category = indicator.size();
  for (std::size_t i = 0; i < indicator.size(); ++i) {
    if (indicator[i] == 0) continue;
    if (indicator[i] != 1 || category != indicator.size()) {
      throw Error(ErrorCode::data, "gradient[" + std::to_string(i) + "]", std::to_string(indicator[i]),
                  "1 at one category at most, else 0", "is not the indicator of a category, as k-rr needs");
    }
    category = i;
  }
  return category;
}

std::unique_ptr<VectorRandomizer> make_k_rr(double epsilon0, std::uint64_t k) {
  return std::make_unique<KRandomizedResponseSampler>(epsilon0, k);
}

}  // namespace muster::randomizers

#include "muster/randomizers/k_rr_sum.h"

#include <algorithm>
#include <array>

#include "muster/random/exact_discrete.h"
#include "muster/randomizers/checks.h"
#include "muster/randomizers/k_rr.h"

namespace muster::randomizers {
namespace {

class KRandomizedResponseSum final : public SumSampler {
 public:
  KRandomizedResponseSum(double epsilon0, std::uint64_t k)
      : k_(k), replaced_(replacement_of(epsilon0, k).probability) {}

  MessageSum make_sum() const override { return MessageSum(k_, 1); }

  void add(std::span<const float> vector, MessageSum& exact) const override { add_all({&vector, 1}, exact); }

  void add_all(std::span<const std::span<const float>> vectors, MessageSum& exact) const override {
    check(exact);
    while (!vectors.empty()) {
      const std::size_t count = std::min(vectors.size(), VectorRandomizer::kPass);
      std::array<std::size_t, VectorRandomizer::kPass> categories;
      for (std::size_t i = 0; i < count; ++i) {
        check_dimension(vectors[i], k_);
        categories[i] = category_of(vectors[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (categories[i] < k_) ++exact.sums()[categories[i]];
      }
      exact.count_more(count);
      vectors = vectors.subspan(count);
    }
  }

  MessageSum draw(const MessageSum& exact, const random::RunKey& key, std::uint64_t round) const override {
    check(exact);
    random::KeyedStream bits(key, {random::Purpose::sum_noise, round, 0});
    MessageSum sum = make_sum();
    sum.count_more(exact.count());
    // `uniform` counts the answers to draw uniformly: those of clients without a category, and the replaced
    // answers.
    std::uint64_t uniform = exact.count();
    for (std::size_t i = 0; i < k_; ++i) {
      const auto clients = static_cast<std::uint64_t>(exact.sums()[i]);
      const std::uint64_t kept = clients - random::binomial(bits, clients, replaced_);
      sum.sums()[i] += static_cast<std::int64_t>(kept);
      uniform -= kept;
    }
    for (; uniform > 0; --uniform) ++sum.sums()[random::uniform_below(bits, k_)];
    return sum;
  }

 private:
  void check(const MessageSum& exact) const { check_sum(exact, k_, 1); }

  std::uint64_t k_;
  random::Probability replaced_;
};

}  // namespace

std::unique_ptr<SumSampler> make_k_rr_sum(double epsilon0, std::uint64_t k) {
  return std::make_unique<KRandomizedResponseSum>(epsilon0, k);
}

}  // namespace muster::randomizers

// The tests that every SumSampler must pass, except the test of its law (sum_sampler_test.cc). Each check is
// a function that makes samplers and tests them. The last test shows that each check rejects samplers with
// the fault that it looks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/k_rr_sum.h"
#include "muster/randomizers/sum_sampler.h"
#include "tests/support/class_name.h"

namespace muster::randomizers {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;
using Vector = std::vector<float>;
using Views = std::vector<std::span<const float>>;
using Maker = std::function<std::unique_ptr<SumSampler>(std::size_t dimension)>;

constexpr double kSigma = 1.5, kClip = 0.5, kEpsilon0 = 1.2;
constexpr std::size_t kPass = VectorRandomizer::kPass;

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  Maker make;
  // Returns the vector of one client. The vectors of consecutive clients differ.
  std::function<Vector(std::size_t dimension, std::size_t client)> vector;
  std::function<Vector(const Vector&)> clipped;
  // The largest difference between a coordinate of the sum of one vector and that of the clipped vector.
  double error;
  std::vector<std::size_t> dimensions;
  std::vector<std::function<std::unique_ptr<SumSampler>()>> refused;  // what throws Error(plan)
};

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

// Returns a client's vector. Every seventh client has the zero vector. Each of the other vectors has one
// large or tiny entry, and a large last entry, which makes the norm exceed the clip norm and the sum of 131
// vectors exceed 32 bits.
Vector steep(std::size_t dimension, std::size_t client) {
  Vector x(dimension);
  if (client % 7 == 5) return x;
  for (std::size_t i = 0; i < dimension; ++i) x[i] = std::sin(static_cast<float>(3 * i + client));
  x[client % dimension] = client % 2 == 0 ? 1e3f : 1e-3f;
  x[dimension - 1] = 1e3f + static_cast<float>(client);
  return x;
}

Vector shortened(Vector x) {
  double squares = 0;
  for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
  const double factor = squares > kClip * kClip ? kClip / std::sqrt(squares) : 1;
  for (float& value : x) value = static_cast<float>(static_cast<double>(value) * factor);
  return x;
}

// Returns the indicator of a client's category. Every tenth client has no category.
Vector category(std::size_t dimension, std::size_t client) {
  Vector x(dimension);
  if (client % 10 != 9) x[client * client % dimension] = 1;
  return x;
}

std::vector<Contract> contracts() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {
      {.name = "gaussian",
       .type = "GaussianSum",
       .make = [](std::size_t d) { return make_gaussian_sum(kSigma, kClip, d); },
       .vector = steep,
       .clipped = shortened,
       // The factor that clips is smaller than that of `shortened` by a relative 2^-18 at most, a step is at
       // most kClip 2^-25, and a float has 24 bits.
       .error = kClip * 0x1p-17,
       .dimensions = {1, 2, 5, 1003},
       .refused = {[] { return make_gaussian_sum(0, 1, 3); }, [nan] { return make_gaussian_sum(nan, 1, 3); },
                   [] { return make_gaussian_sum(1, 0, 3); }, [] { return make_gaussian_sum(1, 1, 0); }}},
      {.name = "k_rr",
       .type = "KRandomizedResponseSum",
       .make = [](std::size_t d) { return make_k_rr_sum(kEpsilon0, d); },
       .vector = category,
       .clipped = [](const Vector& x) { return x; },
       .error = 0,
       .dimensions = {2, 5, 1003},
       .refused = {[] { return make_k_rr_sum(0, 3); }, [nan] { return make_k_rr_sum(nan, 3); },
                   [] { return make_k_rr_sum(1, 1); }}}};
}

std::vector<Vector> clients(const Contract& contract, std::size_t dimension, std::size_t count) {
  std::vector<Vector> vectors;
  for (std::size_t client = 0; client < count; ++client)
    vectors.push_back(contract.vector(dimension, client));
  return vectors;
}

Views views(const std::vector<Vector>& vectors) { return {vectors.begin(), vectors.end()}; }

// All that a sum consists of: its coordinates in steps, the step and the number of messages.
using Contents = std::tuple<std::vector<std::int64_t>, double, std::uint64_t>;

Contents contents(const MessageSum& sum) {
  return {std::vector<std::int64_t>(sum.sums().begin(), sum.sums().end()), sum.step(), sum.count()};
}

MessageSum sum_of(const SumSampler& sampler, const std::vector<Vector>& vectors) {
  MessageSum sum = sampler.make_sum();
  sampler.add_all(views(vectors), sum);
  return sum;
}

constexpr std::array<std::size_t, 6> kCounts = {0, 1, 7, 8, 9, 131};

// Adding several vectors in one call gives the same bits as adding them one by one, to an empty sum and to
// one that has vectors already.
AssertionResult adds_together_as_alone(const Contract& contract, const Maker& make) {
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    for (const std::size_t count : kCounts) {
      const std::vector<Vector> vectors = clients(contract, dimension, count);
      for (const std::size_t before : {0u, 3u}) {
        MessageSum alone = sum_of(*sampler, clients(contract, dimension, before)), together = alone;
        for (const Vector& vector : vectors) sampler->add(vector, alone);
        sampler->add_all(views(vectors), together);
        if (contents(alone) != contents(together) || together.count() != before + count) {
          return AssertionFailure() << count << " vectors of dimension " << dimension << " after " << before;
        }
      }
    }
  }
  return AssertionSuccess();
}

// The sum of one vector, or of many, is that of the clipped vectors.
AssertionResult adds_the_clipped_vectors(const Contract& contract, const Maker& make) {
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    for (const std::size_t count : kCounts) {
      const std::vector<Vector> vectors = clients(contract, dimension, count);
      std::vector<double> expected(dimension);
      for (const Vector& vector : vectors) {
        const Vector clipped = contract.clipped(vector);
        for (std::size_t i = 0; i < dimension; ++i) expected[i] += static_cast<double>(clipped[i]);
      }
      const MessageSum sum = sum_of(*sampler, vectors);
      for (std::size_t i = 0; i < dimension; ++i) {
        const double observed = static_cast<double>(sum.sums()[i]) * sum.step();
        // A NaN fails the comparison.
        if (std::abs(observed - expected[i]) <= contract.error * static_cast<double>(count)) continue;
        return AssertionFailure() << "coordinate " << i << " of " << count << " vectors: expected "
                                  << expected[i] << ", observed " << observed;
      }
    }
  }
  return AssertionSuccess();
}

// The clients are split into four parts, one of which is empty. In whatever order the sums of the parts are
// merged, the result is the sum of all clients, and a draw from it is the same.
AssertionResult merges_in_any_order(const Contract& contract, const Maker& make) {
  constexpr std::array<std::size_t, 5> kEnds = {0, 3, 3, 12, 40};
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    const std::vector<Vector> vectors = clients(contract, dimension, kEnds.back());
    const MessageSum whole = sum_of(*sampler, vectors);
    const random::RunKey key = random::RunKey::from_seed(8);
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    do {
      MessageSum merged = sampler->make_sum();
      for (const std::size_t part : order) {
        merged.merge(sum_of(*sampler, {vectors.begin() + static_cast<std::ptrdiff_t>(kEnds[part]),
                                       vectors.begin() + static_cast<std::ptrdiff_t>(kEnds[part + 1])}));
      }
      if (contents(merged) != contents(whole) ||
          contents(sampler->draw(merged, key, 1)) != contents(sampler->draw(whole, key, 1))) {
        return AssertionFailure() << "parts in order " << order[0] << order[1] << order[2] << order[3];
      }
    } while (std::ranges::next_permutation(order).found);
  }
  return AssertionSuccess();
}

// The bits of a draw depend on its key, its round and the exact sum alone, not on earlier draws or on the
// object that draws. Other keys and rounds give other bits. The exact sum does not change. The largest
// dimension is used, because two draws are then equal with negligible probability.
AssertionResult draws_by_key_and_round(const Contract& contract, const Maker& make) {
  const std::size_t dimension = contract.dimensions.back();
  const auto sampler = make(dimension), other = make(dimension);
  const MessageSum exact = sum_of(*sampler, clients(contract, dimension, 131));
  const Contents before = contents(exact);
  std::vector<std::pair<random::RunKey, std::uint64_t>> addresses;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                      std::uint64_t{1} << 32, (std::uint64_t{1} << 40) - 1}) {
      addresses.emplace_back(random::RunKey::from_seed(seed), round);
    }
  }
  std::vector<Contents> drawn;
  for (const auto& [key, round] : addresses) drawn.push_back(contents(sampler->draw(exact, key, round)));
  for (std::size_t i = addresses.size(); i-- > 0;) {
    const auto& [key, round] = addresses[i];
    for (const SumSampler* again : {sampler.get(), other.get()}) {
      if (contents(again->draw(exact, key, round)) != drawn[i]) {
        return AssertionFailure() << "round " << round << " is not repeated";
      }
    }
  }
  if (std::set(drawn.begin(), drawn.end()).size() != drawn.size()) return AssertionFailure() << "equal draws";
  if (contents(exact) != before) return AssertionFailure() << "the exact sum changed";
  return AssertionSuccess();
}

// A drawn sum has the exact sum's count. The sum of no clients is zero, and so is a sum drawn from it.
AssertionResult keeps_the_count(const Contract& contract, const Maker& make) {
  const random::RunKey key = random::RunKey::from_seed(9);
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    for (const std::size_t count : kCounts) {
      const MessageSum sum = sampler->draw(sum_of(*sampler, clients(contract, dimension, count)), key, count);
      if (sum.count() != count || sum.size() != dimension) return AssertionFailure() << count << " clients";
    }
    MessageSum cleared = sum_of(*sampler, clients(contract, dimension, 9));
    cleared.clear();
    for (const MessageSum& nobody : {sampler->make_sum(), cleared}) {
      const MessageSum sum = sampler->draw(nobody, key, 3);
      if (nobody.count() != 0 || std::ranges::any_of(nobody.sums(), std::identity())) {
        return AssertionFailure() << "a new sum is not empty";
      }
      if (sum.count() != 0 || std::ranges::any_of(sum.sums(), std::identity())) {
        return AssertionFailure() << "nobody sends something";
      }
    }
  }
  return AssertionSuccess();
}

// Of three passes, the one with the bad vector and those after it are not added. A single vector is a pass of
// its own.
AssertionResult refuses_bad_vectors(const Contract& contract, const Maker& make) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    const std::vector<Vector> good = clients(contract, dimension, 3 * kPass);
    for (const std::size_t place : {std::size_t{0}, kPass - 1, kPass, kPass + 3, 3 * kPass - 1}) {
      const std::vector<Vector> added(good.begin(),
                                      good.begin() + static_cast<std::ptrdiff_t>(place / kPass * kPass));
      const Contents expected = contents(sum_of(*sampler, added));
      for (const float bad : {std::numeric_limits<float>::quiet_NaN(), inf, -inf}) {
        for (const std::size_t at : {std::size_t{0}, dimension / 2, dimension - 1}) {
          std::vector<Vector> vectors = good;
          vectors[place][at] = bad;
          MessageSum sum = sampler->make_sum();
          AssertionResult result =
              refuses_with(ErrorCode::data, [&] { sampler->add_all(views(vectors), sum); });
          if (result) result = refuses_with(ErrorCode::data, [&] { sampler->add(vectors[place], sum); });
          if (!result) return result << ", coordinate " << at << " of vector " << place << " is " << bad;
          if (contents(sum) != expected)
            return AssertionFailure() << "vector " << place << ": something was added";
        }
      }
    }
  }
  return AssertionSuccess();
}

// Vectors of another dimension, and sums of another size or step, are mistakes of the program and are refused
// with Error(internal).
AssertionResult refuses_misfits(const Contract& contract, const Maker& make) {
  const random::RunKey key = random::RunKey::from_seed(1);
  for (const std::size_t dimension : contract.dimensions) {
    const auto sampler = make(dimension);
    MessageSum sum = sampler->make_sum();
    const Vector good = contract.vector(dimension, 0);
    AssertionResult result = AssertionSuccess();
    for (const std::size_t wrong : {dimension - 1, dimension + 1}) {
      const std::vector<Vector> vectors = {Vector(wrong)};
      if (result) result = refuses_with(ErrorCode::internal, [&] { sampler->add(vectors[0], sum); });
      if (result) result = refuses_with(ErrorCode::internal, [&] { sampler->add_all(views(vectors), sum); });
    }
    for (MessageSum foreign :
         {MessageSum(dimension + 1, sum.step()), MessageSum(dimension, sum.step() / 2)}) {
      const std::vector<Vector> vectors = {good};
      if (result) result = refuses_with(ErrorCode::internal, [&] { sampler->add(good, foreign); });
      if (result)
        result = refuses_with(ErrorCode::internal, [&] { sampler->add_all(views(vectors), foreign); });
      if (result) result = refuses_with(ErrorCode::internal, [&] { sampler->draw(foreign, key, 1); });
      if (result && foreign.count() != 0) result = AssertionFailure() << "a foreign sum was changed";
    }
    if (!result) return result << ", dimension " << dimension;
    if (sum.count() != 0 || std::ranges::any_of(sum.sums(), std::identity())) {
      return AssertionFailure() << "something was added";
    }
  }
  return AssertionSuccess();
}

class SumSamplerContract : public ::testing::TestWithParam<Contract> {};

TEST_P(SumSamplerContract, IsTheClassOfTheList) {
  EXPECT_EQ(testing::class_name(*GetParam().make(3)), GetParam().type);
}

TEST_P(SumSamplerContract, ClientsTogetherAddUpLikeClientsAlone) {
  EXPECT_TRUE(adds_together_as_alone(GetParam(), GetParam().make));
}

TEST_P(SumSamplerContract, TheExactSumIsThatOfTheClippedVectors) {
  EXPECT_TRUE(adds_the_clipped_vectors(GetParam(), GetParam().make));
}

TEST_P(SumSamplerContract, PartsMergeInAnyOrder) {
  EXPECT_TRUE(merges_in_any_order(GetParam(), GetParam().make));
}

TEST_P(SumSamplerContract, IsFreshEachRoundAndRepeatable) {
  EXPECT_TRUE(draws_by_key_and_round(GetParam(), GetParam().make));
}

TEST_P(SumSamplerContract, KeepsTheCountAndDrawsNothingForNobody) {
  EXPECT_TRUE(keeps_the_count(GetParam(), GetParam().make));
}

TEST_P(SumSamplerContract, RefusesWhatTheMessagesRefuse) {
  EXPECT_TRUE(refuses_bad_vectors(GetParam(), GetParam().make));
  EXPECT_TRUE(refuses_misfits(GetParam(), GetParam().make));
  for (const auto& make : GetParam().refused) EXPECT_TRUE(refuses_with(ErrorCode::plan, [&] { make(); }));
}

enum class Fault {
  drops_what_is_beyond_a_pass,
  forgets_the_count_of_a_pass,
  adds_twice,
  favours_the_first,
  ignores_the_round,
  ignores_the_key,
  has_a_memory,
  counts_one_too_many,
  has_noise_of_nobody,
  refuses_nothing,
  adds_until_it_refuses,
  takes_any_sum,
};

// A good sampler with one fault.
class FaultySampler final : public SumSampler {
 public:
  FaultySampler(std::unique_ptr<SumSampler> good, Fault fault) : good_(std::move(good)), fault_(fault) {}

  MessageSum make_sum() const override { return good_->make_sum(); }

  void add(std::span<const float> vector, MessageSum& exact) const override {
    if (fault_ == Fault::favours_the_first && exact.count() == 0) ++exact.sums()[0];
    if (fault_ == Fault::takes_any_sum && foreign(exact)) return;
    if (fault_ == Fault::refuses_nothing &&
        std::ranges::any_of(vector, [](float x) { return !std::isfinite(x); }))
      return;
    good_->add(vector, exact);
    if (fault_ == Fault::adds_twice) {
      const std::uint64_t count = exact.count();
      good_->add(vector, exact);
      exact.set_count(count);
    }
  }

  void add_all(std::span<const std::span<const float>> vectors, MessageSum& exact) const override {
    if (fault_ == Fault::drops_what_is_beyond_a_pass)
      return good_->add_all(vectors.first(std::min(vectors.size(), kPass)), exact);
    if (fault_ == Fault::forgets_the_count_of_a_pass) {
      good_->add_all(vectors, exact);
      return exact.set_count(exact.count() - vectors.size() / kPass);
    }
    const bool in_passes = fault_ != Fault::adds_until_it_refuses && fault_ != Fault::adds_twice &&
                           fault_ != Fault::favours_the_first && fault_ != Fault::refuses_nothing &&
                           fault_ != Fault::takes_any_sum;
    if (in_passes) return good_->add_all(vectors, exact);
    // If a vector is refused here, the vectors before it stay in the sum, even those of its own pass.
    for (const std::span<const float> vector : vectors) add(vector, exact);
  }

  MessageSum draw(const MessageSum& exact, const random::RunKey& key, std::uint64_t round) const override {
    if (fault_ == Fault::takes_any_sum && foreign(exact)) return make_sum();
    if (fault_ == Fault::ignores_the_round) round = 0;
    if (fault_ == Fault::has_a_memory) round ^= ++draws_;
    MessageSum sum = good_->draw(exact, fault_ == Fault::ignores_the_key ? zero_key_ : key, round);
    if (fault_ == Fault::counts_one_too_many) sum.count_one();
    if (fault_ == Fault::has_noise_of_nobody && sum.count() == 0) sum.sums().back() = -1;
    return sum;
  }

 private:
  bool foreign(const MessageSum& sum) const {
    const MessageSum own = make_sum();
    return own.size() != sum.size() || own.step() != sum.step();
  }

  std::unique_ptr<SumSampler> good_;
  Fault fault_;
  random::RunKey zero_key_ = random::RunKey::from_seed(0);
  mutable std::uint64_t draws_ = 0;
};

TEST_P(SumSamplerContract, FaultySamplersAreNoticed) {
  const std::vector<std::pair<Fault, AssertionResult (*)(const Contract&, const Maker&)>> faults = {
      {Fault::drops_what_is_beyond_a_pass, adds_together_as_alone},
      {Fault::forgets_the_count_of_a_pass, adds_together_as_alone},
      {Fault::adds_twice, adds_the_clipped_vectors},
      {Fault::favours_the_first, merges_in_any_order},
      {Fault::ignores_the_round, draws_by_key_and_round},
      {Fault::ignores_the_key, draws_by_key_and_round},
      {Fault::has_a_memory, draws_by_key_and_round},
      {Fault::counts_one_too_many, keeps_the_count},
      {Fault::has_noise_of_nobody, keeps_the_count},
      {Fault::refuses_nothing, refuses_bad_vectors},
      {Fault::adds_until_it_refuses, refuses_bad_vectors},
      {Fault::takes_any_sum, refuses_misfits},
  };
  for (const auto& [fault, check] : faults) {
    const Maker make = [fault = fault](std::size_t dimension) {
      return std::make_unique<FaultySampler>(GetParam().make(dimension), fault);
    };
    EXPECT_FALSE(check(GetParam(), make)) << "fault " << static_cast<int>(fault);
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, SumSamplerContract, ::testing::ValuesIn(contracts()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace muster::randomizers

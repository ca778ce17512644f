// Compares the fast transform and its single entries with products by the Hadamard matrix itself.
#include "muster/randomizers/hadamard.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "muster/random/keyed_stream.h"
#include "muster/random/samplers.h"
#include "muster/random/vector_targets_test.h"
#include "muster/randomizers/hadamard_matrix_test.h"

namespace muster::randomizers {
namespace {

TEST(Hadamard, TheTransformIsTheMatrix) {
  random::KeyedStream bits(random::RunKey::from_seed(4), {random::Purpose::audit});
  for (std::size_t size : {1u, 2u, 4u, 8u, 64u, 256u}) {
    const auto h = hadamard_matrix(size);
    std::vector<std::int64_t> x(size);
    for (auto& value : x) value = static_cast<std::int64_t>(random::uniform_below(bits, 2001)) - 1000;
    std::vector<std::int64_t> fast = x;
    hadamard_transform(fast);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(fast[i], std::inner_product(x.begin(), x.end(), h[i].begin(), std::int64_t{0}));
    }
    hadamard_transform(fast);  // H H = D I
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(fast[i], x[i] * static_cast<std::int64_t>(size));
  }
}

TEST(Hadamard, OneEntryIsThatOfTheMatrix) {
  for (std::size_t d : {1u, 2u, 15u, 16u, 17u, 31u, 33u, 200u, 256u}) {
    const auto h = hadamard_matrix(std::bit_ceil(d));
    std::vector<float> x(d);
    for (std::size_t i = 0; i < d; ++i) x[i] = std::sin(static_cast<float>(i + 1)) * 100;
    for (std::size_t j = 0; j < h.size(); ++j) {
      long double entry = 0, norm = 0;
      for (std::size_t i = 0; i < d; ++i) {
        entry += h[j][i] * static_cast<long double>(x[i]);
        norm += std::abs(static_cast<long double>(x[i]));
      }
      const HadamardEntry fast = hadamard_entry(x, j);
      EXPECT_NEAR(fast.entry, static_cast<double>(entry), 1e-14 * static_cast<double>(norm)) << d << " " << j;
      EXPECT_NEAR(fast.norm, static_cast<double>(norm), 1e-14 * static_cast<double>(norm)) << d << " " << j;
    }
  }
}

TEST(Hadamard, TheEntryIsTheSameBitsOnEveryTarget) {
  for (std::size_t d : {1u, 7u, 16u, 100u, 1003u, 26010u}) {
    std::vector<float> x(d);
    for (std::size_t i = 0; i < d; ++i) x[i] = std::sin(static_cast<float>(i + 1)) * 1e-3f;
    for (std::size_t j : {std::size_t{0}, std::size_t{1}, d / 2, std::bit_ceil(d) - 1}) {
      // The stated order of summation: element i goes to running sum i mod 16, and then the sixteen running
      // sums are added up in order.
      double norms[16] = {}, entries[16] = {}, norm = 0, entry = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const auto value = static_cast<double>(x[i]);
        norms[i % 16] += std::abs(value);
        entries[i % 16] += std::popcount(i & j) % 2 == 0 ? value : -value;
      }
      for (std::size_t i = 0; i < 16; ++i) {
        norm += norms[i];
        entry += entries[i];
      }
      const int targets = random::on_every_target([&](const std::string&) {
        EXPECT_EQ(hadamard_entry(x, j).norm, norm) << d << " " << j;
        EXPECT_EQ(hadamard_entry(x, j).entry, entry) << d << " " << j;
      });
      EXPECT_GE(targets, 2);
    }
  }
}

TEST(Hadamard, WhatIsNotFiniteShowsInTheNorm) {
  for (std::size_t place : {0u, 15u, 16u, 32u}) {
    std::vector<float> x(33, 1);
    x[place] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(hadamard_entry(x, 5).norm));
    x[place] = -std::numeric_limits<float>::infinity();
    EXPECT_FALSE(std::isfinite(hadamard_entry(x, 5).norm));
  }
}

}  // namespace
}  // namespace muster::randomizers

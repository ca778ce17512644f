// A message of one uniform index, independent of the data, and one noisy sign: the common part of the
// coordinate samplers linf and l1 (Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of differential
// privacy in federated learning", AISTATS 2021, R_inf and R_1).
//
// A sampler maps its clipped vector to one number in [-1, 1] per index, the share. Let q be the flip
// probability after rounding (flip.h). The mean of the sign that is sent is the share times 1 - 2q. Given the
// index, the probability of either sign is in [q, 1-q] for every vector. So the randomizer is epsilon0-LDP
// and of class C (Theorem 4, docs/theory/class-c.md), where the common law of the class is uniform on indices
// and signs. The sum counts signs exactly, and mean() of the derived class turns it into the estimate. A
// randomizer is immutable and may be shared between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "muster/randomizers/flip.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

class SignedIndexRandomizer : public StreamRandomizer {
 public:
  std::size_t dimension() const override { return dimension_; }
  accounting::Mechanism description() const override { return accounting::CoordinateLocal{norm_, epsilon0_}; }
  std::uint64_t message_bits() const override;
  double step() const override { return 1; }
  std::size_t sum_size() const override { return indices_; }
  std::unique_ptr<Scratch> make_scratch() const override { return std::make_unique<Scratch>(); }

  void randomize_from(random::BitSource& bits, std::span<const float> gradient, Scratch& scratch,
                      Message& out) const override;
  void accumulate(const Message& message, Scratch& scratch, MessageSum& sum) const override;

 protected:
  // epsilon0, clip and dimension have the ranges of randomizer.h. Requires dimension <= indices <= 2^31.
  SignedIndexRandomizer(accounting::CoordinateLocal::Norm norm, double epsilon0, double clip,
                        std::size_t dimension, std::size_t indices);

  // Returns the index-th coordinate of the clipped vector (for l1, of its Hadamard transform), divided by
  // its largest possible value. A result outside [-1, 1] counts as the nearest end of the interval (flip.h).
  // Throws Error(data) for a vector that is not finite.
  virtual double share(std::span<const float> gradient, std::size_t index) const = 0;

  // Throws Error(internal) for a sum of another size or step.
  void check(const MessageSum& sum) const;

  double clip() const { return clip_; }
  // Returns the factor that makes a sign unbiased: 1 / (1 - 2q).
  double sign_scale() const { return flip_.inverse_bias; }

 private:
  accounting::CoordinateLocal::Norm norm_;
  double epsilon0_, clip_;
  std::size_t dimension_, indices_;
  Flip flip_;
};

}  // namespace muster::randomizers

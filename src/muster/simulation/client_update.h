// What a client computes from all its records before clipping and randomization.
//
// Without local steps: the mean of its function (a gradient, a statistic) over its records, added up in their
// order. With local steps: the server's parameters minus those that stochastic gradient descent makes of them on
// the client's records, so that the server descends along it as along a gradient (McMahan et al., AISTATS 2017,
// Algorithm 1; Reddi et al., ICLR 2021, Algorithm 1, with this sign). One local step on all records is the mean
// gradient times the local rate. Batches are consecutive records of a random order, and a new order is drawn when
// all records have been taken; the last batch of an order may be smaller.
//
// One record without local steps gives the bits of the function itself. A client without records has the zero
// vector. Where a gradient is not finite, the result is not either, and the caller answers R(0)
// (docs/theory/what-the-system-owes.md). Thread rule: immutable and may be shared; a Workspace belongs to one
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/random/bit_source.h"
#include "muster/simulation/partitions/labelled_records.h"

namespace muster::simulation {

struct LocalSgd {
  std::uint64_t steps = 0;
  float rate = 0;
  std::optional<std::uint64_t> batch = std::nullopt;  // records of a step; all records if not stated
};
LocalSgd local_sgd_of(const protocols::Plan& plan);

// The gradients that a client of `records` records computes for one message.
double gradients_a_message(const LocalSgd& local, std::uint64_t records);

class ClientUpdate {
 public:
  // `function` and `data` must outlive it.
  ClientUpdate(const learning::ClientFunction& function, const learning::Dataset& data,
               const LocalSgd& local = {});

  std::unique_ptr<learning::Workspace> make_workspace() const;
  // As ClientFunction::prepare.
  void prepare(std::span<const float> parameters, learning::Workspace& workspace) const;
  // Whether evaluate() draws the batches of a client of so many records.
  bool draws(std::size_t records) const;
  // Overwrites `out`, which has as many floats as the function. `batches` may be null unless draws().
  void evaluate(std::span<const float> parameters, std::span<const Record> records,
                random::BitSource* batches, learning::Workspace& workspace, std::span<float> out) const;

 private:
  struct Workspace;
  void mean(std::span<const float> parameters, std::span<const Record> records, Workspace& workspace,
            std::span<float> out) const;
  void descend(std::span<const float> parameters, std::span<const Record> records, random::BitSource* batches,
               Workspace& workspace, std::span<float> out) const;

  const learning::ClientFunction& function_;
  const learning::Dataset& data_;
  LocalSgd local_;
};

}  // namespace muster::simulation

// Computes, from all records of a client, the vector that the client clips and randomizes.
//
// Without local steps, the vector is the mean of the client function (a gradient or a statistic) over the
// records, whose values are added up in the order of the records. With local steps, the client runs
// stochastic gradient descent on its records, beginning at the server's parameters. The vector is the
// server's parameters minus the client's final ones, so that the server can use it like a gradient (McMahan
// et al., AISTATS 2017, Algorithm 1; Reddi et al., ICLR 2021, Algorithm 1, with this sign). One local step on
// all records gives the mean gradient times the local rate. The batches are consecutive parts of a random
// order of the records. When all records have been used, a new order is drawn; the last batch of an order may
// be smaller.
//
// For one record and no local steps, the vector is bit for bit the value of the function. For no records, it
// is zero. If a gradient is not finite, the vector is not finite either, and the caller randomizes the zero
// vector instead (docs/theory/what-the-system-owes.md). A ClientUpdate is immutable and may be shared by
// threads; each thread needs a Workspace of its own.
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
  std::optional<std::uint64_t> batch = std::nullopt;  // records per step; all records if nullopt
};
LocalSgd local_sgd_of(const protocols::Plan& plan);

// Returns the number of gradients that a client with `records` records computes for one message.
double gradients_a_message(const LocalSgd& local, std::uint64_t records);

class ClientUpdate {
 public:
  // `function` and `data` must outlive this object.
  ClientUpdate(const learning::ClientFunction& function, const learning::Dataset& data,
               const LocalSgd& local = {});

  std::unique_ptr<learning::Workspace> make_workspace() const;
  // Saves time if it is called before evaluate() with the same parameters; see ClientFunction::prepare().
  void prepare(std::span<const float> parameters, learning::Workspace& workspace) const;
  // Returns whether evaluate() draws random batches for a client with this number of records.
  bool draws(std::size_t records) const;
  // Overwrites `out`, whose size must be the function's dimension, with the client's vector. `batches` may be
  // null unless draws() is true.
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

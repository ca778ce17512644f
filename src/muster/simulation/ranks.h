// Ranks are the processes that share a training run: a single process, or all that an mpirun started.
//
// Each rank handles its share of a round's clients, and one all-reduce per round adds up the exact sums of
// all shares. Sums of integers do not depend on how they were divided, so a run gives the same bits on any
// number of ranks. Only rank 0 prints, writes the folder and computes epsilon.
//
// No rank may wait for one that has failed. So a rank that fails still takes part in the next all-reduce
// and reports its failure there, and every rank then throws the error of the lowest rank that failed. All
// ranks must make the same collective calls (all_reduce and broadcast) in the same order, each from the
// thread that made the Ranks.
//
// Example:
//     const std::unique_ptr<Ranks> ranks = join_ranks();
//     together(*ranks, [&] { data = load(); });  // loaded everywhere, or refused everywhere
//     AllReduce sums(3);
//     sums.numbers()[0] = ...;                // this rank's numbers
//     sums.hold(*ranks, failure);
//     ... sums.numbers() ...                  // the sums over all ranks
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/core/error.h"

namespace muster::simulation {

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual unsigned index() const = 0;  // 0 .. count() - 1
  virtual unsigned count() const = 0;
  bool first() const { return index() == 0; }

  // Adds up the numbers of all ranks element by element; every rank receives the sums. All ranks must
  // pass the same number of elements.
  virtual void all_reduce(std::span<std::int64_t> numbers) = 0;
  // Overwrites `bytes` on every rank with the bytes of rank `from`.
  virtual void broadcast(std::string& bytes, unsigned from) = 0;
  // Ends every rank at once with the exit status `status`, after a failure that cannot be reported in an
  // all-reduce.
  [[noreturn]] virtual void abandon(int status) = 0;

  // Returns whether the last all-reduce ended with an error. In that case every rank has thrown it, and no
  // rank waits for another.
  bool failed_together() const { return failed_together_; }

 private:
  friend class AllReduce;
  bool failed_together_ = false;
};

// Returns the ranks among which this process was started: a single one unless an MPI launcher started
// several. If there are several and this build has no MPI, throws Error(usage).
std::unique_ptr<Ranks> join_ranks();
// Returns a single rank, however the process was started.
std::unique_ptr<Ranks> alone();

// What Open MPI's launcher tells each process; a process without a launcher is rank 0 of 1. It is read from
// environment variables (OMPI_COMM_WORLD_...), so it is known before any communication.
struct Launch {
  unsigned rank = 0;
  unsigned ranks = 1;
  unsigned ranks_on_this_machine = 1;
};
Launch launch_of_this_process();
// Returns the default number of threads for this process: the number of cores that it may use, divided by the
// number of ranks on this machine unless the launcher bound each rank to cores of its own.
unsigned usual_threads();

// Adds up some numbers over all ranks and also reports whether a rank failed. Its storage is kept between
// uses.
class AllReduce {
 public:
  explicit AllReduce(std::size_t numbers) : places_(numbers + 1) {}

  // Returns the numbers of this rank, which the caller overwrites before hold().
  std::span<std::int64_t> numbers() { return std::span(places_).first(places_.size() - 1); }
  // `failure` is what went wrong on this rank since the last all-reduce, or null. If no rank failed,
  // numbers() are afterwards the sums over all ranks; otherwise every rank throws the error of the lowest
  // rank that failed.
  void hold(Ranks& ranks, const std::exception_ptr& failure);

 private:
  std::vector<std::int64_t> places_;  // the last element counts the ranks that failed
};

// Runs `part` on this rank and waits for the other ranks, which must call together() as well. Then either all
// ranks return, or all throw the same error.
template <typename Part>
void together(Ranks& ranks, Part&& part) {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  AllReduce(0).hold(ranks, failure);
}

// Converts an error to bytes that can be sent to another rank, and back.
std::string encode(const Error& error);
Error decode_error(std::string_view bytes);

}  // namespace muster::simulation

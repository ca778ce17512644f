// The processes that share a training run: one, or the ranks of an mpirun.
//
// Each rank handles its share of a round's clients, and the exact sums of all shares are added up in one
// meeting a round; sums of integers do not depend on how they were shared out, so a run is the same bits on
// any number of ranks. Rank 0 alone prints, writes the folder and works out epsilon.
//
// Nobody may wait for a rank that has failed. So a rank that fails takes part in the next all-reduce all the same and
// says so there, and every rank then throws the error of the lowest rank that failed. All ranks hold the same
// meetings in the same order, each called from the thread that made the Ranks.
//
// Example:
//     const std::unique_ptr<Ranks> ranks = join_ranks();
//     together(*ranks, [&] { data = load(); });  // loaded everywhere, or refused everywhere
//     AllReduce sums(3);
//     sums.numbers()[0] = ...;                // this rank's
//     sums.hold(*ranks, failure);
//     ... sums.numbers() ...                  // the sums over all ranks
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "muster/core/error.h"

namespace muster::simulation {

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual unsigned index() const = 0;  // 0 .. count() - 1
  virtual unsigned count() const = 0;
  bool first() const { return index() == 0; }

  // Every rank's numbers are added up place by place, and every rank is left with
  // the sums. As many numbers on each rank.
  virtual void all_reduce(std::span<std::int64_t> numbers) = 0;
  // Overwrites `bytes` by those of rank `from`.
  virtual void broadcast(std::string& bytes, unsigned from) = 0;
  // Ends every rank at once, for a failure that no all-reduce can tell the others of.
  [[noreturn]] virtual void abandon(int status) = 0;

  // Whether the last all-reduce ended with an error: then every rank has thrown it, and nobody waits.
  bool parted() const { return parted_; }

 private:
  friend class AllReduce;
  bool parted_ = false;
};

// The ranks this process was started among: alone unless a launcher of MPI started several.
// Error(usage) among several when this build has no MPI.
std::unique_ptr<Ranks> join_ranks();
// The only rank, whoever started the process.
std::unique_ptr<Ranks> alone();

// What a launcher of Open MPI or PMIx tells the processes it starts; rank 0 of 1 without one. Read from the
// environment alone: it is there before any rank has been met.
struct Launch {
  unsigned rank = 0;
  unsigned ranks = 1;
  unsigned ranks_on_this_machine = 1;
};
Launch launch_of_this_process();
// Threads for this process when nobody asks for a number: the cores it may run on, shared with the ranks
// beside it unless the launcher gave each its own.
unsigned usual_threads();

// One all-reduce of some numbers that also says whether a rank failed. Keeps its storage between uses.
class AllReduce {
 public:
  explicit AllReduce(std::size_t numbers) : places_(numbers + 1) {}

  // What this rank brings, to be overwritten before hold().
  std::span<std::int64_t> numbers() { return std::span(places_).first(places_.size() - 1); }
  // `failure`: what went wrong on this rank since the last all-reduce, or null. When nothing went wrong
  // anywhere, numbers() are the sums over all ranks; else every rank throws the lowest failed rank's error.
  void hold(Ranks& ranks, const std::exception_ptr& failure);

 private:
  std::vector<std::int64_t> places_;  // the last one counts the ranks that failed
};

// Every rank does its part, then all agree that all succeeded.
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

// An error as bytes that another rank can read, and back.
std::string encode(const Error& error);
Error decode_error(std::string_view bytes);

}  // namespace muster::simulation

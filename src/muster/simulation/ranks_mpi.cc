// Implements the ranks with Open MPI 4.1, through its C interface. Errors of MPI itself end the job at once
// (the library's default), because after a network failure the ranks cannot agree on anything.
#define OMPI_SKIP_MPICXX 1
#include "muster/simulation/ranks_mpi.h"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>

namespace muster::simulation {
namespace {

// The largest number of elements in one MPI call, because MPI counts are ints.
constexpr std::size_t kMaxAtOnce = 1u << 30;

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    // MPI_THREAD_FUNNELED suffices, because only this thread calls MPI; the others compute gradients.
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (provided < MPI_THREAD_FUNNELED) {
      MPI_Finalize();
      throw Error::in_words(
          ErrorCode::usage, Reason::inapplicable, "mpirun", "", "",
          "the MPI library of this machine allows no threads beside it, and muster needs them: "
          "install libopenmpi3 of Debian 12, or run muster without mpirun");
    }
    int index = 0, count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &index);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    index_ = static_cast<unsigned>(index);
    count_ = static_cast<unsigned>(count);
  }
  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  unsigned index() const override { return index_; }
  unsigned count() const override { return count_; }

  void all_reduce(std::span<std::int64_t> numbers) override {
    while (!numbers.empty()) {
      const std::size_t some = std::min(numbers.size(), kMaxAtOnce);
      MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(some), MPI_INT64_T, MPI_SUM,
                    MPI_COMM_WORLD);
      numbers = numbers.subspan(some);
    }
  }

  void broadcast(std::string& bytes, unsigned from) override {
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(from), MPI_COMM_WORLD);
    bytes.resize(size);
    for (std::uint64_t done = 0; done < size; done += kMaxAtOnce) {
      const auto some = static_cast<int>(std::min<std::uint64_t>(size - done, kMaxAtOnce));
      MPI_Bcast(bytes.data() + done, some, MPI_BYTE, static_cast<int>(from), MPI_COMM_WORLD);
    }
  }

  void abandon(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  unsigned index_ = 0;
  unsigned count_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> join_mpi() { return std::make_unique<MpiRanks>(); }

}  // namespace muster::simulation

// These tests run as one process, and under mpirun with 2 and with 4 ranks. They hold for any number of
// ranks, except that the tests of Environment are skipped among several ranks, and that exceptions which are
// not Errors keep their type only on a single rank.
#include "muster/simulation/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

namespace muster::simulation {
namespace {

// Joins the ranks once per process and leaves them before it ends, as MPI requires.
class Joined final : public ::testing::Environment {
 public:
  void SetUp() override { ranks = join_ranks(); }
  void TearDown() override { ranks.reset(); }
  static inline std::unique_ptr<Ranks> ranks;
};
const auto* const kJoined = ::testing::AddGlobalTestEnvironment(new Joined);

Ranks& ranks() { return *Joined::ranks; }
std::int64_t count() { return ranks().count(); }

// Returns the error that `part` throws on this rank, if any.
template <typename Part>
std::optional<Error> error_of(Part&& part) {
  try {
    part();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

std::string where(unsigned rank) {
  return rank == 0 ? ""
                   : " (on rank " + std::to_string(rank) + " of " + std::to_string(ranks().count()) + ")";
}

TEST(Ranks, AreAsManyAsTheLauncherSays) {
  const Launch launch = launch_of_this_process();
  EXPECT_EQ(ranks().count(), launch.ranks);
  EXPECT_EQ(ranks().index(), launch.rank);
  EXPECT_LT(ranks().index(), ranks().count());
  EXPECT_EQ(ranks().first(), ranks().index() == 0);
}

TEST(Ranks, AddUpPlaceByPlace) {
  std::vector<std::int64_t> numbers(26'010);
  const std::int64_t mine = ranks().index() + 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = (i % 2 == 0 ? mine : -mine) * (std::int64_t{1} << 50) + static_cast<std::int64_t>(i);
  }
  ranks().all_reduce(numbers);
  const std::int64_t all = count() * (count() + 1) / 2;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers[i],
              (i % 2 == 0 ? all : -all) * (std::int64_t{1} << 50) + count() * static_cast<std::int64_t>(i));
  }
}

TEST(Ranks, BroadcastFromEveryRank) {
  for (unsigned from = 0; from < ranks().count(); ++from) {
    std::string bytes = "of rank " + std::to_string(ranks().index());
    ranks().broadcast(bytes, from);
    EXPECT_EQ(bytes, "of rank " + std::to_string(from));
    bytes.assign(ranks().index() == from ? 1'000'000 : 3, static_cast<char>('a' + ranks().index()));
    ranks().broadcast(bytes, from);
    EXPECT_EQ(bytes, std::string(1'000'000, static_cast<char>('a' + from)));
    bytes.resize(ranks().index() == from ? 0 : 1);
    ranks().broadcast(bytes, from);
    EXPECT_EQ(bytes, "");
  }
}

TEST(AllReduce, LeavesTheSumsOfAllRanks) {
  AllReduce sums(3);
  for (std::int64_t turn = 1; turn <= 3; ++turn) {
    sums.numbers()[0] = turn;
    sums.numbers()[1] = ranks().index();
    sums.numbers()[2] = std::numeric_limits<std::int64_t>::min() / count();
    sums.hold(ranks(), nullptr);
    EXPECT_EQ(sums.numbers()[0], turn * count());
    EXPECT_EQ(sums.numbers()[1], count() * (count() - 1) / 2);
    EXPECT_EQ(sums.numbers()[2], std::numeric_limits<std::int64_t>::min() / count() * count());
  }
}

TEST(AllReduce, TheFailureOfOneRankIsThrownByAll) {
  for (unsigned failing = 0; failing < ranks().count(); ++failing) {
    std::exception_ptr failure;
    if (ranks().index() == failing) {
      failure = std::make_exception_ptr(Error(ErrorCode::file, "metrics.jsonl", "7", "less", "disk full"));
    }
    AllReduce sums(2);
    const std::optional<Error> thrown = error_of([&] { sums.hold(ranks(), failure); });
    ASSERT_TRUE(thrown.has_value());
    EXPECT_EQ(thrown->code(), ErrorCode::file);
    EXPECT_EQ(thrown->what(), "metrics.jsonl disk full; found: 7, expected: less" + where(failing));
    // After the error, an all-reduce works again.
    sums.numbers()[0] = 1;
    sums.hold(ranks(), nullptr);
    EXPECT_EQ(sums.numbers()[0], count());
  }
}

TEST(AllReduce, OfSeveralFailuresTheLowestRanksIsThrown) {
  const std::optional<Error> thrown = error_of([] {
    together(ranks(),
             [] { throw Error(ErrorCode::data, "", "", "", "rank " + std::to_string(ranks().index())); });
  });
  ASSERT_TRUE(thrown.has_value());
  EXPECT_STREQ(thrown->what(), "rank 0");
}

TEST(AllReduce, ForeignExceptionsBecomeErrorsAmongSeveralRanks) {
  if (ranks().count() == 1) {
    EXPECT_THROW(together(ranks(), [] { throw std::runtime_error("broken"); }), std::runtime_error);
    EXPECT_THROW(together(ranks(), [] { throw std::bad_alloc(); }), std::bad_alloc);
    return;
  }
  const unsigned last = ranks().count() - 1;
  std::optional<Error> thrown = error_of([&] {
    together(ranks(), [&] {
      if (ranks().index() == last) {
        throw std::runtime_error("broken");
      }
    });
  });
  ASSERT_TRUE(thrown.has_value());
  EXPECT_EQ(thrown->code(), ErrorCode::internal);
  EXPECT_EQ(thrown->what(), "a defect in muster: broken" + where(last));
  thrown = error_of([] { together(ranks(), [] { throw std::bad_alloc(); }); });
  ASSERT_TRUE(thrown.has_value());
  EXPECT_STREQ(thrown->what(), "out of memory");
}

TEST(AllReduce, TellsWhetherItEndedWithAnError) {
  together(ranks(), [] {});
  EXPECT_FALSE(ranks().failed_together());
  EXPECT_TRUE(error_of([] { together(ranks(), [] { throw Error(ErrorCode::data, "", "", "", "bad"); }); }));
  EXPECT_TRUE(ranks().failed_together());
  together(ranks(), [] {});
  EXPECT_FALSE(ranks().failed_together());
}

TEST(UsualThreads, AreAtLeastOneAndNoMoreThanTheCores) {
  EXPECT_GE(usual_threads(), 1u);
  EXPECT_LE(usual_threads(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(Together, DoesEveryPartOnce) {
  int done = 0;
  together(ranks(), [&] { ++done; });
  EXPECT_EQ(done, 1);
}

TEST(ErrorBytes, SayTheSameOnAnotherRank) {
  for (const char* key : {"", "key"}) {
    for (const char* value : {"", "a: value"}) {
      for (const char* allowed : {"", "1 (allowed: 2)"}) {
        for (const char* message : {"", "message: (allowed: all)"}) {
          const Error error(ErrorCode::budget, Reason::contradiction, key, value, allowed, message);
          const Error read = decode_error(encode(error));
          EXPECT_EQ(read.code(), error.code());
          EXPECT_EQ(read.reason(), error.reason());
          EXPECT_EQ(read.key(), error.key());
          EXPECT_EQ(read.value(), error.value());
          EXPECT_EQ(read.allowed(), error.allowed());
          EXPECT_STREQ(read.what(), error.what());
        }
      }
    }
  }
}

TEST(ErrorBytes, AnythingElseIsADefect) {
  const std::string good = encode(Error(ErrorCode::file, "key", "value", "allowed", "message"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_EQ(decode_error(good.substr(0, length)).code(), ErrorCode::internal) << length;
  }
  EXPECT_EQ(decode_error(good + "x").code(), ErrorCode::internal);
  EXPECT_EQ(decode_error("\xff" + good.substr(1)).code(), ErrorCode::internal);
  EXPECT_EQ(decode_error(good.substr(0, 1) + "\xff" + good.substr(2)).code(), ErrorCode::internal);
}

class Environment : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ranks().count() > 1) {
      GTEST_SKIP() << "the launcher's variables are in use";
    }
  }
  void TearDown() override {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
      ::unsetenv(name);
    }
  }
};

TEST_F(Environment, TellsWhatTheLauncherStarted) {
  EXPECT_EQ(launch_of_this_process().ranks, 1u);
  ::setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  ::setenv("OMPI_COMM_WORLD_RANK", "5", 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "4", 1);
  const Launch launch = launch_of_this_process();
  EXPECT_EQ(launch.ranks, 8u);
  EXPECT_EQ(launch.rank, 5u);
  EXPECT_EQ(launch.ranks_on_this_machine, 4u);
}

TEST_F(Environment, ThatIsNoNumberIsNoLauncher) {
  for (const char* size : {"", "x", "8x", "-1", "0", "1", "99999999999"}) {
    ::setenv("OMPI_COMM_WORLD_SIZE", size, 1);
    EXPECT_EQ(launch_of_this_process().ranks, 1u) << size;
    EXPECT_EQ(join_ranks()->count(), 1u) << size;
  }
}

}  // namespace
}  // namespace muster::simulation

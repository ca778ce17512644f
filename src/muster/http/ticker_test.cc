// How often a function is called that takes longer than the pause.
#include "muster/http/ticker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace muster::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kCall{20};

// The calls in a second, or as long as that takes, and the time that they had.
struct Calls {
  int count;
  steady_clock::duration time;
};
Calls calls_with(unsigned rest) {
  std::atomic<int> count = 0;
  const auto began = steady_clock::now();
  {
    const Ticker ticker(
        milliseconds{1},
        [&] {
          std::this_thread::sleep_for(kCall);
          ++count;
        },
        rest);
    std::this_thread::sleep_for(milliseconds{1000});
  }
  return {count, steady_clock::now() - began};
}

TEST(Ticker, RestsForAMultipleOfTheTimeOfACall) {
  const Calls resting = calls_with(4);
  EXPECT_GE(resting.count, 1);
  // Each call and its rest take at least five times kCall, except that the last rest is cut short.
  EXPECT_LE(resting.count - 1, resting.time / (5 * kCall));
}

TEST(Ticker, DoesNotRestUnlessItIsToldTo) {
  const Calls restless = calls_with(0);
  const Calls resting = calls_with(4);
  EXPECT_GT(restless.count, resting.count);
}

}  // namespace
}  // namespace muster::service

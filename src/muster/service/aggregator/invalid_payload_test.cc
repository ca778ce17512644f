// An invalid payload is counted, and leaves no trace: none of its bytes are in what the aggregator writes to
// its store, or in what it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "muster/service/aggregator/aggregator_fixture_test.h"
#include "muster/service/store/store_between_test.h"

namespace muster::service {
namespace {

using wire::Buffer;

// A store that remembers everything that was ever written to it. If `echo` is set, it also writes this with
// each commit, as an aggregator would that keeps what it refuses.
class Recording final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  void commit(const Commit& changes) override {
    Commit all = changes;
    if (!echo.empty()) all.put.emplace_back("echo", echo);
    written.insert(written.end(), all.append.begin(), all.append.end());
    for (const auto& [name, content] : all.put) {
      written.emplace_back(name.begin(), name.end());
      written.push_back(content);
    }
    store_.commit(all);
  }

  std::vector<Buffer> written;
  Buffer echo;
};

bool has(const Buffer& text, wire::Bytes part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end()) != text.end();
}

// Runs a round with valid reports, some whose answers are out of range, and one that does not open, under a
// store that writes an invalid payload as well if `echoes`. Returns what of the refused reports is found.
std::vector<std::string> found_after_a_round(bool echoes) {
  const std::vector<std::uint32_t> recognisable = {0xdeadbeef, 0xcafef00d, 0xfeedface};
  AggregatorFixture d;
  Recording recording(d.disk().store());
  d.store = &recording;
  if (echoes) recording.echo = answer(recognisable[1]);
  ShufflerDouble::Payloads payloads = answers({1, 2, 3});
  for (const std::uint32_t value : recognisable) payloads.push_back(answer(value));
  std::vector<std::string> said = {d.open().reason};
  d.shuffler().close(10, payloads, [](Buffer& batch) { batch[0] ^= 1; });
  const Buffer batch = *d.shuffler().rounds().at(1).batch;
  for (int i = 0; i < 3; ++i) {
    const Progress progress = i == 1 ? d.start().step() : d.step();
    said.push_back(progress.reason + progress.alarm.value_or(""));
  }
  EXPECT_EQ(d.story(), "open release open");
  EXPECT_EQ(d.role().rejected().reports, (ReportCounts{.sealed = 1, .range = recognisable.size()}));
  EXPECT_GT(recording.written.size(), 10u);
  for (const std::string& words : said) recording.written.emplace_back(words.begin(), words.end());
  std::vector<std::string> found;
  for (const Buffer& text : recording.written) {
    for (const std::uint32_t value : recognisable) {
      const std::string decimal = std::to_string(value);
      if (has(text, answer(value)) || has(text, Buffer(decimal.begin(), decimal.end()))) {
        found.push_back("an answer: " + decimal);
      }
    }
    // Each report of the batch is sealed in 52 bytes, none of which are kept either.
    for (std::size_t at = 0; at < batch.size(); at += 26) {
      if (has(text, wire::Bytes(batch).subspan(at, 26))) found.push_back("a sealed report");
    }
  }
  return found;
}

TEST(InvalidPayload, IsInNothingThatTheAggregatorWritesOrSays) {
  EXPECT_EQ(found_after_a_round(false), std::vector<std::string>{});
}

TEST(InvalidPayload, IsFoundIfTheAggregatorKeepsIt) {
  const std::vector<std::string> found = found_after_a_round(true);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(std::ranges::count(found, "an answer: " + std::to_string(0xcafef00d)),
            static_cast<std::ptrdiff_t>(found.size()));
}

}  // namespace
}  // namespace muster::service

// A small deployment for the aggregator's tests: a task of three planned rounds that learns a histogram of
// digits from at least ten devices, two of which may be hostile; its keys; a shuffler
// (shuffler_double_test.h); and a disk that outlives the aggregators that run on it. A fixture belongs to one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/shuffler_double_test.h"
#include "muster/service/ledger/story_test.h"
#include "muster/service/ledger/verification.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/task/plans_test.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

// Any increasing function will do where a test is not about the accountant.
inline double test_epsilon(std::uint64_t rounds) { return 0.125 * static_cast<double>(rounds); }

inline wire::Buffer answer(std::uint32_t value) { return wire::FieldWriter(4).integer(value).take(); }
inline ShufflerDouble::Payloads answers(std::initializer_list<std::uint32_t> values) {
  ShufflerDouble::Payloads payloads;
  for (const std::uint32_t value : values) payloads.push_back(answer(value));
  return payloads;
}

using Overrides = std::vector<std::pair<std::string, std::string>>;

class AggregatorFixture {
 public:
  explicit AggregatorFixture(const Overrides& overrides = {}, std::uint64_t most_rounds = 6)
      : task_(make_task(overrides, most_rounds)) {}

  const TaskDocument& task() const { return task_; }
  Disk& disk() { return disk_; }
  MemoryStore& memory() { return disk_.memory(); }
  ShufflerDouble& shuffler() { return shuffler_; }
  const wire::SigningKey& aggregator_key() const { return aggregator_; }
  const wire::SigningKey& issuer_key() const { return issuer_; }

  std::function<double(std::uint64_t)> epsilon = test_epsilon;
  AggregatorOptions options;
  Store* store = nullptr;  // in place of the disk's, if it is set

  // Starts the aggregator, or restarts it if it is running.
  AggregatorRole& start() {
    stop();
    learner_.emplace(task_.plan(), parts(), 1);
    role_.emplace(task_, aggregator_, store == nullptr ? disk_.store() : *store, shuffler_, *learner_,
                  epsilon, options);
    return *role_;
  }
  void stop() {
    role_.reset();
    learner_.reset();
  }
  AggregatorRole& role() { return role_ ? *role_ : start(); }
  Learner& learner() { return *learner_; }
  Progress step() { return role().step(); }

  // Opens the next round.
  Progress open() { return step(); }
  // Runs one whole round in which as many devices as needed were heard.
  Progress run(const ShufflerDouble::Payloads& payloads = answers({1, 2, 2, 7, 5})) {
    open();
    shuffler_.close(task_.needed(), payloads);
    return step();
  }

  const Ledger& ledger() { return role().ledger(); }
  const Entry& last() { return ledger().entries().back(); }
  std::string story() { return story_of(ledger()); }
  // What is wrong with the ledger, in one line.
  std::string findings() {
    std::string text;
    for (const std::string& finding : verify(ledger(), task_, epsilon).findings) text += finding + "; ";
    return text;
  }
  wire::Buffer model() { return memory().blob("model").value(); }

  // The parts that all tests of a plan share, with 100 test examples.
  const simulation::Prepared& parts() {
    static std::map<std::string, simulation::Prepared> all;
    const auto found = all.find(task_.plan().hash());
    if (found != all.end()) return found->second;
    simulation::Prepared parts = server_parts(task_);
    learning::Dataset& test = parts.data.test;
    test.labels.resize(100);
    test.bytes.resize(test.labels.size() * test.shape.size());
    return all.emplace(task_.plan().hash(), std::move(parts)).first->second;
  }

 private:
  TaskDocument make_task(const Overrides& overrides, std::uint64_t most_rounds) const {
    TaskSettings settings;
    settings.malicious = 2;
    settings.seconds = 5;
    settings.most_rounds = most_rounds;
    settings.aggregator = aggregator_.identity();
    settings.issuer = issuer_.identity();
    settings.shuffler = shuffler_key_.identity();
    auto source = protocols::PlanSource::from_text(kHistogramPlan, "histogram.toml");
    for (const auto& [key, value] : overrides) source.override_key(key, value);
    return TaskDocument::make(protocols::Plan::validate(source, protocols::Command::train), settings);
  }

  const wire::SigningKey aggregator_ = wire::SigningKey::fresh(), shuffler_key_ = wire::SigningKey::fresh(),
                         issuer_ = wire::SigningKey::fresh();
  const TaskDocument task_;
  Disk disk_;
  ShufflerDouble shuffler_{task_, shuffler_key_, issuer_};
  std::optional<Learner> learner_;
  std::optional<AggregatorRole> role_;
};

}  // namespace muster::service

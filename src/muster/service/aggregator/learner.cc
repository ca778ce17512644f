#include "muster/service/aggregator/learner.h"

#include <array>
#include <utility>

#include "muster/core/error.h"
#include "muster/protocols/aggregate.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/model/record_shape.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/released_model.h"

namespace muster::service {
namespace {

using randomizers::Message;

constexpr std::size_t kPass = randomizers::VectorRandomizer::kPass;

void add(ReportCounts& sum, const ReportCounts& more) {
  sum.valid += more.valid;
  sum.sealed += more.sealed;
  sum.length += more.length;
  sum.sign += more.sign;
  sum.range += more.range;
  sum.padding += more.padding;
}

void count(ReportCounts& counts, wire::PayloadFault fault) {
  switch (fault) {
    case wire::PayloadFault::none:
      ++counts.valid;
      return;
    case wire::PayloadFault::length:
      ++counts.length;
      return;
    case wire::PayloadFault::sign:
      ++counts.sign;
      return;
    case wire::PayloadFault::range:
      ++counts.range;
      return;
    case wire::PayloadFault::padding:
      ++counts.padding;
      return;
  }
}

}  // namespace

simulation::Prepared server_parts(const TaskDocument& task) {
  simulation::Prepared server;
  learning::DataSplit& data = server.data;
  data.test = simulation::load_test_data(task.plan().values());
  const RecordShape shape = record_shape_of(task);
  if (data.test.shape != shape.inputs || data.test.classes > shape.classes) {
    throw Error(ErrorCode::data, "population.data", task.plan().data(), "",
                "has test examples of another shape, or with other classes, than the task's records");
  }
  data.test.classes = shape.classes;
  data.train.shape = data.test.shape;
  data.train.classes = data.test.classes;
  data.train.class_names = data.test.class_names;
  data.train.normalisation = data.test.normalisation;
  server.parts = simulation::assemble(task.plan(), data, simulation::Accounting::elsewhere);
  return server;
}

// The part of a round that one thread adds up.
struct Learner::Worker {
  Worker(const randomizers::VectorRandomizer& randomizer, std::size_t payload_size, std::uint64_t first)
      : scratch(randomizer.make_scratch()),
        aggregator(randomizer, *scratch),
        payload(payload_size),
        number(first) {}

  std::unique_ptr<randomizers::Scratch> scratch;
  protocols::Aggregator aggregator;
  wire::Buffer payload;
  std::array<Message, kPass> messages;  // the next ones to be added, which is faster for several at once
  ReportCounts counts;
  std::uint64_t number;
};

Learner::Learner(const protocols::Plan& plan, const simulation::Prepared& parts, unsigned threads)
    : plan_(plan),
      parts_(parts.parts),
      rule_(simulation::update_rule_of(plan)),
      format_(*parts_.randomizer),
      model_{simulation::ModelState(parts_.task.initial), false},
      team_(threads),
      evaluator_(parts_.task.make_evaluator(parts_.task.inputs(parts.data).test, team_)) {
  if (parts_.plan_hash != plan.hash()) {
    throw Error(ErrorCode::internal, "parts", parts_.plan_hash, plan.hash(), "were made for another plan");
  }
  if (parts_.task.frozen) frozen_ = encode_frozen(*parts_.task.frozen);
  for (unsigned i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(*parts_.randomizer, format_.size(), i));
  }
}

Learner::~Learner() = default;

ReportCounts Learner::receive(std::uint64_t reports, const Open& open) {
  team_.run([&](unsigned number) {
    Worker& worker = *workers_[number];
    worker.counts = {};
    worker.aggregator.next_round();
    work(worker, reports, open);
  });
  ReportCounts counts = workers_.front()->counts;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    add(counts, workers_[i]->counts);
    workers_.front()->aggregator.merge(workers_[i]->aggregator);
  }
  return counts;
}

void Learner::work(Worker& worker, std::uint64_t reports, const Open& open) const {
  std::size_t filled = 0;
  const auto flush = [&] {
    worker.aggregator.receive(std::span<const Message>(worker.messages).first(filled));
    filled = 0;
  };
  for (std::uint64_t report = worker.number; report < reports; report += workers_.size()) {
    if (!open(report, worker.payload)) {
      ++worker.counts.sealed;
      continue;
    }
    const wire::PayloadFault fault = format_.decode(worker.payload, worker.messages[filled]);
    count(worker.counts, fault);
    if (fault == wire::PayloadFault::none && ++filled == kPass) flush();
  }
  flush();
}

LearnedModel Learner::next(std::uint64_t round) const {
  const protocols::Aggregator& sum = workers_.front()->aggregator;
  LearnedModel next = model_;
  if (sum.count() == 0) return next;
  std::vector<float> estimate(dimension());
  sum.mean(estimate);
  const double rate = plan_.learning_rate() ? plan_.learning_rate()->at(round) : 0.0;
  simulation::apply_update(rule_, rate, estimate, next.state);
  if (is_finite(next.state)) return next;
  next = model_;
  next.diverged = true;
  return next;
}

void Learner::adopt(LearnedModel model) {
  if (model.state.parameters.size() != dimension()) {
    throw Error(ErrorCode::internal, "model", "", "", "has another dimension than the task's");
  }
  model_ = std::move(model);
}

wire::Buffer Learner::model_blob(const simulation::ModelState& state) {
  return encode_model(state.parameters);
}

simulation::TestScore Learner::score() const {
  return evaluator_->score(simulation::reported_model(rule_, model_.state));
}

simulation::StoredModel Learner::stored(std::uint64_t rounds, double epsilon) const {
  return simulation::released_model(plan_, parts_, simulation::reported_model(rule_, model_.state), rounds,
                                    epsilon);
}

}  // namespace muster::service

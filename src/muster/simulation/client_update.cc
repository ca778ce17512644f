#include "muster/simulation/client_update.h"

#include <algorithm>
#include <vector>

#include "muster/protocols/shuffle.h"
#include "muster/randomizers/aligned.h"

namespace muster::simulation {

LocalSgd local_sgd_of(const protocols::Plan& plan) {
  return {plan.local_steps(), static_cast<float>(plan.local_rate().value_or(0)), plan.local_batch()};
}

double gradients_a_message(const LocalSgd& local, std::uint64_t records) {
  const std::uint64_t batch = std::min(records, local.batch.value_or(records));
  return local.steps == 0 ? static_cast<double>(records)
                          : static_cast<double>(local.steps) * static_cast<double>(batch);
}

struct ClientUpdate::Workspace final : learning::Workspace {
  Workspace(std::unique_ptr<learning::Workspace> made, std::size_t inputs_of_one)
      : function(std::move(made)), inputs(inputs_of_one) {}

  std::unique_ptr<learning::Workspace> function;
  randomizers::AlignedVector<float> inputs;  // the inputs of one example
  randomizers::AlignedVector<float> local;   // the client's parameters during local steps
  std::vector<Record> order;                 // the client's records in the order of local steps
};

ClientUpdate::ClientUpdate(const learning::ClientFunction& function, const learning::Dataset& data,
                           const LocalSgd& local)
    : function_(function), data_(data), local_(local) {}

std::unique_ptr<learning::Workspace> ClientUpdate::make_workspace() const {
  return std::make_unique<Workspace>(function_.make_workspace(), data_.shape.size());
}

void ClientUpdate::prepare(std::span<const float> parameters, learning::Workspace& workspace) const {
  // With local steps, descend() prepares the workspace for the client's own parameters.
  if (local_.steps == 0) function_.prepare(parameters, *static_cast<Workspace&>(workspace).function);
}

bool ClientUpdate::draws(std::size_t records) const {
  return local_.steps > 0 && local_.batch && *local_.batch < records;
}

void ClientUpdate::evaluate(std::span<const float> parameters, std::span<const Record> records,
                            random::BitSource* batches, learning::Workspace& workspace,
                            std::span<float> out) const {
  auto& room = static_cast<Workspace&>(workspace);
  if (records.empty()) {
    std::ranges::fill(out, 0.0f);
  } else if (local_.steps > 0) {
    descend(parameters, records, batches, room, out);
  } else {
    mean(parameters, records, room, out);
  }
}

void ClientUpdate::mean(std::span<const float> parameters, std::span<const Record> records,
                        Workspace& workspace, std::span<float> out) const {
  const auto example = [&](Record record) { return data_.example(record, workspace.inputs); };
  function_.evaluate(parameters, example(records.front()), *workspace.function, out);
  const std::size_t last = records.size() - 1;
  for (std::size_t i = 1; i <= last; ++i) {
    const float scale = i < last ? 1.0f : 1.0f / static_cast<float>(records.size());
    function_.accumulate(parameters, example(records[i]), *workspace.function, scale, out);
  }
}

void ClientUpdate::descend(std::span<const float> parameters, std::span<const Record> records,
                           random::BitSource* batches, Workspace& workspace, std::span<float> out) const {
  workspace.local.assign(parameters.begin(), parameters.end());
  workspace.order.assign(records.begin(), records.end());
  const std::span<Record> order = workspace.order;
  const std::span<float> local = workspace.local;
  const auto batch =
      static_cast<std::size_t>(std::min<std::uint64_t>(local_.batch.value_or(order.size()), order.size()));
  std::size_t next = order.size();
  for (std::uint64_t step = 0; step < local_.steps; ++step) {
    if (next == order.size()) {
      next = 0;
      if (batch < order.size()) protocols::shuffle(order, *batches);
    }
    const std::size_t end = std::min(next + batch, order.size());
    function_.prepare(local, *workspace.function);
    mean(local, order.subspan(next, end - next), workspace, out);
    for (std::size_t i = 0; i < out.size(); ++i) local[i] -= local_.rate * out[i];
    next = end;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = parameters[i] - local[i];
}

}  // namespace muster::simulation

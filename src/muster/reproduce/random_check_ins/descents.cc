#include "muster/reproduce/random_check_ins/descents.h"

#include <memory>
#include <vector>

#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/roll_call_slots.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/gaussian.h"

namespace muster::reproduce {
namespace {

std::unique_ptr<protocols::RollCall> roll_call_of(const Descent& descent, const random::RunKey& key) {
  const protocols::CheckInCoins coins(key, descent.check_in, 0.0);
  if (descent.updates == SlotUpdates::averaged) {
    return std::make_unique<protocols::RollCallAveraged>(key, coins, descent.clients, descent.slots);
  }
  return std::make_unique<protocols::RollCallOfFixedWindow>(key, coins, descent.clients, descent.slots, 1);
}

// Computes the mean message of the senders of a slot.
class Messages {
 public:
  Messages(const ConvexTask& task, double sigma, const random::RunKey& key)
      : task_(task),
        key_(key),
        randomizer_(randomizers::make_gaussian(sigma / kLipschitz, kLipschitz, task.dimension())),
        scratch_(randomizer_->make_scratch()),
        sum_(randomizer_->make_sum()),
        record_(task.dimension()),
        gradient_(task.dimension()),
        mean_(task.dimension()) {}

  const std::vector<float>& mean_at(const std::vector<double>& model,
                                    const std::vector<protocols::Sender>& senders) {
    sum_.clear();
    for (const protocols::Sender& sender : senders) {
      gradient_.assign(gradient_.size(), 0.0F);
      if (!sender.dummy) {
        random::KeyedStream bits(key_, {random::Purpose::bootstrap, 0, sender.client});
        ConvexTask::draw(bits, record_);
        task_.gradient(model, record_, gradient_);
      }
      randomizer_->randomize(gradient_, key_, sender.round, sender.client, *scratch_, message_);
      randomizer_->accumulate(message_, *scratch_, sum_);
    }
    randomizer_->mean(sum_, mean_);
    return mean_;
  }

 private:
  const ConvexTask& task_;
  random::RunKey key_;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  std::unique_ptr<randomizers::Scratch> scratch_;
  randomizers::MessageSum sum_;
  randomizers::Message message_;
  std::vector<float> record_, gradient_, mean_;
};

}  // namespace

double excess_risk(const ConvexTask& task, const Descent& descent, std::uint64_t seed) {
  const random::RunKey key = random::RunKey::from_seed(seed);
  const std::unique_ptr<protocols::RollCall> roll_call = roll_call_of(descent, key);
  Messages messages(task, descent.sigma, key);
  std::vector<double> model(task.dimension(), 0.0), sum = model;
  std::vector<protocols::Sender> senders;
  for (std::uint64_t slot = 1; slot <= descent.slots; ++slot) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += model[j];
    senders.clear();
    roll_call->append_senders(slot, {}, senders);
    if (senders.empty()) continue;  // Algorithm 2 skips an empty slot
    const std::vector<float>& message = messages.mean_at(model, senders);
    const double rate = descent.learning_rate(static_cast<double>(slot));
    for (std::size_t j = 0; j < model.size(); ++j) model[j] -= rate * static_cast<double>(message[j]);
    project_on_ball(model);
  }
  if (descent.released == Released::last_model) return task.excess_risk(model);
  for (double& t : sum) t /= static_cast<double>(descent.slots);
  return task.excess_risk(sum);
}

Estimate mean_excess_risk(const ConvexTask& task, const Descent& descent, std::uint64_t runs) {
  std::vector<double> risks;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) risks.push_back(excess_risk(task, descent, seed));
  return mean_of(risks);
}

}  // namespace muster::reproduce

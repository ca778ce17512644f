#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <map>

#include "muster/core/error.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

std::string Plan::canonical() const {
  std::map<std::string, std::string> lines;
  // "{}" prints a double as the shortest text that parses to the same double.
  const auto put = [&lines](const char* key, const auto& value) {
    lines.emplace(key, fmt::format("{}", value));
  };
  const auto put_if = [&put](const char* key, const auto& value) {
    if (value) {
      put(key, *value);
    }
  };
  put("name", name);
  put("seed", seed);
  put("population.clients", clients);
  if (!data.empty()) {
    put("population.data", data);
  }
  put("participation.protocol", name_of(protocol));
  if (checks_in()) {
    if (min_rate) {
      lines.emplace("participation.rate", fmt::format("[{}, {}]", *min_rate, rate));
    } else {
      put("participation.rate", rate);
    }
    put("participation.dropout", dropout.canonical());
  }
  if (protocol == Protocol::subset) {
    put("participation.subset", subset);
  }
  if (has_slots()) {
    put("participation.slots", slots);
  }
  if (protocol == Protocol::aggregated_check_in) {
    put("participation.minimum", minimum);
  }
  put("randomizer.kind", name_of(randomizer));
  put_if("randomizer.epsilon0", epsilon0);
  put_if("randomizer.clip", clip);
  put_if("randomizer.sigma", sigma);
  put_if("randomizer.k", k);
  put("rounds.count", rounds);
  if (protocol == Protocol::random_check_in_fixed) {
    put("rounds.batch", batch);
  }
  if (learning_rate) {
    put("rounds.learning_rate", learning_rate->canonical());
  }
  put("rounds.momentum", momentum);
  put("rounds.average", average);
  put_if("rounds.projection", projection);
  put("rounds.weight_decay", weight_decay);
  put("rounds.log_every", log_every);
  put("rounds.checkpoint_every", checkpoint_every);
  put("model.kind", name_of(model));
  // Keys that were added later are written only if they differ from their default or apply, so that older
  // plans keep their hash.
  if (activation != Activation::relu) {
    put("model.activation", name_of(activation));
  }
  if (model == ModelKind::features_linear) {
    put("model.public_data", public_data);
    put("model.pretrain_epochs", pretrain_epochs);
  }
  put_if("privacy.delta", delta);
  put_if("privacy.budget", budget);
  std::string text;
  for (const auto& [key, value] : lines) {
    text += fmt::format("{} = {}\n", key, value);
  }
  return text;
}

std::string Plan::hash() const { return hash_of(canonical()); }

std::string hash_of(std::string_view text) {
  constexpr std::size_t kBytes = 32;  // BLAKE2b-256
  std::array<unsigned char, kBytes> digest{};
  if (sodium_init() < 0 ||
      crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(text.data()),
                         text.size(), nullptr, 0) != 0) {
    throw Error(ErrorCode::internal, "hash", "", "", "libsodium refused to hash the plan");
  }
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace muster::protocols

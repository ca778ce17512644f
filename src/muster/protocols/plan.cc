#include "muster/protocols/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "muster/core/error.h"
#include "muster/protocols/plan_keys.h"
#include "muster/protocols/plan_source.h"
#include "muster/protocols/plan_values.h"

namespace muster::protocols {
namespace {

using TypedValues = std::map<std::string, TypedValue, std::less<>>;

const char* name_of(Command command) { return command == Command::account ? "account" : "train"; }

void refuse_unknown(const std::string& key, const RawValue& raw) {
  if (find_key(key) != nullptr) {
    return;
  }
  const std::string close = nearest_key(key);
  const std::string section = key.substr(0, key.find('.') + 1);
  std::string allowed;
  for (const KeySpec& spec : plan_keys()) {
    if (!section.empty() && spec.key.starts_with(section)) {
      allowed += (allowed.empty() ? "" : " | ") + std::string(spec.key);
    }
  }
  refuse(key, raw, allowed.empty() ? close : allowed,
         close.empty() ? "unknown key" : fmt::format("unknown key; did you mean {}?", close));
}

[[noreturn]] void refuse_missing(std::string_view key, const std::string& needed_by) {
  const KeySpec& spec = spec_of(key);
  const std::string how = spec.flag.empty() ? "" : fmt::format("; set it in the plan or with {}", spec.flag);
  throw Error(ErrorCode::plan, std::string(key), "", spec.allowed(),
              fmt::format("required by {}{}", needed_by, how));
}

// The value of a key that decides which other keys apply.
std::string deciding_value(const PlanSource& source, std::string_view key, Command command) {
  const RawValue* raw = source.find(key);
  if (raw == nullptr) {
    refuse_missing(key, name_of(command));
  }
  return std::get<std::string>(typed_value(spec_of(key), *raw));
}

// Every key known, applicable, and of its type and range.
TypedValues typed_values(const PlanSource& source, Command command) {
  for (const auto& [key, raw] : source.entries()) {
    refuse_unknown(key, raw);
  }
  const std::string protocol = deciding_value(source, "participation.protocol", command);
  const std::string randomizer = deciding_value(source, "randomizer.kind", command);
  if (command == Command::train && randomizer == "pure") {
    refuse("randomizer.kind", *source.find("randomizer.kind"), "ldp-sgd | gaussian",
           "pure describes a guarantee, not a randomizer that can run: it is for account alone");
  }
  TypedValues values;
  for (const auto& [key, raw] : source.entries()) {
    const KeySpec& spec = spec_of(key);
    // A plan may say more than a command reads (the same plan is accounted and trained); a flag may not.
    if (raw.origin.is_flag() && !spec.applies_to(command)) {
      refuse(key, raw, "with " + std::string(spec.commands),
             fmt::format("does not apply to {}", name_of(command)));
    }
    if (!spec.applies_to(protocol, randomizer)) {
      refuse(key, raw, spec.only_with(),
             fmt::format("does not apply to protocol {} with randomizer {}", protocol, randomizer));
    }
    values.insert_or_assign(key, typed_value(spec, raw));
  }
  return values;
}

// Reads values by key; `take` leaves the default when the key is absent.
class Reader {
 public:
  Reader(const TypedValues& values, Command command) : values_(values), needed_by_(name_of(command)) {}

  template <typename T, typename Field>
  void take(std::string_view key, Field& field) const {
    if (const auto value = values_.find(key); value != values_.end()) {
      field = std::get<T>(value->second);
    }
  }
  template <typename T, typename Field>
  void require(std::string_view key, Field& field) const {
    require(key);
    take<T>(key, field);
  }
  void require(std::string_view key) const { require(key, needed_by_); }
  void require(std::string_view key, const std::string& needed_by) const {
    if (!values_.contains(key)) {
      refuse_missing(key, needed_by);
    }
  }
  std::string text(std::string_view key) const {
    std::string text;
    take<std::string>(key, text);
    return text;
  }

 private:
  const TypedValues& values_;
  std::string needed_by_;
};

RandomizerKind randomizer_kind(const std::string& name) {
  if (name == "pure") {
    return RandomizerKind::pure;
  }
  return name == "gaussian" ? RandomizerKind::gaussian : RandomizerKind::ldp_sgd;
}

void require_for_training(const Reader& reader) {
  for (const char* key :
       {"population.data", "randomizer.clip", "rounds.learning_rate", "model.kind", "privacy.delta"}) {
    reader.require(key);
  }
}

}  // namespace

Plan Plan::validate(const PlanSource& source, Command command) {
  const TypedValues values = typed_values(source, command);
  const Reader reader(values, command);
  Plan plan;
  plan.name = "plan";
  reader.take<std::string>("name", plan.name);
  reader.take<std::uint64_t>("seed", plan.seed);
  reader.require<std::uint64_t>("population.clients", plan.clients);
  reader.take<std::string>("population.data", plan.data);
  reader.require<double>("participation.rate", plan.rate);
  reader.take<double>("participation.dropout", plan.dropout);
  plan.randomizer = randomizer_kind(reader.text("randomizer.kind"));
  reader.require(plan.randomizer == RandomizerKind::gaussian ? "randomizer.sigma" : "randomizer.epsilon0",
                 "randomizer " + reader.text("randomizer.kind"));
  reader.take<double>("randomizer.epsilon0", plan.epsilon0);
  reader.take<double>("randomizer.clip", plan.clip);
  reader.take<double>("randomizer.sigma", plan.sigma);
  reader.require<std::uint64_t>("rounds.count", plan.rounds);
  reader.take<LearningRate>("rounds.learning_rate", plan.learning_rate);
  reader.take<double>("rounds.momentum", plan.momentum);
  reader.take<double>("rounds.average", plan.average);
  reader.take<double>("rounds.projection", plan.projection);
  reader.take<double>("rounds.weight_decay", plan.weight_decay);
  plan.log_every = std::max<std::uint64_t>(1, plan.rounds / 100);
  reader.take<std::uint64_t>("rounds.log_every", plan.log_every);
  plan.checkpoint_every = std::max<std::uint64_t>(1, plan.rounds / 20);
  reader.take<std::uint64_t>("rounds.checkpoint_every", plan.checkpoint_every);
  plan.model = reader.text("model.kind") == "logistic" ? ModelKind::logistic : ModelKind::cnn;
  reader.take<double>("privacy.delta", plan.delta);
  reader.take<double>("privacy.budget", plan.budget);
  if (command == Command::train) {
    require_for_training(reader);
  }
  plan.participation();  // a rate and a dropout that together leave nobody are refused here
  return plan;
}

accounting::Mechanism Plan::mechanism() const {
  switch (randomizer) {
    case RandomizerKind::pure:
      return accounting::PureLocal{epsilon0.value()};
    case RandomizerKind::ldp_sgd:
      return accounting::LdpSgdLocal{epsilon0.value()};
    case RandomizerKind::gaussian:
      return accounting::GaussianLocal{sigma.value()};
  }
  throw Error(ErrorCode::internal, "randomizer.kind", "", "", "a randomizer without a description");
}

accounting::ShuffledCheckIn Plan::participation() const {
  return {ClientCount::of(clients), Rate::effective(rate, dropout)};
}

}  // namespace muster::protocols

#include "muster/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/plan/source.h"
#include "muster/plan/values.h"

namespace muster::protocols {
namespace {

using TypedValues = std::map<std::string, TypedValue, std::less<>>;

bool among(std::string_view key, const std::vector<std::string_view>& keys) {
  return std::ranges::find(keys, key) != keys.end();
}

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
         close.empty() ? "is an unknown key" : fmt::format("is an unknown key; did you mean {}?", close));
}

[[noreturn]] void refuse_missing(std::string_view key, const std::string& needed_by, Command command) {
  const KeySpec& spec = spec_of(key);
  const std::string how = spec.flag.empty() ? "" : fmt::format("; set it in the plan or with {}", spec.flag);
  throw Error(ErrorCode::plan, std::string(key), "", spec.allowed(command),
              fmt::format("is missing: {} needs it{}", needed_by, how));
}

// The value of a key that decides which other keys apply.
std::string deciding_value(const PlanSource& source, std::string_view key, Command command) {
  const RawValue* raw = source.find(key);
  if (raw == nullptr) {
    refuse_missing(key, name_of(command), command);
  }
  if (const auto* text = std::get_if<std::string>(&raw->value);
      command == Command::train && text != nullptr && *text == "pure") {
    refuse(std::string(key), *raw, spec_of(key).allowed(command),
           "describes a guarantee, not a randomizer that can run: it is accounted and calibrated alone");
  }
  return std::get<std::string>(typed_value(spec_of(key), *raw, command));
}

// Checks that every key is known and applies, and that its value has the right type and range. Keys that
// are solved for are left out.
TypedValues typed_values(const PlanSource& source, Command command,
                         const std::vector<std::string_view>& solved_for) {
  for (const auto& [key, raw] : source.entries()) {
    refuse_unknown(key, raw);
  }
  const std::string protocol = deciding_value(source, "participation.protocol", command);
  const std::string randomizer = deciding_value(source, "randomizer.kind", command);
  const std::string model =
      source.find("model.kind") == nullptr ? "" : deciding_value(source, "model.kind", command);
  TypedValues values;
  for (const auto& [key, raw] : source.entries()) {
    const KeySpec& spec = spec_of(key);
    // A plan may contain keys that a command does not use, since the same plan is accounted and trained.
    // A flag may not.
    if (raw.origin.is_flag() && !spec.applies_to(command)) {
      refuse(key, raw, "with " + std::string(spec.commands),
             fmt::format("does not apply to {}", name_of(command)));
    }
    if (among(key, solved_for)) {
      if (raw.origin.is_flag()) {
        refuse(key, raw, "", fmt::format("is what {} is asked for", name_of(command)));
      }
      continue;
    }
    if (!spec.applies_to(protocol, randomizer)) {
      refuse(key, raw, spec.only_with(),
             fmt::format("does not apply to protocol {} with randomizer {}", protocol, randomizer));
    }
    if (!spec.applies_to(protocol, randomizer, model)) {
      refuse(key, raw, spec.only_with(), fmt::format("does not apply to model {}", model));
    }
    values.insert_or_assign(key, typed_value(spec, raw, command));
  }
  return values;
}

// Reads values by key; `take` leaves the default if the key is absent.
class Reader {
 public:
  Reader(const TypedValues& values, Command command, const std::vector<std::string_view>& solved_for)
      : values_(values), command_(command), solved_for_(solved_for) {}

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
  void require(std::string_view key) const { require(key, name_of(command_)); }
  void require(std::string_view key, const std::string& needed_by) const {
    if (!values_.contains(key) && !among(key, solved_for_)) {
      refuse_missing(key, needed_by, command_);
    }
  }
  std::string text(std::string_view key) const {
    std::string text;
    take<std::string>(key, text);
    return text;
  }

 private:
  const TypedValues& values_;
  Command command_;
  const std::vector<std::string_view>& solved_for_;
};

// The enumerator whose name in plans is `name`. The name has already been checked against the table of keys.
template <typename Kind>
Kind named(const std::string& name, std::initializer_list<Kind> kinds) {
  const auto* const found = std::ranges::find_if(kinds, [&name](Kind kind) { return name == name_of(kind); });
  if (found == kinds.end()) {
    throw Error(ErrorCode::internal, "plan", name, "", "a name in the table of keys without a meaning");
  }
  return *found;
}

Protocol protocol_named(const std::string& name) {
  using enum Protocol;
  return named(name, {shuffle, subset, shuffled_check_in, random_check_in_fixed, random_check_in_averaged,
                      random_check_in_sliding, aggregated_check_in});
}

RandomizerKind randomizer_named(const std::string& name) {
  using enum RandomizerKind;
  return named(name, {pure, ldp_sgd, gaussian, l1, l2, linf, k_rr, laplace});
}

void read_participation(const Reader& reader, Plan& plan) {
  const std::string name = reader.text("participation.protocol");
  plan.protocol = protocol_named(name);
  if (plan.checks_in()) {
    reader.require("participation.rate", "protocol " + name);
    RateRange rate{};
    reader.take<RateRange>("participation.rate", rate);
    plan.rate = rate.hi;
    if (rate.lo < rate.hi) {
      plan.least_rate = rate.lo;
    }
    reader.take<Schedule>("participation.dropout", plan.dropout);
  }
  if (plan.protocol == Protocol::subset) {
    reader.require("participation.subset", "protocol " + name);
  }
  reader.take<std::uint64_t>("participation.subset", plan.subset);
  if (plan.has_slots()) {
    reader.require("participation.slots", "protocol " + name);
  }
  reader.take<std::uint64_t>("participation.slots", plan.slots);
  reader.take<std::uint64_t>("rounds.batch", plan.batch);
  reader.take<std::uint64_t>("participation.minimum", plan.minimum);
}

void read_randomizer(const Reader& reader, Plan& plan) {
  const std::string name = reader.text("randomizer.kind");
  plan.randomizer = randomizer_named(name);
  reader.require(plan.randomizer == RandomizerKind::gaussian ? "randomizer.sigma" : "randomizer.epsilon0",
                 "randomizer " + name);
  if (plan.randomizer == RandomizerKind::k_rr) {
    reader.require("randomizer.k", "randomizer " + name);
  }
  reader.take<double>("randomizer.epsilon0", plan.epsilon0);
  reader.take<double>("randomizer.clip", plan.clip);
  reader.take<double>("randomizer.sigma", plan.sigma);
  reader.take<std::uint64_t>("randomizer.k", plan.k);
}

void read_model(const Reader& reader, Plan& plan) {
  using enum ModelKind;
  if (const std::string name = reader.text("model.kind"); !name.empty()) {
    plan.model = named(name, {cnn, logistic, mlp, features_linear, mean, histogram});
  }
  plan.activation = reader.text("model.activation") == "tanh" ? Activation::tanh : Activation::relu;
  reader.take<std::string>("model.public_data", plan.public_data);
  reader.take<std::uint64_t>("model.pretrain_epochs", plan.pretrain_epochs);
}

void require_for_training(const Reader& reader, const Plan& plan) {
  for (const char* key : {"population.data", "model.kind", "privacy.delta"}) {
    reader.require(key);
  }
  if (plan.randomizer != RandomizerKind::k_rr) {
    reader.require("randomizer.clip");
  }
  if (!plan.is_statistic()) {
    reader.require("rounds.learning_rate");
  }
}

// Refuses a model that the randomizer cannot serve, and public data that is the clients' private data.
void refuse_unfit_model(const PlanSource& source, const Plan& plan) {
  const auto located = [&source](const char* key, const std::string& allowed, const std::string& message) {
    if (const RawValue* raw = source.find(key); raw != nullptr) {
      refuse(key, *raw, allowed, message);
    }
  };
  const char* vectors = "ldp-sgd | gaussian | l1 | l2 | linf";
  if (plan.randomizer == RandomizerKind::k_rr && plan.model != ModelKind::histogram) {
    located("randomizer.kind", vectors, fmt::format("is for histograms, not for {}", name_of(plan.model)));
  }
  if (plan.randomizer == RandomizerKind::laplace && plan.model != ModelKind::mean) {
    located("randomizer.kind", vectors,
            fmt::format("is for the mean of one number, not for {}", name_of(plan.model)));
  }
  if (plan.model == ModelKind::features_linear && plan.public_data != "digits" &&
      plan.public_data == plan.data) {
    located("model.public_data", "another data set",
            "is population.data, too: what clients hold is not public");
  }
}

// Refuses what accounting allows but a training run cannot do.
void refuse_untrainable(const Plan& plan) {
  constexpr std::uint64_t kMostUpdates = (std::uint64_t{1} << 40) - 1;  // a stream address has 40 bits for it
  constexpr std::uint64_t kMostSlots = 1'000'000'000;  // slots are held in memory, 16 bytes each
  if (plan.has_slots() && plan.slots > kMostSlots) {
    throw Error(ErrorCode::plan, "participation.slots", fmt::format("{}", plan.slots), "integer 1..1e9",
                "is more slots than can be trained");
  }
  if (plan.protocol == Protocol::random_check_in_sliding && plan.slots > plan.clients) {
    throw Error(
        ErrorCode::plan, "participation.slots", fmt::format("{}", plan.slots),
        fmt::format("integer 1..{}", plan.clients),
        "is a window longer than the run: it ends before the first client's window does, with no update");
  }
  if (plan.updates() > kMostUpdates) {
    throw Error(ErrorCode::plan, "rounds.count", fmt::format("{}", plan.rounds),
                fmt::format("integer 0..{}", kMostUpdates / plan.slots_a_run()),
                plan.has_slots()
                    ? fmt::format("is more than can be trained, with {} slots each", plan.slots_a_run())
                    : "is more rounds than can be trained");
  }
  if (plan.has_slots() && plan.slots % plan.batch != 0) {
    throw Error(ErrorCode::plan, "rounds.batch", fmt::format("{}", plan.batch),
                fmt::format("a divisor of participation.slots = {}", plan.slots),
                "makes a step reach into the next run");
  }
}

}  // namespace

Plan Plan::validate(const PlanSource& source, Command command,
                    const std::vector<std::string_view>& solved_for) {
  const TypedValues values = typed_values(source, command, solved_for);
  const Reader reader(values, command, solved_for);
  Plan plan;
  plan.name = "plan";
  reader.take<std::string>("name", plan.name);
  reader.take<std::uint64_t>("seed", plan.seed);
  reader.require<std::uint64_t>("population.clients", plan.clients);
  reader.take<std::string>("population.data", plan.data);
  read_participation(reader, plan);
  read_randomizer(reader, plan);
  reader.require<std::uint64_t>("rounds.count", plan.rounds);
  reader.take<LearningRate>("rounds.learning_rate", plan.learning_rate);
  reader.take<double>("rounds.momentum", plan.momentum);
  reader.take<double>("rounds.average", plan.average);
  reader.take<double>("rounds.projection", plan.projection);
  reader.take<double>("rounds.weight_decay", plan.weight_decay);
  plan.log_every = std::max<std::uint64_t>(1, plan.updates() / 100);
  reader.take<std::uint64_t>("rounds.log_every", plan.log_every);
  plan.checkpoint_every = std::max<std::uint64_t>(1, plan.updates() / 20);
  reader.take<std::uint64_t>("rounds.checkpoint_every", plan.checkpoint_every);
  read_model(reader, plan);
  reader.take<double>("privacy.delta", plan.delta);
  reader.take<double>("privacy.budget", plan.budget);
  if (command == Command::train) {
    require_for_training(reader, plan);
    refuse_unfit_model(source, plan);
    refuse_untrainable(plan);
  }
  if (solved_for.empty()) {
    // This refuses a rate and dropout that leave no clients, and a subset or minimum above the
    // number of clients.
    for (const accounting::Stage& stage : plan.stages()) {
      accounting::validate(stage.participation);
    }
  }
  return plan;
}

bool Plan::checks_in() const { return protocol != Protocol::shuffle && protocol != Protocol::subset; }

bool Plan::has_slots() const {
  return protocol == Protocol::random_check_in_fixed || protocol == Protocol::random_check_in_averaged ||
         protocol == Protocol::random_check_in_sliding;
}

std::uint64_t Plan::slots_a_run() const {
  if (protocol == Protocol::random_check_in_sliding) {
    return slots <= clients ? clients - slots + 1 : 0;
  }
  return has_slots() ? slots : 1;
}

std::uint64_t Plan::updates() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t each = slots_a_run();
  return each > 0 && rounds > kMost / each ? kMost : rounds * each;
}

std::uint64_t Plan::rounds_charged(std::uint64_t done) const {
  const std::uint64_t each = slots_a_run();
  // A validated plan never has 0; charging one round per update is the safe answer.
  if (each == 0) return done;
  return done / each + (done % each == 0 ? 0 : 1);
}

accounting::Mechanism Plan::mechanism() const {
  using Norm = accounting::CoordinateLocal::Norm;
  switch (randomizer) {
    case RandomizerKind::pure:
      return accounting::PureLocal{epsilon0.value()};
    case RandomizerKind::ldp_sgd:
      return accounting::LdpSgdLocal{epsilon0.value()};
    case RandomizerKind::gaussian:
      return accounting::GaussianLocal{sigma.value()};
    case RandomizerKind::l1:
      return accounting::CoordinateLocal{Norm::l1, epsilon0.value()};
    case RandomizerKind::l2:
      return accounting::CoordinateLocal{Norm::l2, epsilon0.value()};
    case RandomizerKind::linf:
      return accounting::CoordinateLocal{Norm::linf, epsilon0.value()};
    case RandomizerKind::k_rr:
      return accounting::KRandomizedResponse{epsilon0.value(), k.value()};
    case RandomizerKind::laplace:
      return accounting::LaplaceLocal{epsilon0.value()};
  }
  throw Error(ErrorCode::internal, "randomizer.kind", "", "", "a randomizer without a description");
}

accounting::Participation Plan::participation(std::uint64_t round) const {
  using Kind = accounting::RandomCheckIn::Kind;
  const ClientCount n = ClientCount::of(clients);
  const auto effective = [lost = dropout.at(round)](double coin) { return Rate::effective(coin, lost); };
  std::optional<Rate> least;
  if (least_rate) {
    // The dropout coin may deviate downward by one unit in the last place.
    const double lost = dropout.at(round), exact = effective(*least_rate).value();
    least = Rate::of(lost > 0 ? exact * (1 - 4 * std::numeric_limits<double>::epsilon()) : exact);
  }
  switch (protocol) {
    case Protocol::shuffle:
      return accounting::Shuffle{n};
    case Protocol::subset:
      return accounting::FixedSubset{n, subset};
    case Protocol::shuffled_check_in:
      return accounting::ShuffledCheckIn{n, effective(rate), least};
    case Protocol::random_check_in_fixed:
      return accounting::RandomCheckIn{Kind::fixed, n, slots, effective(rate), least};
    case Protocol::random_check_in_averaged:
      return accounting::RandomCheckIn{Kind::averaged, n, slots, effective(rate), least};
    case Protocol::random_check_in_sliding:
      return accounting::RandomCheckIn{Kind::sliding, n, slots, effective(rate), least};
    case Protocol::aggregated_check_in:
      return accounting::AggregatedCheckIn{n, effective(rate), minimum, least};
  }
  throw Error(ErrorCode::internal, "participation.protocol", "", "", "a protocol without a description");
}

std::vector<accounting::Stage> Plan::stages() const {
  std::vector<std::uint64_t> begins;
  for (const auto& [round, lost] : dropout.steps()) {
    if (round == 1 || (round <= rounds && lost != dropout.at(round - 1))) begins.push_back(round);
  }
  std::vector<accounting::Stage> stages;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : rounds + 1;
    stages.push_back({participation(begins[i]), end - begins[i]});
  }
  return stages;
}

}  // namespace muster::protocols

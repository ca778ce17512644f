// Mistakes that must not compile. Each is an expression or a declaration with one wrong part.
// MISTAKE(wrong, right) stands for the right part, or with -DMISTAKES for the wrong one. misuse_test.py then
// expects errors exactly in the lines that contain MISTAKE. This file is only checked by the compiler.
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "muster/accounting/accountant.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/samplers.h"
#include "muster/randomizers/randomizer.h"
#include "muster/simulation/runs/run_folder.h"

#ifdef MISTAKES
#define MISTAKE(wrong, right) wrong
#else
#define MISTAKE(wrong, right) right
#endif

namespace muster {

// Here one quantity is passed for another, or a bare number for a quantity.
namespace quantities {

using namespace accounting;

double an_epsilon_is_no_delta(const Accountant& accountant) {
  return accountant.epsilon_upper(6800, MISTAKE(Epsilon::of(1e-5), Delta::of(1e-5)));
}

double a_number_is_no_delta(const Accountant& accountant) {
  return accountant.epsilon_upper(6800, MISTAKE(1e-5, Delta::of(1e-5)));
}

ShuffledCheckIn a_number_is_no_count() { return {MISTAKE(60000, ClientCount::of(60000)), Rate::of(0.1)}; }

ShuffledCheckIn a_number_is_no_rate() { return {ClientCount::of(60000), MISTAKE(0.1, Rate::of(0.1))}; }

Shuffle a_rate_is_no_count() { return Shuffle(MISTAKE(Rate::of(1), ClientCount::of(1))); }

bool a_number_is_no_probability(random::BitSource& bits) {
  return random::bernoulli(bits, MISTAKE(0.5, random::Probability::at_most(0.5)));
}

Accountant a_protocol_is_no_mechanism(const Participation& protocol, const Mechanism& mechanism) {
  return {MISTAKE(protocol, mechanism), protocol};
}

}  // namespace quantities

// Here an object is made without the checks of its factory or constructor, or is changed after them.
namespace invalid {

using accounting::FixedSubset;
using accounting::GaussianLocal;
using accounting::LdpSgdLocal;
using accounting::Profile;
using accounting::PureLocal;
using accounting::WithEpsilon0;

Epsilon not_checked_epsilon() { return MISTAKE(Epsilon(-1.0), Epsilon::of(1.0)); }

Delta not_checked_delta() { return MISTAKE(Delta(2.0), Delta::of(0.5)); }

Rate not_checked_rate() { return MISTAKE(Rate(2.0), Rate::of(1.0)); }

ClientCount not_checked_count() { return MISTAKE(ClientCount(0), ClientCount::of(1)); }

// The constructor of a randomizer's or a protocol's description checks it, and nothing can change it later.
GaussianLocal a_mechanism_of_nothing() { return MISTAKE(GaussianLocal{}, GaussianLocal{5.0}); }

double a_mechanism_never_changes(const LdpSgdLocal& mechanism) {
  return MISTAKE(mechanism.epsilon0() = -1, mechanism.epsilon0());
}

std::uint64_t a_protocol_never_changes(const FixedSubset& protocol) {
  return MISTAKE(protocol.subset() = 0, protocol.subset());
}

PureLocal an_epsilon0_without_a_randomizer() { return MISTAKE(WithEpsilon0(1.0), PureLocal(1.0)); }

protocols::Plan a_plan_that_nobody_validated(const protocols::PlanSource& source) {
  return MISTAKE(protocols::Plan{}, protocols::Plan::validate(source, protocols::Command::account));
}

void a_plan_never_changes(protocols::Plan& plan) {
  MISTAKE(plan.with("rounds.count", "2").rounds() = 1,
          static_cast<void>(plan.with("rounds.count", "2").rounds()));
}

Profile a_profile_of_nothing() { return MISTAKE(Profile(), Profile::pure(1.0)); }

}  // namespace invalid

// Here two owners would share random bits, or random bits would have no named purpose.
namespace bits {

using random::KeyedStream;
using random::Purpose;
using random::RunKey;

void a_copy_repeats_its_stream(KeyedStream& stream) {
  [[maybe_unused]] KeyedStream MISTAKE(again(stream), &again = stream);
}

void an_assignment_repeats_its_stream(KeyedStream& stream, KeyedStream& other) {
  stream.MISTAKE(operator=(other), next_u64());
}

RunKey bytes_become_a_key_by_name(const std::array<std::uint8_t, 16>& bytes) {
  return MISTAKE(RunKey(bytes), RunKey::from_bytes(bytes));
}

std::uint64_t a_seed_is_no_key(const RunKey& key) {
  return KeyedStream(MISTAKE(std::uint64_t{1}, key), {Purpose::audit}).next_u64();
}

std::uint64_t a_number_is_no_purpose(const RunKey& key) {
  return KeyedStream(key, {MISTAKE(9, Purpose::audit)}).next_u64();
}

}  // namespace bits

// Here a sampler does not describe its mechanism, or a run has two owners.
namespace owners {

using namespace randomizers;

class Silent : public VectorRandomizer {
 public:
  std::size_t dimension() const override { return 1; }
  std::uint64_t message_bits() const override { return 1; }
  double variance(double) const override { return 0; }
  double step() const override { return 1; }
  std::unique_ptr<Scratch> make_scratch() const override { return nullptr; }
  void randomize(std::span<const float>, const random::RunKey&, std::uint64_t, std::uint64_t, Scratch&,
                 Message&) const override {}
  void accumulate(const Message&, Scratch&, MessageSum&) const override {}
};

class Described final : public Silent {
 public:
  accounting::Mechanism description() const override { return accounting::PureLocal{1.0}; }
};

std::unique_ptr<VectorRandomizer> a_sampler_has_a_description() {
  return std::unique_ptr<VectorRandomizer>(new MISTAKE(Silent, Described));
}

void a_run_has_one_owner(simulation::RunFolder& folder) {
  [[maybe_unused]] simulation::RunFolder MISTAKE(again(folder), &again = folder);
}

}  // namespace owners

}  // namespace muster

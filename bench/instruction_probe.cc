// Runs one kernel TIMES times, for a tool that counts instructions (instructions.py). Without arguments, it
// prints the compiler, the build type and the vector target of the kernels.
//
//   instruction_probe KERNEL TIMES
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/composition/composed_curve.h"
#include "muster/describe/gaussian_divergence.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/protocols/check_in_coins.h"
#include "muster/random/counter_blocks.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/ldp_sgd.h"

namespace {

using namespace muster;

const random::RunKey kKey = random::RunKey::from_seed(1);

// A model, a few examples, and memory for what a client computes.
struct Client {
  std::unique_ptr<learning::GradientEngine> engine = learning::make_engine(learning::Architecture::cnn);
  std::unique_ptr<learning::Workspace> room = engine->make_workspace();
  std::vector<float> initial = learning::initial_parameters(learning::Architecture::cnn, kKey);
  randomizers::AlignedVector<float> parameters{initial.begin(), initial.end()};
  randomizers::AlignedVector<float> gradient = randomizers::AlignedVector<float>(engine->dimension());
  randomizers::AlignedVector<float> inputs = randomizers::AlignedVector<float>(learning::kImagePixels);
  learning::Dataset data = learning::draw_digits(8, 0, 1).train;

  learning::Example example(std::uint64_t i) { return data.example(i % data.size(), inputs); }
};

void gradient(std::uint64_t times) {
  Client client;
  client.engine->prepare(client.parameters, *client.room);  // as a worker does once per round
  for (std::uint64_t i = 0; i < times; ++i) {
    client.engine->gradient(client.parameters, client.example(i), *client.room, client.gradient);
  }
}

void predict(std::uint64_t times) {
  Client client;
  for (std::uint64_t i = 0; i < times; ++i) {
    client.engine->predict(client.parameters, client.example(i).inputs, *client.room);
  }
}

// Makes and aggregates messages, as a worker of the simulation does.
void messages(const randomizers::VectorRandomizer& randomizer, std::uint64_t times) {
  const randomizers::AlignedVector<float> vector(randomizer.dimension(), 0.01f);
  const auto scratch = randomizer.make_scratch();
  randomizers::MessageSum sum = randomizer.make_sum();
  std::array<randomizers::Message, randomizers::VectorRandomizer::kPass> pass;
  for (std::uint64_t i = 0; i < times; ++i) {
    randomizer.randomize(vector, kKey, 1, i, *scratch, pass[i % pass.size()]);
    if ((i + 1) % pass.size() == 0) randomizer.accumulate_all(pass, *scratch, sum);
  }
}

constexpr std::size_t kDimension = 26'010;  // the number of parameters of the papers' network

void ldp_sgd(std::uint64_t times) { messages(*randomizers::make_ldp_sgd(2, 0.1, kDimension), times); }
void gaussian(std::uint64_t times) { messages(*randomizers::make_gaussian(5, 0.01, kDimension), times); }

void gaussian_sum(std::uint64_t times) {
  const randomizers::AlignedVector<float> vector(kDimension, 0.01f);
  const auto sampler = randomizers::make_gaussian_sum(5, 0.01, kDimension);
  randomizers::MessageSum sum = sampler->make_sum();
  for (std::uint64_t i = 0; i < times; ++i) sampler->add(vector, sum);
}

// Tosses the coins of 100,000 clients each time.
void coins(std::uint64_t times) {
  constexpr std::uint64_t kCoins = 100'000;
  const protocols::CheckInCoins coins(kKey, 0.1, 0.0);
  std::vector<std::uint64_t> reporting;
  for (std::uint64_t i = 0; i < times; ++i) {
    reporting.clear();
    coins.append_reporting(1, kCoins * i, kCoins, reporting);
  }
}

const accounting::Question kEpsilon{accounting::Question::Kind::epsilon_at_delta, 1e-5};

// Asks a new accountant what one round of 60,000 clients costs: one theorem's curve, solved for epsilon.
void one_round(std::uint64_t times) {
  const accounting::ShuffledCheckIn protocol(ClientCount::of(60'000), Rate::of(0.1));
  for (std::uint64_t i = 0; i < times; ++i) {
    static_cast<void>(accounting::Accountant(accounting::LdpSgdLocal(2), protocol).upper(1, kEpsilon));
  }
}

// Tabulates the hockey-stick divergence of two normal laws whose means are 0.01 standard deviations apart, as
// the curve of one round, and composes a thousand such rounds.
void composed(std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    const accounting::ComposedCurve curve([](double epsilon) {
      const double upper = accounting::gaussian_divergence(0.01, epsilon).upper;
      return numerics::UpperAndEstimate{.upper = upper, .estimate = upper};
    });
    static_cast<void>(curve.upper(1'000, kEpsilon));
  }
}

const std::map<std::string, std::function<void(std::uint64_t)>> kKernels = {
    {"gradient", gradient},
    {"predict", predict},
    {"ldp-sgd", ldp_sgd},
    {"gaussian", gaussian},
    {"gaussian-sum", gaussian_sum},
    {"coins-of-100000", coins},
    {"account-one-round", one_round},
    {"compose-1000-rounds", composed}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    std::printf("compiler %s\nbuild %s\ntarget %s\n", MUSTER_COMPILER, MUSTER_BUILD_TYPE,
                random::vector_target());
    return 0;
  }
  const auto kernel = kKernels.find(argv[1]);
  const long times = argc == 3 ? std::atol(argv[2]) : 0;
  if (kernel == kKernels.end() || times < 1) {
    std::fprintf(stderr, "usage: instruction_probe KERNEL TIMES, with a kernel of instructions.txt\n");
    return 2;
  }
  kernel->second(static_cast<std::uint64_t>(times));
  return 0;
}

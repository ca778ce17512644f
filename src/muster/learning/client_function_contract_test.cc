// The tests that every ClientFunction must pass. The value that it writes must depend only on the parameters
// and the example, whatever the output and the workspace held before, whatever was evaluated before, and
// whatever other threads evaluate. accumulate() must add what evaluate() writes. Each check is a function
// that makes ClientFunctions and tests them. The last test shows that each check rejects faulty functions.
//
// Values are compared bit by bit. The tests in gradients/ and statistics/ check that the values are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <latch>
#include <limits>
#include <memory>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/gradients/reference_engine.h"
#include "muster/learning/models/architecture.h"
#include "muster/learning/statistics/statistics.h"
#include "tests/support/class_name.h"

namespace muster::learning {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;
using Vector = std::vector<float>;
using Maker = std::function<std::unique_ptr<ClientFunction>()>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Vector normals(std::size_t count, float scale, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(0, scale);
  Vector out(count);
  for (float& value : out) value = normal(bits);
  return out;
}

constexpr std::size_t kExamples = 6;

Dataset images(Shape shape, std::size_t classes, std::span<const ChannelScale> channels) {
  Dataset data;
  data.shape = shape;
  data.classes = classes;
  data.normalisation = Normalisation(channels);
  std::mt19937 bits(1);
  for (std::size_t i = 0; i < kExamples * shape.size(); ++i) {
    data.bytes.push_back(static_cast<std::uint8_t>(bits() >> 24));
  }
  for (std::size_t i = 0; i < kExamples; ++i) data.labels.push_back(static_cast<std::uint8_t>(i % classes));
  return data;
}

Dataset rows(std::size_t features, std::size_t classes) {
  Dataset data = images({1, 1, features}, classes, kMnist);
  data.values = normals(kExamples * features, 1, 2);
  data.bytes.clear();
  return data;
}

struct Contract {
  std::string name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  Maker make;
  Dataset data;
  std::size_t dimension;
  bool reads_parameters = false;
};

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

// Appends contracts of both engines for an architecture; make_engine() must make the class `type`.
void append_engines(const std::string& name, const char* type, const Architecture& architecture,
                    std::vector<Contract>& contracts) {
  const Dataset data = architecture.input.height == 1
                           ? rows(architecture.input.channels, architecture.classes)
                           : images(architecture.input, architecture.classes, kMnist);
  contracts.push_back({.name = name + "_by_make_reference_engine",
                       .type = "ReferenceEngine",
                       .make = [=] { return make_reference_engine(architecture); },
                       .data = data,
                       .dimension = parameter_count(architecture),
                       .reads_parameters = true});
  contracts.push_back({.name = name + "_by_make_engine",
                       .type = type,
                       .make = [=] { return make_engine(architecture); },
                       .data = data,
                       .dimension = parameter_count(architecture),
                       .reads_parameters = true});
}

std::vector<Contract> contracts() {
  const Dataset colours = images({5, 4, 3}, 4, kCifar), features = rows(9, 3);
  std::vector<Contract> all;
  for (const auto& [form, data] : {std::pair{"images", colours}, std::pair{"rows", features}}) {
    const std::string of = std::string("_of_") + form;
    all.push_back({.name = "vector_mean" + of,
                   .type = "VectorMean",
                   .make = [data = data] { return make_vector_mean(data); },
                   .data = data,
                   .dimension = data.shape.size()});
    all.push_back({.name = "scalar_mean" + of,
                   .type = "ScalarMean",
                   .make = [data = data] { return make_scalar_mean(data); },
                   .data = data,
                   .dimension = 1});
    all.push_back({.name = "histogram" + of,
                   .type = "Histogram",
                   .make = [data = data] { return make_histogram(data); },
                   .data = data,
                   .dimension = data.classes});
  }
  append_engines("cnn", "FusedCnnEngine", Architecture::cnn, all);
  append_engines("logistic", "ReferenceEngine", Architecture::logistic, all);
  append_engines("mlp", "ReferenceEngine", Architecture::mlp, all);
  append_engines("tanh_cnn_of_other_images", "ReferenceEngine",
                 {ArchitectureKind::cnn, {16, 15, 1}, 7, ActivationFunction::tanh}, all);
  append_engines("logistic_of_rows", "ReferenceEngine", {ArchitectureKind::logistic, {1, 1, 9}, 3}, all);
  return all;
}

// What a function is evaluated on: two vectors of parameters, and examples with the same inputs as the data
// but in memory of their own.
class Questions {
 public:
  explicit Questions(const Contract& contract)
      : parameters{normals(contract.dimension, 0.1F, 3), normals(contract.dimension, 0.1F, 4)} {
    inputs_.resize(kExamples);
    for (std::size_t i = 0; i < kExamples; ++i) {
      Vector buffer(contract.data.shape.size());
      const Example example = contract.data.example(i, buffer);
      inputs_[i].assign(example.inputs.begin(), example.inputs.end());
      examples.push_back({inputs_[i], example.label});
    }
  }

  std::array<Vector, 2> parameters;
  std::vector<Example> examples;

 private:
  std::vector<Vector> inputs_;
};

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

Vector value_of(const ClientFunction& function, std::span<const float> parameters, const Example& example,
                Workspace& workspace) {
  Vector value(function.dimension(), kNan);
  function.evaluate(parameters, example, workspace, value);
  return value;
}

Vector value_of(const ClientFunction& function, std::span<const float> parameters, const Example& example) {
  return value_of(function, parameters, example, *function.make_workspace());
}

// All of `out`, and nothing beside it, is overwritten with finite numbers that do not depend on what was
// there.
AssertionResult overwrites_the_output(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  const std::size_t size = function->dimension();
  if (size != contract.dimension) return AssertionFailure() << "dimension " << size;
  for (const Example& example : questions.examples) {
    std::vector<Vector> seen;
    for (const float before : {kNan, 1e9F, 0.0F}) {
      Vector out(size + 2, before);
      out.front() = out.back() = 7;
      function->evaluate(questions.parameters[0], example, *function->make_workspace(),
                         std::span(out).subspan(1, size));
      if (out.front() != 7 || out.back() != 7) return AssertionFailure() << "wrote beside the output";
      seen.emplace_back(out.begin() + 1, out.end() - 1);
    }
    if (!std::ranges::all_of(seen[0], [](float x) { return std::isfinite(x); })) {
      return AssertionFailure() << "left NaN in the output";
    }
    if (!same_bits(seen[0], seen[1]) || !same_bits(seen[0], seen[2])) {
      return AssertionFailure() << "the value depends on what was in the output";
    }
  }
  return AssertionSuccess();
}

// A workspace that has served other examples and parameters gives the same bits as a fresh one.
AssertionResult forgets_what_came_before(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  const auto used = function->make_workspace();
  for (std::size_t i = 0; i < 4 * kExamples; ++i) {
    const Vector& parameters = questions.parameters[i / 2 % 2];
    const Example& example = questions.examples[i * 5 % kExamples];
    if (!same_bits(value_of(*function, parameters, example, *used), value_of(*make(), parameters, example))) {
      return AssertionFailure() << "evaluation " << i << " in a used workspace of a used function";
    }
  }
  return AssertionSuccess();
}

// accumulate() adds what evaluate() writes and scales the sum, bit for bit, and changes nothing beside it.
// Half of the entries begin as -0. Adding 0 changes such an entry to 0, but adding -0 does not change it.
AssertionResult adds_what_it_writes(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  const auto workspace = function->make_workspace();
  for (std::size_t offset = 1, size = contract.dimension; offset <= 3; ++offset) {
    Vector expected = normals(size, 0.01F, 5), memory(offset + size + 1, 7);
    for (std::size_t i = 0; i < size; i += 2) expected[i] = -0.0F;
    const std::span<float> sum = std::span(memory).subspan(offset, size);
    std::ranges::copy(expected, sum.begin());
    for (std::size_t i = 0; i < 2 * kExamples; ++i) {
      const Vector& parameters = questions.parameters[i / kExamples];
      const Example& example = questions.examples[i % kExamples];
      const Vector value = value_of(*function, parameters, example);
      const float scale = i % 3 == 2 ? 0.7F : 1.0F;
      for (std::size_t j = 0; j < size; ++j) expected[j] = (expected[j] + value[j]) * scale;
      function->accumulate(parameters, example, *workspace, scale, sum);
      if (!same_bits(expected, sum)) return AssertionFailure() << "added something else, example " << i;
    }
    if (memory[offset - 1] != 7 || memory.back() != 7) return AssertionFailure() << "wrote beside the sum";
  }
  return AssertionSuccess();
}

// The value depends neither on the addresses of the parameters, the inputs and the output nor on their
// alignment.
AssertionResult ignores_addresses(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  const auto moved = [](std::span<const float> from, std::size_t offset) {
    Vector to(offset);
    to.insert(to.end(), from.begin(), from.end());
    return to;
  };
  for (const Example& example : questions.examples) {
    const Vector expected = value_of(*function, questions.parameters[0], example);
    for (std::size_t offset = 1; offset <= 5; ++offset) {
      const Vector parameters = moved(questions.parameters[0], offset),
                   inputs = moved(example.inputs, offset);
      Vector out(offset + expected.size(), kNan);
      function->evaluate(std::span(parameters).subspan(offset),
                         {std::span(inputs).subspan(offset), example.label}, *function->make_workspace(),
                         std::span(out).subspan(offset));
      if (!same_bits(expected, std::span(out).subspan(offset))) {
        return AssertionFailure() << "the value changes " << offset << " floats further on";
      }
    }
  }
  return AssertionSuccess();
}

// prepare() changes no value: neither at the prepared parameters, nor at other parameters that are evaluated
// in between, nor after the prepared floats have changed and were prepared again.
AssertionResult preparing_changes_nothing(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  const auto workspace = function->make_workspace();
  Vector parameters = questions.parameters[0];
  const auto agree = [&](const Vector& at, const Example& example) {
    return same_bits(value_of(*function, at, example, *workspace), value_of(*make(), at, example));
  };
  for (std::size_t i = 0; i < kExamples; ++i) {
    const Example& example = questions.examples[i];
    function->prepare(parameters, *workspace);
    if (i % 2 == 1) function->prepare(parameters, *workspace);
    for (int time = 0; time < 2; ++time) {
      if (!agree(parameters, example)) return AssertionFailure() << "prepared parameters, example " << i;
      if (!agree(questions.parameters[1], example)) return AssertionFailure() << "others, example " << i;
    }
    if (!agree(parameters, example)) return AssertionFailure() << "after others, example " << i;
    for (float& parameter : parameters) parameter *= 1.25F;  // prepared again by the next pass
  }
  return AssertionSuccess();
}

// Two threads that share the function, each with its own workspace, get the values that one thread gets. They
// take the examples in opposite orders, so that they evaluate different ones at the same time.
AssertionResult serves_two_threads(const Contract& contract, const Maker& make) {
  const Questions questions(contract);
  const auto function = make();
  std::vector<Vector> expected;
  for (const Example& example : questions.examples) {
    expected.push_back(value_of(*function, questions.parameters[0], example));
  }
  std::array<int, 2> wrong{};
  std::latch start(2);
  const auto work = [&](std::size_t thread) {
    const auto workspace = function->make_workspace();
    start.arrive_and_wait();
    function->prepare(questions.parameters[0], *workspace);
    for (std::size_t i = 0; i < 8 * kExamples; ++i) {
      const std::size_t at = thread == 0 ? i % kExamples : kExamples - 1 - i % kExamples;
      wrong[thread] +=
          same_bits(value_of(*function, questions.parameters[0], questions.examples[at], *workspace),
                    expected[at])
              ? 0
              : 1;
    }
  };
  std::thread other(work, 1);
  std::thread one(work, 0);
  one.join();
  other.join();
  if (wrong[0] + wrong[1] == 0) return AssertionSuccess();
  return AssertionFailure() << wrong[0] + wrong[1] << " of " << 16 * kExamples << " values are wrong";
}

class ClientFunctionContract : public ::testing::TestWithParam<Contract> {};

TEST_P(ClientFunctionContract, IsTheClassOfTheList) {
  EXPECT_EQ(testing::class_name(*GetParam().make()), GetParam().type);
}

TEST_P(ClientFunctionContract, OverwritesTheOutput) {
  EXPECT_TRUE(overwrites_the_output(GetParam(), GetParam().make));
}

TEST_P(ClientFunctionContract, AUsedWorkspaceGivesTheBitsOfAFreshOne) {
  EXPECT_TRUE(forgets_what_came_before(GetParam(), GetParam().make));
}

TEST_P(ClientFunctionContract, AccumulateAddsTheValueBitForBit) {
  EXPECT_TRUE(adds_what_it_writes(GetParam(), GetParam().make));
}

TEST_P(ClientFunctionContract, AddressesDoNotMatter) {
  EXPECT_TRUE(ignores_addresses(GetParam(), GetParam().make));
}

TEST_P(ClientFunctionContract, PreparingChangesNothing) {
  EXPECT_TRUE(preparing_changes_nothing(GetParam(), GetParam().make));
}

TEST_P(ClientFunctionContract, ServesTwoThreads) {
  EXPECT_TRUE(serves_two_threads(GetParam(), GetParam().make));
}

// A gradient depends on the parameters and on the example; a statistic ignores the parameters.
TEST_P(ClientFunctionContract, OnlyStatisticsIgnoreTheParameters) {
  const Questions questions(GetParam());
  const auto function = GetParam().make();
  const Vector value = value_of(*function, questions.parameters[0], questions.examples[0]);
  EXPECT_FALSE(same_bits(value, value_of(*function, questions.parameters[0], questions.examples[1])));
  EXPECT_EQ(same_bits(value, value_of(*function, questions.parameters[1], questions.examples[0])),
            !GetParam().reads_parameters);
  if (!GetParam().reads_parameters) {
    EXPECT_TRUE(same_bits(value, value_of(*function, {}, questions.examples[0])));
  }
}

enum class Fault {
  adds_to_the_output,
  leaves_the_last,
  writes_beyond_the_output,
  counts_in_the_workspace,
  counts_in_the_function,
  minds_the_alignment,
  is_changed_by_preparing,
  keeps_what_was_prepared_first,
  keeps_the_example_in_the_function,
  overwrites_the_sum,
  writes_beyond_the_sum,
  ignores_the_scale,
};

// A good function with one fault.
class FaultyFunction final : public ClientFunction {
 public:
  FaultyFunction(std::unique_ptr<ClientFunction> good, Fault fault) : good_(std::move(good)), fault_(fault) {}

  std::size_t dimension() const override { return good_->dimension(); }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto room = std::make_unique<Room>();
    room->good = good_->make_workspace();
    return room;
  }

  void prepare(std::span<const float> parameters, Workspace& workspace) const override {
    auto& room = static_cast<Room&>(workspace);
    if (!room.prepared.empty() && fault_ == Fault::keeps_what_was_prepared_first) return;
    room.prepared.assign(parameters.begin(), parameters.end());
    room.prepared_at = parameters.data();
  }

  void evaluate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                std::span<float> out) const override {
    auto& room = static_cast<Room&>(workspace);
    const bool stale =
        fault_ == Fault::keeps_what_was_prepared_first && room.prepared_at == parameters.data();
    const Example taken = fault_ == Fault::keeps_the_example_in_the_function ? shared(example) : example;
    Vector value(dimension(), kNan);
    good_->evaluate(stale ? room.prepared : parameters, taken, *room.good, value);
    const auto changes = [&] {
      switch (fault_) {
        case Fault::counts_in_the_workspace:
          return ++room.evaluations > 1;
        case Fault::counts_in_the_function:
          return ++evaluations_ > 1;
        case Fault::minds_the_alignment:
          return reinterpret_cast<std::uintptr_t>(out.data()) % 16 != 0;
        case Fault::is_changed_by_preparing:
          return !room.prepared.empty();
        default:
          return false;
      }
    };
    if (changes()) value[0] += 1;
    if (fault_ == Fault::adds_to_the_output) {
      for (std::size_t i = 0; i < value.size(); ++i) value[i] += out[i];
    }
    std::copy(value.begin(), value.end() - (fault_ == Fault::leaves_the_last ? 1 : 0), out.begin());
    if (fault_ == Fault::writes_beyond_the_output) *(out.data() + out.size()) = 0;
  }

  void accumulate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                  float scale, std::span<float> sum) const override {
    if (fault_ == Fault::overwrites_the_sum) std::ranges::fill(sum, 0.0F);
    const float factor = fault_ == Fault::ignores_the_scale ? 1.0F : scale;
    ClientFunction::accumulate(parameters, example, workspace, factor, sum);
    if (fault_ == Fault::writes_beyond_the_sum) *(sum.data() + sum.size()) = 0;
  }

 private:
  struct Room final : Workspace {
    std::unique_ptr<Workspace> good;
    Vector prepared;
    const float* prepared_at = nullptr;
    int evaluations = 0;
  };

  // Returns the example that was written last. The two threads of serves_two_threads() both write before
  // either reads, and both read before either writes again. The thread that made the function does not wait.
  Example shared(const Example& example) const {
    shared_ = &example;
    meet();
    const Example taken = *shared_;
    meet();
    return taken;
  }
  void meet() const {
    if (std::this_thread::get_id() == home_) return;
    const unsigned arrived = ++arrivals_, both = (arrived + 1) / 2 * 2;
    while (arrivals_ < both) std::this_thread::yield();
  }

  std::unique_ptr<ClientFunction> good_;
  Fault fault_;
  std::thread::id home_ = std::this_thread::get_id();
  mutable std::atomic<const Example*> shared_ = nullptr;
  mutable std::atomic<unsigned> arrivals_ = 0;
  mutable std::atomic<int> evaluations_ = 0;
};

TEST_P(ClientFunctionContract, FaultyFunctionsAreNoticed) {
  std::vector<std::pair<Fault, AssertionResult (*)(const Contract&, const Maker&)>> faults = {
      {Fault::adds_to_the_output, overwrites_the_output},
      {Fault::leaves_the_last, overwrites_the_output},
      {Fault::writes_beyond_the_output, overwrites_the_output},
      {Fault::counts_in_the_workspace, forgets_what_came_before},
      {Fault::counts_in_the_function, forgets_what_came_before},
      {Fault::minds_the_alignment, ignores_addresses},
      {Fault::is_changed_by_preparing, preparing_changes_nothing},
      {Fault::keeps_the_example_in_the_function, serves_two_threads},
      {Fault::overwrites_the_sum, adds_what_it_writes},
      {Fault::writes_beyond_the_sum, adds_what_it_writes},
      {Fault::ignores_the_scale, adds_what_it_writes},
  };
  // A statistic ignores the parameters, so this fault would change none of its values.
  if (GetParam().reads_parameters) {
    faults.emplace_back(Fault::keeps_what_was_prepared_first, preparing_changes_nothing);
  }
  for (const auto& [fault, check] : faults) {
    const Maker make = [fault = fault] { return std::make_unique<FaultyFunction>(GetParam().make(), fault); };
    EXPECT_FALSE(check(GetParam(), make)) << "fault " << static_cast<int>(fault);
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, ClientFunctionContract, ::testing::ValuesIn(contracts()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace muster::learning

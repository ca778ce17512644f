// A network must be loaded as it was stored. Its score is compared with a loss in closed form, and files and
// data that do not belong together are refused.
#include "muster/simulation/stored_network.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/learning/data/digits.h"

namespace muster::simulation {
namespace {

using learning::Architecture;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pair;

const learning::Dataset& digits() {
  static const learning::Dataset data = learning::draw_digit_set(learning::DigitSet::test, 200, 1);
  return data;
}

std::vector<float> parameters_of(const Architecture& architecture) {
  return learning::initial_parameters(architecture, random::RunKey::from_seed(5));
}

StoredModel stored(const Architecture& architecture) {
  return stored_network(architecture, about_network(architecture, digits()), parameters_of(architecture));
}

std::string refusal(ErrorCode code, const std::function<void()>& load) {
  try {
    load();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "nothing was refused";
}

TEST(StoredNetwork, IsLoadedAsItWasStored) {
  Architecture tanh = Architecture::cnn;
  tanh.activation = learning::ActivationFunction::tanh;
  for (const Architecture& architecture :
       {Architecture::cnn, Architecture::logistic, Architecture::mlp, tanh}) {
    const StoredModel model = decode_model(encode_model(stored(architecture)), "m");
    const LoadedNetwork loaded = loaded_network(model, "m");
    EXPECT_EQ(loaded.architecture, architecture);
    EXPECT_EQ(loaded.parameters, parameters_of(architecture));
  }
}

TEST(StoredNetwork, SaysHowItIsUsed) {
  EXPECT_THAT(stored(Architecture::cnn).about,
              IsSupersetOf({Pair("model", "cnn"), Pair("input", "28x28x1"), Pair("classes", "10"),
                            Pair("activation", "relu"), Pair("mean", "0.1307"), Pair("deviation", "0.3081"),
                            Pair("format", "pt")}));
  EXPECT_EQ(stored(Architecture::logistic).about.count("activation"), 0);
}

// A network whose weights are 0 predicts the class of the largest bias. With the biases b, its loss on an
// example of class j is log(sum_i e^b_i) - b_j.
TEST(StoredNetwork, IsScoredOnTestData) {
  StoredModel model = stored(Architecture::logistic);
  std::fill(model.tensors[0].values.begin(), model.tensors[0].values.end(), 0.0F);
  std::fill(model.tensors[1].values.begin(), model.tensors[1].values.end(), 0.0F);
  model.tensors[1].values[3] = 1;
  std::size_t threes = 0;
  for (const std::uint8_t label : digits().labels) threes += label == 3 ? 1 : 0;
  const double share = static_cast<double>(threes) / static_cast<double>(digits().size());
  const TestScore score = score_of(model, digits(), "m");
  EXPECT_DOUBLE_EQ(score.accuracy, share);
  EXPECT_NEAR(score.loss.value(), std::log(9 + std::exp(1.0)) - share, 1e-5);
}

TEST(StoredNetwork, OfUnknownMakeIsRefused) {
  const auto with = [](const char* key, const char* value) {
    StoredModel model = stored(Architecture::cnn);
    model.about[key] = value;
    return refusal(ErrorCode::file, [&] { loaded_network(model, "run/m"); });
  };
  for (const auto& [key, value] : {std::pair{"model", "mean"},
                                   {"model", ""},
                                   {"input", "28x28"},
                                   {"input", "x28x1"},
                                   {"input", "28x-2x1"},
                                   {"input", "28x28x99999999999"},
                                   {"classes", "0"},
                                   {"activation", "gelu"}}) {
    EXPECT_THAT(with(key, value), HasSubstr("run/m")) << key;
    EXPECT_THAT(with(key, value), HasSubstr(std::string("\"") + key + "\"")) << value;
  }
  EXPECT_THAT(with("classes", "11"), HasSubstr("fc2.weight"));
  EXPECT_THAT(with("model", "mlp"), HasSubstr("fc1.weight"));
}

TEST(StoredNetwork, IsNotScoredOnOtherData) {
  const StoredModel model = stored(Architecture::logistic);
  learning::Dataset other = digits();
  other.normalisation = learning::Normalisation(std::vector<learning::ChannelScale>{{0.5, 0.5}});
  EXPECT_THAT(refusal(ErrorCode::data, [&] { score_of(model, other, "m"); }), HasSubstr("another mean"));
  other = digits();
  other.classes = 12;
  EXPECT_THAT(refusal(ErrorCode::data, [&] { score_of(model, other, "m"); }), HasSubstr("number of classes"));
  other = digits();
  other.shape = {1, 1, 784};
  EXPECT_THAT(refusal(ErrorCode::data, [&] { score_of(model, other, "m"); }), HasSubstr("another input"));
  other = digits();
  other.labels.clear();
  other.bytes.clear();
  EXPECT_THAT(refusal(ErrorCode::data, [&] { score_of(model, other, "m"); }), HasSubstr("no test examples"));
}

}  // namespace
}  // namespace muster::simulation

#include "muster/learning/models/pretraining.h"

#include <algorithm>
#include <future>

#include "muster/core/error.h"
#include "muster/learning/gradients/engine.h"

namespace muster::learning {

void descend(const GradientEngine& engine, const Dataset& data, double rate, std::vector<float>& parameters) {
  const auto room = engine.make_workspace();
  std::vector<float> buffer(data.shape.size());
  std::vector<float> gradient(parameters.size());
  std::vector<float> sum(parameters.size());
  const auto step = static_cast<float>(rate / kMinibatch);
  for (std::size_t i = 0; i + kMinibatch <= data.size(); i += kMinibatch) {
    std::ranges::fill(sum, 0.0F);
    for (std::size_t b = 0; b < kMinibatch; ++b) {
      engine.gradient(parameters, data.example(i + b, buffer), *room, gradient);
      for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += gradient[p];
    }
    for (std::size_t p = 0; p < sum.size(); ++p) parameters[p] -= step * sum[p];
  }
}

double fraction_right(const GradientEngine& engine, const std::vector<float>& parameters,
                      const Dataset& data) {
  const auto room = engine.make_workspace();
  std::vector<float> buffer(data.shape.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Example example = data.example(i, buffer);
    right += engine.predict(parameters, example.inputs, *room) == example.label ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.size());
}

std::vector<float> pretrain(const Architecture& architecture, const Dataset& data, std::size_t epochs,
                            const random::RunKey& key) {
  if (data.shape != architecture.input || data.classes != architecture.classes) {
    throw Error(ErrorCode::internal, "public data", "", "", "not of the network's shape");
  }
  constexpr double kRate = 0.1;
  const auto engine = make_engine(architecture);
  std::vector<float> parameters = initial_parameters(architecture, key, {random::Purpose::initialize, 1});
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    descend(*engine, data, kRate / (1.0 + static_cast<double>(epoch)), parameters);
  }
  return parameters;
}

Dataset features_of(const Architecture& architecture, const std::vector<float>& parameters,
                    const Dataset& data, unsigned threads) {
  if (threads == 0)
    throw Error(ErrorCode::internal, "threads", "0", "at least 1", "nothing would be computed");
  const auto engine = make_engine(architecture);
  const std::size_t count = engine->feature_count();
  Dataset features;
  features.shape = {1, 1, count};
  features.classes = data.classes;
  features.labels = data.labels;
  features.values.resize(data.size() * count);
  const auto work = [&](std::size_t first, std::size_t last) {
    const auto room = engine->make_workspace();
    std::vector<float> buffer(data.shape.size());
    for (std::size_t i = first; i < last; ++i) {
      const auto row = engine->features(parameters, data.example(i, buffer).inputs, *room);
      std::ranges::copy(row, features.values.begin() + static_cast<std::ptrdiff_t>(i * count));
    }
  };
  std::vector<std::future<void>> parts;
  for (std::size_t part = 0; part < threads; ++part) {
    parts.push_back(std::async(std::launch::async, work, data.size() * part / threads,
                               data.size() * (part + 1) / threads));
  }
  for (std::future<void>& part : parts) part.get();
  return features;
}

}  // namespace muster::learning

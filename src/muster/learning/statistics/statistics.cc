#include "muster/learning/statistics/statistics.h"

#include <algorithm>

namespace muster::learning {
namespace {

class Statistic : public ClientFunction {
 public:
  explicit Statistic(std::size_t dimension) : dimension_(dimension) {}
  std::size_t dimension() const final { return dimension_; }
  std::unique_ptr<Workspace> make_workspace() const final { return std::make_unique<Workspace>(); }

 private:
  std::size_t dimension_;
};

class VectorMean final : public Statistic {
 public:
  using Statistic::Statistic;
  void evaluate(std::span<const float>, const Example& example, Workspace&,
                std::span<float> out) const override {
    std::ranges::copy(example.inputs, out.begin());
  }
};

class ScalarMean final : public Statistic {
 public:
  explicit ScalarMean(const Dataset& data) : Statistic(1), images_(data.values.empty()) {
    const auto channels = data.normalisation.channels();
    scales_.assign(channels.begin(), channels.end());
  }
  void evaluate(std::span<const float>, const Example& example, Workspace&,
                std::span<float> out) const override {
    if (!images_) {
      out[0] = example.inputs[0];
      return;
    }
    double sum = 0;
    for (std::size_t p = 0; p < example.inputs.size(); ++p) {
      const ChannelScale& scale = scales_[p % scales_.size()];
      sum += static_cast<double>(example.inputs[p]) * scale.deviation + scale.mean;
    }
    out[0] = static_cast<float>(sum / static_cast<double>(example.inputs.size()));
  }

 private:
  bool images_;
  std::vector<ChannelScale> scales_;
};

class Histogram final : public Statistic {
 public:
  using Statistic::Statistic;
  void evaluate(std::span<const float>, const Example& example, Workspace&,
                std::span<float> out) const override {
    std::ranges::fill(out, 0.0F);
    out[example.label] = 1.0F;
  }
};

}  // namespace

std::unique_ptr<ClientFunction> make_vector_mean(const Dataset& data) {
  return std::make_unique<VectorMean>(data.shape.size());
}

std::unique_ptr<ClientFunction> make_scalar_mean(const Dataset& data) {
  return std::make_unique<ScalarMean>(data);
}

std::unique_ptr<ClientFunction> make_histogram(const Dataset& data) {
  return std::make_unique<Histogram>(data.classes);
}

std::vector<double> mean_over(const ClientFunction& function, const Dataset& data) {
  const auto workspace = function.make_workspace();
  const std::vector<float> parameters(function.dimension(), 0.0F);
  std::vector<float> buffer(data.shape.size());
  std::vector<float> value(function.dimension());
  std::vector<double> mean(function.dimension(), 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    function.evaluate(parameters, data.example(i, buffer), *workspace, value);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += static_cast<double>(value[j]);
  }
  for (double& entry : mean) entry /= static_cast<double>(data.size());
  return mean;
}

}  // namespace muster::learning

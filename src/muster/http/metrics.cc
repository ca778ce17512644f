#include "muster/http/metrics.h"

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "muster/core/error.h"

namespace muster::service {
namespace {

constexpr int kDigits = std::numeric_limits<double>::max_digits10 - 1;  // that the serializer writes

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') && std::ranges::all_of(text, fits);
}

// The serializer does not escape names and help texts, so a character that needs it is refused.
void expect(bool holds, const std::string& name) {
  if (!holds) throw Error(ErrorCode::internal, "metric", name, "", "has a malformed name or help");
}

}  // namespace

struct Metrics::State {
  void add(prometheus::MetricType type, const std::string& name, const std::string& help,
           const std::string* label, const Samples& samples) {
    expect(is_name(name) && (label == nullptr || is_name(*label)), name);
    expect(help.find_first_of("\n\\") == help.npos, name);
    prometheus::MetricFamily family{name, help, type, {}};
    for (const auto& [value_of_label, value] : samples) {
      prometheus::ClientMetric metric;
      if (label != nullptr) metric.label.push_back({*label, value_of_label});
      (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
      family.metric.push_back(std::move(metric));
    }
    families.push_back(std::move(family));
  }

  std::vector<prometheus::MetricFamily> families;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;
Metrics::Metrics(Metrics&&) noexcept = default;
Metrics& Metrics::operator=(Metrics&&) noexcept = default;

Metrics& Metrics::counter(const std::string& name, const std::string& help, double value) {
  state_->add(prometheus::MetricType::Counter, name, help, nullptr, {{"", value}});
  return *this;
}
Metrics& Metrics::counter(const std::string& name, const std::string& help, const std::string& label,
                          const Samples& samples) {
  state_->add(prometheus::MetricType::Counter, name, help, &label, samples);
  return *this;
}
Metrics& Metrics::gauge(const std::string& name, const std::string& help, double value) {
  state_->add(prometheus::MetricType::Gauge, name, help, nullptr, {{"", value}});
  return *this;
}
Metrics& Metrics::gauge(const std::string& name, const std::string& help, const std::string& label,
                        const Samples& samples) {
  state_->add(prometheus::MetricType::Gauge, name, help, &label, samples);
  return *this;
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(state_->families); }

double Metrics::rounded_up(double upper) {
  if (!std::isfinite(upper)) return upper;
  const auto shown = [](double value) { return std::stod(fmt::format("{:.{}g}", value, kDigits)); };
  // A few steps to the next double are enough, because a text of 16 digits is off by a few doubles at most.
  double up = upper;
  while (shown(up) < upper) up = std::nextafter(up, std::numeric_limits<double>::infinity());
  return shown(up);
}

}  // namespace muster::service

// Figures of a role in the text format of Prometheus, version 0.0.4, for GET /metrics.
//
// All are counts and sums of many devices, and no label names a device, a connection, a token or a time: a
// sample has at most one label, whose values are a fixed set of words, such as the reasons of a rejection. A
// Metrics belongs to one thread.
//
// Example:
//     Metrics metrics;
//     metrics.counter("muster_aggregator_rounds_total", "Rounds that ended.", "outcome",
//                     {{"released", 3}, {"void", 1}});
//     metrics.gauge("muster_aggregator_needed_devices", "Devices that a round needs.", 2064);
//     metrics.text();
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::service {

class Metrics {
 public:
  // The content type of text().
  static constexpr const char* kType = "text/plain; version=0.0.4; charset=utf-8";
  using Samples = std::vector<std::pair<std::string, double>>;  // by the value of the label

  Metrics();
  ~Metrics();
  Metrics(Metrics&&) noexcept;
  Metrics& operator=(Metrics&&) noexcept;

  // A counter never falls while the process runs; a gauge may. Names and labels consist of lower-case
  // letters, digits and underscores and begin with no digit, and `help` is one line without a backslash;
  // otherwise Error(internal) is thrown.
  Metrics& counter(const std::string& name, const std::string& help, double value);
  Metrics& counter(const std::string& name, const std::string& help, const std::string& label,
                   const Samples& samples);
  Metrics& gauge(const std::string& name, const std::string& help, double value);
  Metrics& gauge(const std::string& name, const std::string& help, const std::string& label,
                 const Samples& samples);

  std::string text() const;

  // Returns a number >= `upper` that the 16 digits of the format show exactly. Every upper value must be
  // rounded by this function, because otherwise the figure that is shown may be below it.
  static double rounded_up(double upper);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::service

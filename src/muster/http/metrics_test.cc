// Compares the metrics with literal texts of the Prometheus format, and checks that an upper value is never
// shown below itself.
#include "muster/http/metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::service {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Metrics, AreWrittenInTheTextFormat) {
  Metrics metrics;
  metrics.counter("a_total", "Things.", "why", {{"one", 1}, {"two", 2.5}}).gauge("b", "More.", 1 << 20);
  metrics.counter("c_total", "All.", 3).gauge("d", "Some.", "why", {{"never", kInfinity}});
  EXPECT_EQ(
      metrics.text(),
      "# HELP a_total Things.\n# TYPE a_total counter\na_total{why=\"one\"} 1\na_total{why=\"two\"} 2.5\n"
      "# HELP b More.\n# TYPE b gauge\nb 1048576\n"
      "# HELP c_total All.\n# TYPE c_total counter\nc_total 3\n"
      "# HELP d Some.\n# TYPE d gauge\nd{why=\"never\"} +Inf\n");
  EXPECT_EQ(Metrics().text(), "");
}

TEST(Metrics, NamesThatTheFormatCannotWriteAreRefused) {
  for (const char* name : {"", "1a", "a-b", "a b", "A", "a\n", "\xc3\xa4"}) {
    EXPECT_ERROR(ErrorCode::internal, Metrics().gauge(name, "Help.", 1)) << name;
    EXPECT_ERROR(ErrorCode::internal, Metrics().gauge("a", "Help.", name, {{"b", 1}})) << name;
  }
  EXPECT_ERROR(ErrorCode::internal, Metrics().gauge("a", "Two\nlines.", 1));
  EXPECT_ERROR(ErrorCode::internal, Metrics().gauge("a", "Back\\slash.", 1));
  // The value of a label may be any text.
  EXPECT_EQ(Metrics().gauge("a", "Help.", "b", {{"\"\\\n", 1}}).text(),
            "# HELP a Help.\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 1\n");
}

TEST(Metrics, AnUpperValueIsNeverShownBelowItself) {
  const auto shown = [](double value) {
    const std::string text = Metrics().gauge("a", "Help.", value).text();
    return std::stod(text.substr(text.rfind(' ')));
  };
  int below = 0;  // values that the format alone would show below themselves
  for (double value = 1e-300; value < 1e300; value *= 1.7) {
    for (const double each : {value, std::nextafter(value, kInfinity), 1 / value}) {
      if (shown(each) < each) ++below;
      const double up = Metrics::rounded_up(each);
      EXPECT_EQ(shown(up), up);
      EXPECT_GE(up, each);
      EXPECT_LE(up, each * (1 + 2e-15));
    }
  }
  EXPECT_GT(below, 100);
  for (const double exact : {0.0, 0.5, 1.0, 2064.0}) EXPECT_EQ(Metrics::rounded_up(exact), exact);
  EXPECT_EQ(Metrics::rounded_up(kInfinity), kInfinity);
}

}  // namespace
}  // namespace muster::service

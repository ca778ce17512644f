// Compares the header with a literal text, whose hash of the style sheet was computed by openssl.
#include "muster/http/content_policy.h"

#include <gtest/gtest.h>

namespace muster::service {
namespace {

TEST(ContentPolicy, AllowsTheStyleSheetByItsHashAndNothingElse) {
  // The hash is that of `printf 'p{color:red}' | openssl dgst -sha256 -binary | base64`.
  EXPECT_EQ(
      content_policy("p{color:red}"),
      "default-src 'none'; style-src 'sha256-p0bF+un5yUb9MBO6xRb8kPHlY2BdpHVtLiFkDrZPF64='; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'");
}

}  // namespace
}  // namespace muster::service

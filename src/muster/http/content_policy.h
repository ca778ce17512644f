// The Content-Security-Policy of a page that is complete in itself: it loads nothing, runs no script, sends
// no form, is in no frame, and has one style sheet, known by its hash. The function is pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::service {

// `style` is what stands between <style> and </style>.
std::string content_policy(std::string_view style);

}  // namespace muster::service

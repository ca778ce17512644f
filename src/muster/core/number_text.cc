#include "muster/core/number_text.h"

#include <fmt/format.h>

namespace muster {

std::string number_text(double value) { return fmt::format("{:.15g}", value); }

}  // namespace muster

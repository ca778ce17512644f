// Text for a number as a person writes it, in sentences that people read: descriptions, assumptions, errors.
#pragma once

#include <string>

namespace muster {

// The value with at most 15 significant digits, without trailing zeros. A decimal number of at most 15
// digits is printed as it was typed. A product such as 0.01 * (1 - 0.3) has 0.006999999999999999 as its
// shortest exact text, and is printed as "0.007". Pure.
std::string number_text(double value);

}  // namespace muster

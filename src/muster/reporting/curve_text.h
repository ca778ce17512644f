// Curves as `muster account --curve` prints them: a table, CSV, or one self-contained SVG picture.
//
// Upper values are rounded up and lower ones down in the table; CSV carries 17 digits. What is none is an
// empty cell, and a gap in the picture.
#pragma once

#include <string>

#include "muster/accounting/privacy_curve.h"

namespace muster::app {

enum class CurveFormat { table, csv, svg };

// Throws Error(usage) for a name that is none.
CurveFormat curve_format_named(const std::string& name);

// `heading` says what was asked of what; CSV has none.
std::string curve_text(const accounting::PrivacyCurves& curves, CurveFormat format,
                       const std::string& heading);

std::string curve_svg(const accounting::PrivacyCurves& curves, const std::string& heading);

}  // namespace muster::app

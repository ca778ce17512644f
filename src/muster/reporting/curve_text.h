// Formats privacy curves for `muster account --curve`: as a table, CSV, or one self-contained SVG picture.
//
// In the table, upper values are rounded up and lower values down; CSV has 17 digits. A missing value is
// "none" or "-" in the table, an empty cell in CSV and a gap in the picture. The functions are pure.
#pragma once

#include <string>

#include "muster/accounting/privacy_curve.h"

namespace muster::reporting {

enum class CurveFormat { table, csv, svg };

// Throws Error(usage) if no format has this name.
CurveFormat curve_format_named(const std::string& name);

// Says what the upper values guarantee, as in "proven; replace-one; shuffler-honest".
std::string guarantee(const accounting::PrivacyCurves& curves);

// Returns the curves in this format. `heading` states the question and the plan. The table and the picture
// show the heading and guarantee(), which the picture has in its legend. CSV shows neither.
std::string curve_text(const accounting::PrivacyCurves& curves, CurveFormat format,
                       const std::string& heading);

// If one of the two curves is empty, the picture has the other alone.
std::string curve_svg(const accounting::PrivacyCurves& curves, const std::string& heading);

}  // namespace muster::reporting

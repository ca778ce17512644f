// Shows statements, plans, runs and curves in a notebook: as pieces of HTML for inclusion in a page that has
// its own styles, light or dark.
//
// A piece has no script, no style sheet and no class of its own, and loads nothing: text and lines take the
// colour of the surrounding page, and pictures bring their own paper. Text from a file is escaped. The
// functions are pure.
#pragma once

#include <string>

#include "muster/accounting/privacy_curve.h"
#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::reporting {

// Shows the best bound in one sentence, then a table of all bounds, then the assumptions and the citation of
// the best one. Upper values are rounded up and lower values down.
std::string notebook_html(const accounting::Statement& statement);

// Shows the plan in one sentence, then the keys that it states and their values. `heading` is plain text.
std::string notebook_html(const protocols::Plan& plan, const std::string& heading);

// Shows how far the run got and what it cost, then the keys that its plan states and their values.
std::string notebook_html(const simulation::RunRecord& run);

// Shows the picture that curve_svg draws.
std::string notebook_html(const accounting::PrivacyCurves& curves, const std::string& heading);

}  // namespace muster::reporting

// Checks what a notebook shows of a statement, a plan and a curve: bounds are rounded outward, all text is
// escaped, and no default value appears that the plan does not state.
#include "muster/reporting/notebook_html.h"

#include <gmock/gmock.h>

#include "muster/accounting/accountant.h"
#include "muster/plan/source.h"

namespace muster::reporting {
namespace {

using testing::HasSubstr;
using testing::Not;

// Upper values are rounded up and lower values down, a missing upper value is none, and text is escaped.
TEST(NotebookHtml, OfAStatementRoundsOutwardAndEscapes) {
  accounting::Bound bound;
  bound.id = "<id>";
  bound.validity = accounting::Validity::proven;
  bound.upper = 0.12345649;
  bound.lower = 0.12345651;
  bound.assumptions = {"a < b & c"};
  accounting::Bound none = bound;
  none.id = "lower-alone";
  none.upper = std::nullopt;
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, 1e-5};
  const std::string html = notebook_html({question, 3, bound, 2.5, 3, {bound, none}});
  EXPECT_THAT(html, HasSubstr("<b>epsilon at most 0.123457</b> at delta 1e-05, after 3 rounds: proven"));
  EXPECT_THAT(html, HasSubstr("at least 0.123456"));
  EXPECT_THAT(html, HasSubstr("&lt;id&gt;"));
  EXPECT_THAT(html, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(html, HasSubstr(">none<"));
  EXPECT_THAT(html, Not(HasSubstr("<id>")));
}

// A plan shows what it states, and not the defaults of training that its canonical text has, too.
TEST(NotebookHtml, OfAPlanShowsWhatItStates) {
  const auto source = protocols::PlanSource::from_text(
      "[population]\nclients = 10\n[participation]\nprotocol = \"shuffle\"\n[randomizer]\nkind = \"pure\"\n"
      "epsilon0 = 1.0\n[rounds]\ncount = 2\n",
      "a.toml");
  const std::string html =
      notebook_html(protocols::Plan::validate(source, protocols::Command::account), "<what>");
  EXPECT_THAT(html, HasSubstr("population.clients"));
  EXPECT_THAT(html, HasSubstr("&lt;what&gt;"));
  EXPECT_THAT(html, Not(HasSubstr("model.kind")));
}

// The picture of one curve alone is one wide panel, with the curve's axis.
TEST(NotebookHtml, OfACurveIsOnePicture) {
  const accounting::Accountant accountant(accounting::PureLocal{1},
                                          accounting::Shuffle{ClientCount::of(100)});
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, 1e-5};
  const std::string over_rounds =
      notebook_html(accounting::curve_over_rounds(accountant, {1, 2}, question, std::nullopt), "a plan");
  EXPECT_THAT(over_rounds, HasSubstr("epsilon over rounds, at delta 1e-05"));
  EXPECT_THAT(over_rounds, Not(HasSubstr("epsilon over delta")));
  const std::string over_epsilon =
      notebook_html(accounting::curve_over_fixed(accountant, 1, accounting::Question::Kind::delta_at_epsilon,
                                                 {0, 0.1, 0.5}, std::nullopt),
                    "a plan");
  EXPECT_THAT(over_epsilon, HasSubstr("delta over epsilon, after 1 round<"));
  EXPECT_THAT(over_epsilon, Not(HasSubstr("nan")));
  EXPECT_THAT(over_epsilon, HasSubstr("<svg style=\"max-width:100%;height:auto\""));
}

}  // namespace
}  // namespace muster::reporting

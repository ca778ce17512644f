#include "muster/reporting/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/core/number_text.h"
#include "muster/reporting/chart_svg.h"
#include "muster/reporting/report_style.h"

namespace muster::reporting {
namespace {

// The beginning of a page, and the texts in its head by which is_report() recognises it. Pages of the first
// versions have only the second of these texts.
constexpr std::string_view kBeginning = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n";
constexpr std::string_view kMarker = "<meta name=\"generator\" content=\"muster report\">\n";
constexpr std::string_view kTitleEnding = ": a run of muster</title>";

bool any_of(const std::vector<const protocols::Plan*>& plans, bool (protocols::Plan::*holds)() const) {
  return std::ranges::any_of(plans, [holds](const protocols::Plan* plan) { return (plan->*holds)(); });
}

}  // namespace

namespace page {

bool is_report(std::string_view text) {
  if (!text.starts_with(kBeginning)) {
    return false;
  }
  const std::string_view head = text.substr(0, text.find("<style>"));
  return head.find(kMarker) != head.npos || head.find(kTitleEnding) != head.npos;
}

std::string framed(const std::string& head, const std::string& title, const std::string& style,
                   const std::string& body) {
  return fmt::format(
      "{}<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      kBeginning, head, escaped(title), style, body);
}

std::string style_sheet(const std::string& more) { return kReportStyle + more; }

std::string whole(const std::string& title, const std::string& kind, const std::string& style,
                  const std::string& body) {
  return framed(std::string(kMarker), fmt::format("{}: {}", title, kind), style_sheet(style), body);
}

std::string data(const std::string& value, const std::string& shown) {
  return fmt::format("<data value=\"{}\">{}</data>", value, shown);
}
std::string data(double value, const std::string& shown) {
  return data(fmt::format("{:.17g}", value), shown);
}
std::string count_data(std::uint64_t value) {
  return data(fmt::format("{}", value), fmt::format("{}", value));
}
std::string fraction_data(double fraction) { return data(fraction, fmt::format("{:.4f}", fraction)); }

std::string epsilon_data(double epsilon) {
  return std::isfinite(epsilon) ? data(epsilon, epsilon_text(epsilon)) : "none";
}
std::string loss_data(double loss) {
  return std::isfinite(loss) ? data(loss, fmt::format("{:.4f}", loss)) : "not finite";
}
std::string time_data(double seconds) { return data(seconds, duration_text(seconds)); }

std::string number_cell(const std::string& html) { return fmt::format("<td class=\"n\">{}</td>", html); }

std::string card(const std::string& big, const std::string& words) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", big, words);
}

std::string flag(const char* kind, const std::string& words) {
  return fmt::format("<p class=\"flag {}\">{}</p>\n", kind, words);
}

std::string note(const char* kind, const std::string& plain) {
  return plain.empty() ? "" : flag(kind, escaped(plain) + ".");
}

std::string listed(const std::vector<std::string>& plain) {
  std::string html = "<ul>\n";
  for (const std::string& line : plain) {
    html += fmt::format("<li>{}</li>\n", escaped(line));
  }
  return html + "</ul>\n";
}

std::vector<std::pair<std::string, std::string>> keys_of(const protocols::Plan& plan) {
  const std::string text = plan.canonical();
  std::vector<std::pair<std::string, std::string>> keys;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const std::size_t equals = line.find(" = ");
    keys.emplace_back(line.substr(0, equals), line.substr(equals + 3));
  }
  return keys;
}

std::string not_protected(const std::vector<const protocols::Plan*>& plans) {
  const bool several = plans.size() > 1;
  std::vector<std::string> lines = {
      several ? ("These were simulations. Coins and noise follow from each plan's seed: who knows it can "
                 "take the noise off the messages.")
              : ("This was a simulation. Coins and noise follow from the plan's seed: who knows it can take "
                 "the noise off the messages."),
      fmt::format(
          "Who takes part in the population, and how many clients there are, is not hidden: neighbours "
          "replace {}.",
          any_of(plans, &protocols::Plan::holds_several) ? "what one client holds" : "one record"),
      "Groups: a household of k clients has about k times the epsilon."};
  lines.emplace_back(
      several ? "Each epsilon is that of one run alone. Clients who take part in several runs are charged "
                "more, which muster account computes of their plans. The choice of a run after seeing all of "
                "them is not counted."
              : "Other runs on the same clients, and the choice of this plan among several that were tried, "
                "are not counted.");
  lines.emplace_back("The accuracy is measured on the test set, which is taken to be public.");
  if (any_of(plans, &protocols::Plan::checks_in)) {
    lines.emplace_back(
        "The number of messages of each round is public. Coins must not depend on private data, nor may "
        "dropping out.");
  }
  const std::uint64_t clients = plans.front()->clients();
  const bool same = std::ranges::all_of(plans, [&](const auto* plan) { return plan->clients() == clients; });
  lines.push_back(
      fmt::format("{} honest clients are counted on: those that collude with the observer must be taken off.",
                  same ? fmt::format("{}", clients) : "As many as population.clients of each plan"));
  return "<h2>What is not protected</h2>\n" + listed(lines) +
         "<p class=\"muted\">SECURITY.md of muster has the whole list.</p>\n";
}

}  // namespace page
}  // namespace muster::reporting

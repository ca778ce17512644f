#include "tests/reference/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/reference/generator.h"

namespace muster::reference {

const char* reason_to_wait(std::uint64_t seed, std::uint64_t index, const Finding& finding) {
  for (const Known& known : known_findings()) {
    if (known.seed == seed && known.index == index && finding.check == known.check) return known.reason;
  }
  return nullptr;
}

std::string describe(std::uint64_t seed, std::uint64_t index, const Finding& finding) {
  std::string text = fmt::format("{} (question {} of seed {}) {}: {}\n", name_of(finding.kind), index, seed,
                                 finding.check, finding.detail);
  for (const std::string& command : finding.commands) text += "    " + command + "\n";
  if (const char* reason = reason_to_wait(seed, index, finding))
    text += fmt::format("    known: {}\n", reason);
  return text;
}

bool Tally::add(std::uint64_t index, const Verdict& verdict, bool slow_fails) {
  const Question question = random_question(seed_, index, focus_);
  const std::string protocol = protocols::name_of(question.protocol);
  ++asked_;
  ++protocols_[protocol];
  ++statuses_[verdict.status];
  for (const std::string& check : verdict.checks) ++checks_[check];
  if (verdict.ratio > 0) {
    ++compared_;
    ++compared_by_[protocol];
    Extreme& tight = tightest_[protocol];
    Extreme& loose = loosest_[protocol];
    if (tight.ratio == 0 || verdict.ratio < tight.ratio) tight = {verdict.ratio, index};
    if (verdict.ratio > loose.ratio) loose = {verdict.ratio, index};
  }
  seconds_.push_back(verdict.seconds);
  if (verdict.seconds > slowest_) {
    slowest_ = verdict.seconds;
    slowest_command_ = verdict.slowest;
  }
  bool fails = false;
  for (const Finding& finding : verdict.findings) {
    const bool known = reason_to_wait(seed_, index, finding) != nullptr;
    ++findings_[std::string(name_of(finding.kind)) + (known ? ", known" : "")];
    if (!known && (slow_fails || finding.kind != Finding::Kind::slow)) fails = true;
  }
  return fails;
}

std::string Tally::summary() const {
  std::string text = fmt::format("questions {}", asked_);
  for (const auto& [status, count] : statuses_) text += fmt::format(", {} {}", count, status);
  text += fmt::format(", {} compared with the reference\n", compared_);
  for (const auto& [protocol, count] : protocols_) {
    text += fmt::format("  {:<26} {:>6}", protocol, count);
    if (const auto tight = tightest_.find(protocol); tight != tightest_.end()) {
      const Extreme loose = loosest_.at(protocol);
      text += fmt::format(
          "  compared {:>6}: delta over a certified lower value from {:.9g} (question {}) to {:.3g} "
          "(question {})",
          compared_by_.at(protocol), tight->second.ratio, tight->second.index, loose.ratio, loose.index);
    }
    text += "\n";
  }
  for (const auto& [check, count] : checks_) text += fmt::format("  {:>6} times: {}\n", count, check);
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty()) {
    const auto at = [&](double share) {
      return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    text += fmt::format(
        "slowest answer of a question: median {:.3f} s, 95 % {:.3f} s, 99 % {:.3f} s, largest {:.2f} s\n    "
        "{}\n",
        at(0.5), at(0.95), at(0.99), slowest_, slowest_command_);
  }
  text += "findings:";
  for (const auto& [kind, count] : findings_) text += fmt::format(" {} {}", count, kind);
  return text + (findings_.empty() ? " none\n" : "\n");
}

}  // namespace muster::reference

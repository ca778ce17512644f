#include "tests/reference/record.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <vector>

namespace muster::reference {
namespace {

constexpr double kAnswer = 5;  // processor seconds that an answer may take

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

Finding::Kind kind_named(const std::string& name) {
  for (const auto kind : {Finding::Kind::too_small, Finding::Kind::died, Finding::Kind::disorder}) {
    if (name == name_of(kind)) return kind;
  }
  return Finding::Kind::slow;
}

}  // namespace

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return text;
}

std::string text_of(const Verdict& verdict) {
  std::string text;
  for (const std::string& name : verdict.checks) text += "check\t" + name + "\n";
  for (const Finding& finding : verdict.findings) {
    text +=
        fmt::format("finding\t{}\t{}\t{}", name_of(finding.kind), finding.check, one_line(finding.detail));
    for (const std::string& command : finding.commands) text += "\t" + command;
    text += "\n";
  }
  return text + fmt::format("verdict\t{}\t{}\t{}\t{}\t{}\n", verdict.status, verdict.ratio, verdict.seconds,
                            verdict.compare_seconds, verdict.slowest);
}

Verdict verdict_of(const Finished& finished, double limit_seconds) {
  Verdict verdict;
  std::string asking;
  std::istringstream lines(finished.output);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.empty()) continue;
    if (fields[0] == "asking" && fields.size() > 1) asking = fields[1];
    if (fields[0] == "check" && fields.size() > 1) verdict.checks.push_back(fields[1]);
    if (fields[0] == "finding" && fields.size() > 3) {
      verdict.findings.push_back(
          {kind_named(fields[1]), fields[2], fields[3], {fields.begin() + 4, fields.end()}});
    }
    if (fields[0] == "verdict" && fields.size() > 3) {
      verdict.status = fields[1];
      verdict.ratio = std::strtod(fields[2].c_str(), nullptr);
      verdict.seconds = std::strtod(fields[3].c_str(), nullptr);
      if (fields.size() > 4) verdict.compare_seconds = std::strtod(fields[4].c_str(), nullptr);
      if (fields.size() > 5) verdict.slowest = fields[5];
    }
  }
  if (verdict.status.empty() || !finished.ended.empty()) {
    const bool late = finished.ended == "time";
    verdict.status = late ? "late" : "died";
    if (late) verdict.seconds = limit_seconds;
    verdict.slowest = asking;
    // If the limit is below what an answer may take, exceeding it is not a finding.
    if (late && limit_seconds < kAnswer) return verdict;
    verdict.findings.push_back(
        {late ? Finding::Kind::slow : Finding::Kind::died,
         "an answer in time",
         late ? fmt::format("all answers to this question took more than {} s together", limit_seconds)
              : "ended by " + finished.ended,
         {asking}});
  }
  return verdict;
}

}  // namespace muster::reference

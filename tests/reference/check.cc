#include "tests/reference/check.h"

#include <fmt/format.h>

#include <cmath>

#include "tests/reference/compare.h"
#include "tests/reference/generator.h"
#include "tests/reference/relations.h"

namespace muster::reference {
namespace {

constexpr std::uint64_t kOfRelations = 1;
constexpr double kRareRelation = 0.25;  // the share of draws in which calibration, which is slow, is checked

void check_itself(const Question& q, const Answer& answer, Verdict& verdict) {
  const auto add = [&](const char* check, std::string detail, Finding::Kind kind = Finding::Kind::too_small) {
    verdict.findings.push_back({kind, check, std::move(detail), {command_line(q)}});
  };
  const accounting::Statement& statement = answer.statement;
  for (const accounting::Bound& bound : statement.all) {
    if (bound.validity != accounting::Validity::proven || !bound.upper) continue;
    if (!(*bound.upper >= 0)) add("a bound is a number >= 0", fmt::format("{}: {}", bound.id, *bound.upper));
    if (!(bound.lower.value_or(0) <= *bound.upper)) {
      add("lower <= upper", fmt::format("{}: {:.17g} > {:.17g}", bound.id, *bound.lower, *bound.upper));
    }
    if (!(answer.upper() <= *bound.upper)) {
      add("the best is the smallest", fmt::format("{}: {:.17g}", bound.id, *bound.upper),
          Finding::Kind::disorder);
    }
  }
  if (statement.local_upper && !(answer.upper() <= *statement.local_upper)) {
    add("upper <= local", fmt::format("{:.17g} > {:.17g}", answer.upper(), *statement.local_upper),
        Finding::Kind::disorder);
  }
  if (!(answer.error() >= 0))
    add("an error is a number >= 0", fmt::format("{}", answer.error()), Finding::Kind::disorder);
}

void check_relations(const Case& c, int wanted) {
  std::vector<Relation> all = relations_between_questions();
  for (const Relation& relation : relations_between_accountants()) all.push_back(relation);
  std::erase_if(all, [&](const Relation& relation) { return !relation.applies(c.question); });
  for (int done = 0; !all.empty() && done != wanted; ++done) {
    const std::size_t next = wanted < 0 ? 0 : c.draws.below(all.size());
    const Relation relation = all[next];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(next));
    const bool rare = std::string(relation.name).starts_with("calibration");
    if (rare && wanted >= 0 && !c.draws.chance(kRareRelation)) continue;
    c.verdict.checks.emplace_back(relation.name);
    relation.check(c, relation.name);
  }
}

}  // namespace

Verdict check(const Question& question, std::uint64_t seed, std::uint64_t index, const Effort& effort,
              const Announce& announce) {
  Verdict verdict;
  Engine engine(announce);
  Draws draws = draws_of(seed, index, kOfRelations);
  const Answer answer = engine.ask(question);
  verdict.status = answer.answered() ? "answered" : answer.kind == Answer::Kind::refused ? "refused" : "died";
  if (answer.kind == Answer::Kind::died) {
    verdict.findings.push_back(
        {Finding::Kind::died, "an answer or a refusal", answer.message, {command_line(question)}});
  }
  if (effort.compare) compare(question, answer, verdict);
  if (answer.answered()) {
    check_itself(question, answer, verdict);
    check_relations({question, answer, engine, draws, verdict}, effort.relations);
  }
  verdict.seconds = engine.slowest();
  verdict.slowest = engine.slowest_command();
  if (verdict.seconds > effort.slow) {
    verdict.findings.push_back({Finding::Kind::slow,
                                "an answer in time",
                                fmt::format("{:.2f} s", verdict.seconds),
                                {verdict.slowest}});
  }
  return verdict;
}

}  // namespace muster::reference

// Tests which guards notice defects of earlier versions that are put back, one at a time. The guards are the
// gate, the reference and the relations.
//
// Each program built from this file is linked with one mutation of the sources (a .mutation file beside this
// one, or `none` for the unchanged sources). It asks the same few questions three times: with the gate;
// without it, to compare the answers with the reference; and without it, to check the relations to other
// questions (relations.h). At least two guards must notice the defect, and none may complain about `none`.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/reference/check.h"
#include "tests/reference/compare.h"
#include "tests/reference/mutations/mutation_name.h"

extern bool muster_gate_is_off;

namespace muster::reference {
namespace {

using protocols::Protocol;
using protocols::RandomizerKind;

const int kRelations = std::string(muster_mutation) == "none" ? 3 : 6;  // relations checked per question

Question base(Protocol protocol, std::uint64_t clients, RandomizerKind randomizer, double parameter,
              std::uint64_t rounds) {
  Question q;
  q.protocol = protocol;
  q.clients = clients;
  q.randomizer = randomizer;
  (q.is_gaussian() ? q.sigma : q.epsilon0) = parameter;
  q.rounds = rounds;
  return q;
}

Question with_rate(Question q, double rate) {
  q.rate = rate;
  return q;
}
Question delta_at(Question q, double epsilon) {
  q.asks_epsilon = false;
  q.fixed = epsilon;
  return q;
}
Question epsilon_at(Question q, double delta) {
  q.fixed = delta;
  return q;
}
Question all_of(Question q) {
  q.all = true;
  return q;
}

// Returns the questions by which the defect was found, and for `none` those of all defects.
std::vector<Question> questions_of(const std::string& mutation) {
  using enum Protocol;
  using enum RandomizerKind;
  const std::map<std::string, std::vector<Question>> questions = {
      {"lost-mass",
       {with_rate(base(shuffled_check_in, 1000, gaussian, 0.15, 2), 0.1), base(shuffle, 10, pure, 22, 2),
        with_rate(base(aggregated_check_in, 10, gaussian, 0.05, 3), 0.1)}},
      {"nothing-left",
       {with_rate(base(shuffled_check_in, 1000, gaussian, 0.03, 1), 0.1),
        delta_at(with_rate(base(shuffled_check_in, 1000, gaussian, 0.03, 1), 0.1), 800)}},
      {"infinite-moment", {all_of(delta_at(base(shuffle, 5, pure, 1, 1), 0.3))}},
      {"rounded-to-nearest",
       {delta_at(base(shuffle, 1, gaussian, 1e8, 1), 8e-8),
        delta_at(base(shuffle, 1, gaussian, 1e9, 1), 8e-9),
        delta_at(with_rate(base(aggregated_check_in, 50, gaussian, 1e9, 1), 0.5), 1e-9)}},
      {"cancelled-lower-value",
       {delta_at(base(shuffle, 1, pure, 1e-3, 1), 9.99e-4),
        delta_at(base(shuffle, 1, pure, 1e-9, 1), 9.9e-10),
        delta_at(base(shuffle, 1, k_rr, 1e-7, 1), 9.9e-8)}},
      {"fewer-reports",
       {delta_at(with_rate(base(aggregated_check_in, 50, gaussian, 1, 1), 0.1), 1),
        epsilon_at(with_rate(base(aggregated_check_in, 50, gaussian, 1, 1), 0.1), 1e-3)}}};
  if (mutation != "none") return questions.at(mutation);
  std::vector<Question> every;
  for (const auto& [name, list] : questions) every.insert(every.end(), list.begin(), list.end());
  return every;
}

// Returns the names of the guards that must notice the defect. The gate
// tolerates rounding errors and does not check lower values.
std::string guards_of(const std::string& mutation) {
  const std::map<std::string, std::string> guards = {{"none", ""},
                                                     {"lost-mass", "gate reference relations"},
                                                     {"nothing-left", "gate reference relations"},
                                                     {"infinite-moment", "gate relations"},
                                                     {"rounded-to-nearest", "reference relations"},
                                                     {"cancelled-lower-value", "reference relations"},
                                                     {"fewer-reports", "gate reference relations"}};
  return guards.at(mutation);
}

struct Guards {
  std::vector<std::string> gate, reference, relations;
};

void ask(const Question& question, Guards& seen) {
  Engine engine;
  muster_gate_is_off = false;
  const Answer guarded = engine.ask(question);
  if (guarded.kind == Answer::Kind::died &&
      guarded.message.find("nothing is reported") != std::string::npos &&
      guarded.message.find("a lower one") == std::string::npos) {
    seen.gate.push_back(guarded.message);
  }
  muster_gate_is_off = true;
  Verdict against;
  compare(question, engine.ask(question), against);
  for (const Finding& finding : against.findings)
    seen.reference.push_back(finding.check + ": " + finding.detail);
  const Verdict related = check(question, 1, 0, {.relations = kRelations, .compare = false, .slow = 1e9});
  for (const Finding& finding : related.findings)
    seen.relations.push_back(finding.check + ": " + finding.detail);
}

void print(const char* guard, const std::vector<std::string>& seen) {
  std::printf("  %-10s %s\n", guard, seen.empty() ? "sees nothing" : seen.front().c_str());
}

TEST(Mutation, IsSeenByTwoGuards) {
  Guards seen;
  for (const Question& question : questions_of(muster_mutation)) ask(question, seen);
  std::printf("%s\n", muster_mutation);
  print("gate", seen.gate);
  print("reference", seen.reference);
  print("relations", seen.relations);
  int guards = 0;
  const std::string expected = guards_of(muster_mutation);
  const std::pair<const char*, bool> who[] = {{"gate", !seen.gate.empty()},
                                              {"reference", !seen.reference.empty()},
                                              {"relations", !seen.relations.empty()}};
  for (const auto& [guard, sees] : who) {
    guards += sees ? 1 : 0;
    const bool named = expected.find(guard) != std::string::npos;
    EXPECT_TRUE(sees || !named) << guard << " no longer sees " << muster_mutation;
  }
  if (expected.empty()) {
    EXPECT_EQ(guards, 0);
  } else {
    EXPECT_GE(guards, 2);
  }
}

}  // namespace
}  // namespace muster::reference

#include "tests/reference/question.h"

#include <fmt/format.h>

#include "muster/plan/keys.h"
#include "muster/plan/source.h"

namespace muster::reference {

using accounting::View;
using protocols::Protocol;
using protocols::RandomizerKind;

std::string exact_text(double value) { return fmt::format("{}", value); }

bool Question::checks_in() const { return protocol != Protocol::shuffle && protocol != Protocol::subset; }

bool Question::has_slots() const {
  return protocol == Protocol::random_check_in_fixed || protocol == Protocol::random_check_in_averaged ||
         protocol == Protocol::random_check_in_sliding;
}

bool Question::is_class_c() const {
  using enum RandomizerKind;
  return randomizer == ldp_sgd || randomizer == l1 || randomizer == l2 || randomizer == linf ||
         (randomizer == k_rr && k == 2);
}

View Question::own_view() const {
  if (has_slots()) return View::server_trusted;
  return protocol == Protocol::aggregated_check_in ? View::sum_only : View::shuffler_honest;
}

std::vector<std::pair<std::string, std::string>> keys_of(const Question& q) {
  std::vector<std::pair<std::string, std::string>> keys = {
      {"participation.protocol", protocols::name_of(q.protocol)},
      {"population.clients", fmt::format("{}", q.clients)}};
  if (q.protocol == Protocol::subset) keys.emplace_back("participation.subset", fmt::format("{}", q.subset));
  if (q.has_slots()) keys.emplace_back("participation.slots", fmt::format("{}", q.slots));
  if (q.checks_in()) {
    const std::string highest = exact_text(q.rate);
    keys.emplace_back("participation.rate",
                      q.least_rate ? exact_text(*q.least_rate) + ":" + highest : highest);
    if (q.dropout.size() == 1)
      keys.emplace_back("participation.dropout", exact_text(q.dropout.front().second));
    if (q.dropout.size() > 1) {
      std::string steps;
      for (const auto& [round, loss] : q.dropout) {
        // A loss of 0 is printed as a TOML integer, which is read as a number too.
        steps += fmt::format("{}[{}, {}]", steps.empty() ? "" : ", ", round, loss);
      }
      keys.emplace_back("participation.dropout", "[" + steps + "]");
    }
  }
  if (q.protocol == Protocol::aggregated_check_in && q.minimum > 1) {
    keys.emplace_back("participation.minimum", fmt::format("{}", q.minimum));
  }
  keys.emplace_back("randomizer.kind", protocols::name_of(q.randomizer));
  keys.emplace_back(q.is_gaussian() ? "randomizer.sigma" : "randomizer.epsilon0",
                    exact_text(q.is_gaussian() ? q.sigma : q.epsilon0));
  if (q.randomizer == RandomizerKind::k_rr) keys.emplace_back("randomizer.k", fmt::format("{}", q.k));
  keys.emplace_back("rounds.count", fmt::format("{}", q.rounds));
  if (q.asks_epsilon) keys.emplace_back("privacy.delta", exact_text(q.fixed));
  return keys;
}

std::string command_line(const Question& q) {
  std::string line = "muster account";
  for (const auto& [key, text] : keys_of(q)) {
    const bool quoted = text.find(' ') != std::string::npos;
    line += fmt::format(" {} {}", protocols::spec_of(key).flag, quoted ? "'" + text + "'" : text);
  }
  if (!q.asks_epsilon) line += " --epsilon " + exact_text(q.fixed);
  if (q.all) line += " --all";
  if (q.view) line += fmt::format(" --view {}", accounting::name_of(*q.view));
  return line;
}

protocols::Plan plan_of(const Question& question) {
  protocols::PlanSource source;
  for (const auto& [key, text] : keys_of(question)) source.override_key(key, text);
  return protocols::Plan::validate(source, protocols::Command::account);
}

accounting::Question asked(const Question& question) {
  using Kind = accounting::Question::Kind;
  return {question.asks_epsilon ? Kind::epsilon_at_delta : Kind::delta_at_epsilon, question.fixed};
}

}  // namespace muster::reference

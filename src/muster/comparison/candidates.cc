#include "muster/comparison/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "muster/core/error.h"
#include "muster/plan/calibration/knob.h"
#include "muster/plan/calibration/most_accurate.h"
#include "muster/plan/keys.h"
#include "muster/plan/randomizer_table.h"
#include "muster/plan/variants.h"

namespace muster::comparison {
namespace {

using protocols::Command;
using protocols::Knob;
using protocols::Plan;
using protocols::PlanSource;
using protocols::Settings;

constexpr const char* kProtocol = "participation.protocol";
constexpr const char* kRandomizer = "randomizer.kind";

// The names to try as protocol or as randomizer, and whether the user has given them.
struct Names {
  const char* key;
  std::vector<std::string> names;
  bool named;
};

Names names_for(const char* key, const std::vector<std::string>& wanted,
                const std::function<bool(std::string_view)>& runs) {
  Names all{key, wanted, !wanted.empty()};
  if (!all.named) {
    for (const protocols::Choice& choice : protocols::spec_of(key).choices()) {
      if (runs(choice.name)) all.names.emplace_back(choice.name);
    }
  }
  return all;
}

bool has_sampler(std::string_view randomizer) {
  return std::ranges::any_of(protocols::randomizer_table(), [&](const protocols::RandomizerSpec& spec) {
    return spec.name == randomizer && spec.sampler != nullptr;
  });
}

bool has_rate_to_choose(const PlanSource& source) {
  const protocols::RawValue* stated = source.find(kProtocol);
  return stated != nullptr &&
         std::ranges::any_of(protocols::spec_of(kProtocol).choices(), [&](const protocols::Choice& choice) {
           protocols::PlanValues values;
           choice.choose(values);
           return choice.name == stated->text && protocols::chooses_rate(values.protocol);
         });
}

std::vector<std::string_view> solved_keys(const PlanSource& source, Solves solves) {
  return solves == Solves::accuracy && has_rate_to_choose(source)
             ? protocols::keys_solved_by(Knob::accuracy)
             : std::vector<std::string_view>{"randomizer.epsilon0", "randomizer.sigma"};
}

Plan validated(const PlanSource& source, Command command, Solves solves) {
  Plan plan = Plan::validate(source, command, solved_keys(source, solves));
  if (plan.rounds() == 0) {
    throw source.with_place(Error(ErrorCode::plan, Reason::out_of_range, "rounds.count", "0", "integer >= 1",
                                  "costs nothing, so that there is nothing to compare"));
  }
  if (plan.rate() > 0 || !plan.checks_in()) {
    // participation() throws if the subset or the minimum is larger than the number of clients.
    protocols::naming_places(source, [&] { static_cast<void>(plan.participation()); });
  }
  return plan;
}

std::string reason(const Error& refusal) {
  const protocols::KeySpec* spec = protocols::find_key(refusal.key());
  const bool missing = refusal.value().empty() && spec != nullptr && !spec->flag.empty();
  return missing ? fmt::format("needs {} ({})", refusal.key(), spec->flag) : std::string(refusal.what());
}

// Adds an entry unless the list already has it.
void list(std::vector<LeftOut>& left_out, const std::string& name, const std::string& why) {
  const auto same = [&](const LeftOut& other) { return other.name == name && other.why == why; };
  if (std::ranges::none_of(left_out, same)) left_out.push_back({name, why});
}

bool has_randomizer(const std::vector<Plan>& plans, const std::string& randomizer) {
  return std::ranges::any_of(plans,
                             [&](const Plan& plan) { return name_of(plan.randomizer()) == randomizer; });
}

// Adds the name to `names` unless the key applies to it, or the list has it already.
void add_if_foreign(const protocols::KeySpec::Names& applies_to, std::string_view name,
                    std::vector<std::string_view>& names) {
  if (!applies_to.empty() && std::ranges::find(applies_to, name) == applies_to.end() &&
      std::ranges::find(names, name) == names.end()) {
    names.push_back(name);
  }
}

// Returns "protocols shuffle, subset", or an empty text without names.
std::string named(const char* what, const std::vector<std::string_view>& names) {
  return names.empty() ? ""
                       : fmt::format("{}{} {}", what, names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::string> keys_left_out(const PlanSource& source, const Candidates& candidates,
                                       Solves solves) {
  std::vector<std::string> sentences;
  for (const auto& [key, raw] : source.entries()) {
    const protocols::KeySpec& spec = protocols::spec_of(key);
    std::vector<std::string_view> of_protocols, of_randomizers;
    for (const std::vector<Plan>* plans : {&candidates.plans, &candidates.local}) {
      for (const Plan& plan : *plans) {
        const auto solved = solved_keys(plan.source(), solves);
        if (std::ranges::find(solved, key) != solved.end()) continue;
        add_if_foreign(spec.protocols, name_of(plan.protocol()), of_protocols);
        add_if_foreign(spec.randomizers, name_of(plan.randomizer()), of_randomizers);
      }
    }
    const std::string where = named("protocol", of_protocols), with = named("randomizer", of_randomizers);
    if (where.empty() && with.empty()) continue;
    sentences.push_back(fmt::format("{} = {} ({}) does not apply to {}{}{}, and is left out there", key,
                                    raw.text, raw.origin.describe(), where,
                                    where.empty() || with.empty() ? "" : " or ", with));
  }
  return sentences;
}

Candidates candidates_of(const PlanSource& source, const Wanted& wanted, Command command, Solves solves) {
  const Names protocols = names_for(kProtocol, wanted.protocols, [](std::string_view) { return true; });
  const Names randomizers = names_for(kRandomizer, wanted.randomizers, has_sampler);
  // The list starts with the plan itself. Every pair follows, and then the plan's own protocol
  // with every randomizer.
  std::vector<Settings> settings = {{}};
  for (const std::string& protocol : protocols.names) {
    for (const std::string& randomizer : randomizers.names) {
      settings.push_back({{kProtocol, protocol}, {kRandomizer, randomizer}});
    }
  }
  const std::size_t pairs = settings.size();
  for (const std::string& randomizer : randomizers.names) settings.push_back({{kRandomizer, randomizer}});
  const bool named = protocols.named || randomizers.named;
  const std::vector<PlanSource> variants =
      protocols::variants_of(source, settings, named ? "" : "compared by default");
  Candidates candidates{validated(variants.front(), command, solves), {}, {}, {}};
  // Why a pair was refused: by a value that is wrong for every pair, rather than by a key that one lacks.
  std::optional<Error> refused;
  for (std::size_t i = 1; i < pairs; ++i) {
    try {
      candidates.plans.push_back(validated(variants[i], command, solves));
    } catch (const Error& refusal) {
      const bool of_protocol = refusal.key().starts_with("participation.");
      const bool of_randomizer = refusal.key().starts_with("randomizer.");
      if (!(of_protocol && !protocols.named) && !(of_randomizer && !randomizers.named)) throw;
      if (!refused || (refused->value().empty() && !refusal.value().empty())) refused.emplace(refusal);
      list(candidates.left_out, settings[i][of_protocol ? 0 : 1].second, reason(refusal));
    }
  }
  for (std::size_t i = pairs; i < settings.size(); ++i) {
    if (has_randomizer(candidates.plans, settings[i].front().second)) {
      candidates.local.push_back(validated(variants[i], command, solves));
    }
  }
  if (candidates.plans.empty()) throw Error(*refused);
  return candidates;
}

Plan own_plan(const PlanSource& source) {
  PlanSource own = source;
  for (const auto& [key, raw] : source.entries()) own.allow_leaving_out(key);
  return Plan::validate(own, Command::compare);
}

}  // namespace muster::comparison

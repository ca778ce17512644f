#include "muster/plan/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"

namespace muster::protocols {
namespace {

bool among(std::string_view name, const KeySpec::Names& names) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

std::optional<std::string> written_value(const KeySpec& spec, const PlanValues& values) {
  return std::visit([&](const auto& kind) { return kind.write(values); }, spec.values);
}

// Escapes the character |, which would end a cell of the Markdown table.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

std::string cell(const std::string& text) { return text.empty() ? "-" : escaped(text); }

}  // namespace

bool KeySpec::applies_to(std::string_view protocol, std::string_view randomizer,
                         std::string_view model) const {
  return among(protocol, protocols) && among(randomizer, randomizers) && applies_to_model(model);
}

bool KeySpec::applies_to_model(std::string_view model) const { return model.empty() || among(model, models); }

void KeySpec::read(const RawValue& raw, Command command, PlanValues& into) const {
  const Stated stated{key, raw, command, allowed(command)};
  std::visit([&](const auto& kind) { kind.read(stated, into); }, values);
}

std::optional<std::string> KeySpec::canonical(const PlanValues& from) const {
  const std::string_view model = written == Written::with_any_model ? "" : name_of(from.model);
  std::optional<std::string> text = written_value(*this, from);
  const bool left_out = !applies_to(name_of(from.protocol), name_of(from.randomizer), model) ||
                        (written == Written::unless_default && text == written_value(*this, PlanValues{}));
  return left_out ? std::nullopt : text;
}

std::string KeySpec::allowed(Command command) const {
  return std::visit([&](const auto& kind) { return kind.allowed(command); }, values);
}

std::string_view KeySpec::placeholder() const {
  return std::visit([](const auto& kind) { return kind.kPlaceholder; }, values);
}

std::string KeySpec::shown_default() const {
  if (needed != Needed::no) {
    return "";
  }
  return fallback.empty() ? written_value(*this, PlanValues{}).value_or("none") : std::string(fallback);
}

std::string KeySpec::only_with() const {
  std::string text;
  for (const auto& [what, names] :
       {std::pair("protocol", &protocols), {"randomizer", &randomizers}, {"model", &models}}) {
    if (!names->empty()) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", what, fmt::join(*names, " | "));
    }
  }
  return text;
}

const std::vector<Choice>& KeySpec::choices() const {
  static const std::vector<Choice> none;
  const auto* choice = std::get_if<Choices>(&values);
  return choice == nullptr ? none : choice->options();
}

bool KeySpec::takes_arrays() const {
  return std::holds_alternative<Rates>(values) || std::holds_alternative<Schedules>(values) ||
         std::holds_alternative<LearningRates>(values);
}

const KeySpec* find_key(std::string_view key) {
  const auto spec = std::ranges::find(plan_keys(), key, &KeySpec::key);
  return spec == plan_keys().end() ? nullptr : &*spec;
}

const KeySpec& spec_of(std::string_view key) {
  const KeySpec* spec = find_key(key);
  if (spec == nullptr) {
    throw Error(ErrorCode::internal, std::string(key), "", "", "a plan key that is not in the table");
  }
  return *spec;
}

std::string keyword_of(const KeySpec& spec) {
  std::string word(spec.flag.empty() ? spec.key.substr(spec.key.find('.') + 1) : spec.flag.substr(2));
  std::ranges::replace(word, '-', '_');
  return word;
}

std::string nearest_keyword(std::string_view word) {
  std::vector<std::string> words;
  std::ranges::transform(plan_keys(), std::back_inserter(words), keyword_of);
  return nearest(word, {words.begin(), words.end()});
}

std::string nearest_key(std::string_view word) {
  const auto last_part = [](std::string_view key) { return key.substr(key.find('.') + 1); };
  std::vector<std::string_view> keys;
  for (const KeySpec& spec : plan_keys()) {
    if (last_part(spec.key) == last_part(word)) {
      // The name is right but the section is wrong.
      return std::string(spec.key);
    }
    keys.push_back(spec.key);
  }
  return nearest(word, keys);
}

std::string key_reference() {
  std::string text =
      "| key | flag | value | default | commands | only with | meaning |\n|---|---|---|---|---|---|---|\n";
  for (const KeySpec& spec : plan_keys()) {
    std::string allowed = spec.allowed();
    const std::string trained = spec.allowed(Command::train);
    if (trained != allowed) {
      allowed += "; train: " + trained;
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", spec.key,
                        spec.flag.empty() ? "-" : fmt::format("`{}`", spec.flag), escaped(allowed),
                        cell(spec.shown_default()), spec.commands, cell(spec.only_with()), spec.meaning);
  }
  return text;
}

}  // namespace muster::protocols

#include "muster/plan/source.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "muster/core/error.h"
#include "muster/core/printable.h"
#include "muster/plan/keys.h"
#include "muster/plan/text_file.h"
#include "muster/plan/toml_letters.h"

namespace muster::protocols {
namespace {

// Returns a file that the user may have meant by a path that does not exist: one with the ending .toml, in
// the folder plans/, or both. Returns an empty text if there is no such file.
std::string nearby(const std::string& missing) {
  const std::filesystem::path path = missing;
  const std::filesystem::path in_plans = std::filesystem::path("plans") / path.filename();
  for (const std::filesystem::path& candidate : {path, in_plans}) {
    for (const char* ending : {"", ".toml"}) {
      std::string name = candidate.string() + ending;
      std::error_code ignored;
      if (std::filesystem::is_regular_file(name, ignored)) {
        return name;
      }
    }
  }
  return "";
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(plan_keys(), [&](const KeySpec& spec) {
    return spec.key.size() > name.size() && spec.key.starts_with(name) && spec.key[name.size()] == '.';
  });
}

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return printable(text->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return fmt::format("{}", number->get());
  }
  if (const auto* array = node.as_array()) {
    std::string text = "[";
    for (const toml::node& element : *array) {
      text += (text.size() > 1 ? ", " : "") + text_of(element);
    }
    return text + "]";
  }
  // toml++ is not used to print tables. Its layout code converts the logarithm of a number to an unsigned
  // integer, which is undefined behaviour if the logarithm is -1 or less.
  if (const auto* table = node.as_table()) {
    std::string text = "{";
    for (const auto& [key, value] : *table) {
      text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", printable(key.str()), text_of(value));
    }
    return text + "}";
  }
  std::ostringstream stream;
  node.visit([&](const auto& typed) { stream << typed; });
  return printable(stream.str());
}

RawValue raw_of(const toml::node& node, const std::string& file) {
  RawValue raw;
  raw.text = text_of(node);
  raw.origin = {
      .flag = "", .file = file, .line = node.source().begin.line, .column = node.source().begin.column};
  if (const auto* flag = node.as_boolean()) {
    raw.value = flag->get();
  } else if (const auto* integer = node.as_integer()) {
    raw.value = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    raw.value = number->get();
  } else if (const auto* text = node.as_string()) {
    raw.value = text->get();
  } else if (const auto* array = node.as_array()) {
    std::vector<RawValue> elements;
    for (const toml::node& element : *array) {
      elements.push_back(raw_of(element, file));
    }
    raw.value = std::move(elements);
  }
  return raw;
}

std::string ascii(std::string_view text) {
  std::string shown = printable(text);
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) > '~'; }, '?');
  return shown;
}

// Returns the start of line number `line` as plain ASCII, because the line may not be valid UTF-8.
std::string line_of(std::string_view text, std::uint32_t line) {
  for (; line > 1 && text.find('\n') != text.npos; --line) {
    text.remove_prefix(text.find('\n') + 1);
  }
  constexpr std::size_t kEnough = 100;
  return ascii(text.substr(0, std::min(text.find_first_of("\r\n"), kEnough)));
}

// The parser limits the depth of nested values, but not the number of parts of a dotted key, and tens of
// thousands of parts overflow the stack. A limit on the dots in the text bounds the parts of its keys. It
// still allows thousands of numbers, which have at most one dot each.
constexpr std::ptrdiff_t kMaxDots = 10'000;

bool is_deep(std::string_view text) { return std::ranges::count(text, '.') > kMaxDots; }

// Whether an array has only numbers and arrays, and so no keys. The canonical text of a long schedule may
// have more dots than its plan, which can write 0.1 as 1e-1.
bool has_no_keys(std::string_view array) {
  return array.find_first_not_of("[], 0123456789.e+-") == array.npos;
}

toml::table parse(std::string_view text, const std::string& name) {
  if (is_deep(text)) {
    throw Error(ErrorCode::plan, Reason::malformed, name, "", fmt::format("at most {} dots", kMaxDots),
                "has too many dots for a plan");
  }
  if (const auto at = beyond_ascii_outside_text(text)) {
    const std::string_view before = text.substr(0, *at);
    const auto line = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n'));
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0 on line 1
    throw Error(
        ErrorCode::plan, Reason::malformed, name, "", "",
        fmt::format(", line {}, column {}: only a string or a comment may have characters beyond ASCII, "
                    "in \"{}\"",
                    line, column, line_of(text, line)));
  }
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const auto [line, column] = error.source().begin;
    throw Error(ErrorCode::plan, Reason::malformed, name, "", "",
                fmt::format(", line {}, column {}: {}, in \"{}\"", line, column, error.description(),
                            line_of(text, line)));
  }
}

// Parses an array given as a flag, such as "[[1, 1.0], [100, 0.5]]", by the grammar of plan files.
RawValue array_of_flag(const std::string& key, const std::string& text, const std::string& flag) {
  const auto refused = [&](const std::string& value, const std::string& message) {
    return Error(ErrorCode::plan, Reason::malformed, key, value, spec_of(key).allowed(),
                 fmt::format("({}) {}", flag, message));
  };
  if (is_deep(text) && !has_no_keys(text)) throw refused("", "is too long");
  if (beyond_ascii_outside_text(text)) throw refused(printable(text), "has characters beyond ASCII");
  try {
    const toml::table table = toml::parse("value = " + text);
    if (table.size() != 1) throw refused(printable(text), "is more than one value");
    RawValue raw = raw_of(*table.get("value"), "");
    raw.text = printable(text);
    return raw;
  } catch (const toml::parse_error& error) {
    throw refused(printable(text), fmt::format("cannot be read: {}", error.description()));
  }
}

}  // namespace

Error placed(const Error& error, const std::string& place) {
  const std::string subject =
      printable(error.value().empty() ? error.key() : fmt::format("{} = {}", error.key(), error.value()));
  const std::string_view text = error.what();
  const std::string shown = printable(fmt::format(" ({})", place));
  if (!text.starts_with(subject) || text.substr(subject.size()).starts_with(shown)) return error;
  return Error::in_words(error.code(), error.reason(), error.key(), error.value(), error.allowed(),
                         fmt::format("{}{}{}", subject, shown, text.substr(subject.size())));
}

std::string Origin::describe() const {
  if (is_flag()) return flag;
  return line == 0 ? file : fmt::format("{}, line {}, column {}", file, line, column);
}

PlanSource PlanSource::from_file(const std::string& path) {
  return from_text(read_text_file(path, {.name = "plan", .mebibytes = 1, .nearby = nearby}), path);
}

PlanSource PlanSource::from_text(std::string_view toml, const std::string& name) {
  PlanSource source;
  source.file_ = name;
  const toml::table table = parse(toml, name);
  for (const auto& [section, node] : table) {
    const toml::table* inner = node.as_table();
    if (inner == nullptr || find_key(section.str()) != nullptr ||
        (inner->empty() && !is_section(section.str()))) {
      source.entries_.emplace_back(printable(section.str()), raw_of(node, name));
      continue;
    }
    for (const auto& [key, leaf] : *inner) {
      source.entries_.emplace_back(printable(fmt::format("{}.{}", section.str(), key.str())),
                                   raw_of(leaf, name));
    }
  }
  std::ranges::stable_sort(source.entries_, {}, [](const auto& entry) {
    return std::pair(entry.second.origin.line, entry.second.origin.column);
  });
  return source;
}

PlanSource PlanSource::from_canonical(std::string_view text, const std::string& name) {
  PlanSource source;
  source.file_ = name;
  std::uint32_t line = 0;
  const auto damaged = [&](const std::string& why) {
    return Error(ErrorCode::file, name, "", "", fmt::format(", line {}: {}", line, why));
  };
  while (!text.empty()) {
    // A canonical text states each key at most once, so it has no more lines than there are keys. This limit
    // also bounds the time that is spent on looking for keys among the entries.
    if (++line > plan_keys().size()) {
      throw damaged("more lines than there are keys of a plan");
    }
    const std::string_view words = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(words.size() + 1, text.size()));
    const std::size_t equals = words.find(" = ");
    if (equals == words.npos) {
      throw damaged("not \"key = value\"");
    }
    const std::string_view key = words.substr(0, equals);
    const std::string value(words.substr(equals + 3));
    const KeySpec* spec = find_key(key);
    if (spec == nullptr) {
      throw damaged("no key of a plan: " + printable(key));
    }
    if (spec->flag.empty()) {
      source.entries_.emplace_back(key, RawValue{value, ascii(value), {"", name, line, 1}});
    } else {
      source.override_key(key, value, fmt::format("{}, line {}", name, line));
      source.entries_.back().second.origin.in_code = true;
    }
  }
  // A canonical text states some keys even with models that they do not apply to (Written::with_any_model). A
  // plan must not state them, so they are removed.
  const RawValue* model = source.find("model.kind");
  std::erase_if(source.entries_, [model = model == nullptr ? "" : model->text](const auto& entry) {
    const KeySpec& spec = spec_of(entry.first);
    return spec.written == Written::with_any_model && !spec.applies_to_model(model);
  });
  return source;
}

PlanSource PlanSource::of_entries(std::string file, std::vector<std::pair<std::string, RawValue>> entries) {
  PlanSource source;
  source.file_ = std::move(file);
  source.entries_ = std::move(entries);
  return source;
}

void PlanSource::override_key(std::string_view key, const std::string& text, const std::string& given_by) {
  const KeySpec* spec = find_key(key);
  if (spec == nullptr || spec->flag.empty()) {
    throw Error(ErrorCode::usage, Reason::unknown, std::string(key), text, nearest_key(key),
                "is a key that no flag overrides");
  }
  const std::string flag = given_by.empty() ? std::string(spec->flag) : given_by;
  RawValue raw;
  raw.value = text;
  raw.text = printable(text);
  if (spec->takes_arrays() && text.starts_with('[')) {
    raw = array_of_flag(std::string(key), text, flag);
  }
  raw.origin = {.flag = flag, .file = "", .line = 0, .column = 0};
  if (const RawValue* stated = find(key); stated != nullptr && !stated->origin.is_flag()) {
    overridden_.emplace_back(key, stated->text);
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; });
  entries_.emplace_back(std::string(key), std::move(raw));
}

void PlanSource::state(std::string_view key, RawValue raw, bool overrides) {
  const KeySpec* spec = find_key(key);
  const std::string argument = spec == nullptr ? std::string(key) : keyword_of(*spec) + "=";
  if (const auto* text = std::get_if<std::string>(&raw.value);
      text != nullptr && spec != nullptr && spec->takes_arrays() && text->starts_with('[')) {
    raw = array_of_flag(std::string(key), *text, argument);
  }
  raw.origin = {.flag = overrides ? argument : "", .file = overrides ? "" : argument, .in_code = true};
  if (const RawValue* stated = find(key); overrides && stated != nullptr && !stated->origin.is_flag()) {
    overridden_.emplace_back(key, stated->text);
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; });
  entries_.emplace_back(std::string(key), std::move(raw));
}

void PlanSource::settle() {
  const auto stated_text = [this](std::string_view key) {
    const RawValue* raw = find(key);
    return raw == nullptr ? std::string() : raw->text;
  };
  const std::string protocol = stated_text("participation.protocol"), kind = stated_text("randomizer.kind");
  std::erase_if(entries_, [&](const auto& entry) {
    const KeySpec* spec = find_key(entry.first);
    return spec != nullptr && !spec->applies_to(protocol, kind);
  });
  for (auto& entry : entries_) {
    Origin& origin = entry.second.origin;
    if (origin.is_flag()) origin = {.flag = "", .file = origin.flag, .in_code = true};
  }
  overridden_.clear();
}

std::string PlanSource::setter_of(std::string_view key) const {
  const KeySpec& spec = spec_of(key);
  return names_arguments_ ? keyword_of(spec) + "=" : std::string(spec.flag);
}

bool PlanSource::changes(std::string_view key) const {
  const RawValue* value = find(key);
  if (value == nullptr || !value->origin.is_flag()) {
    return false;
  }
  const auto stated = std::ranges::find(overridden_, key, &std::pair<std::string, std::string>::first);
  return stated == overridden_.end() || stated->second != value->text;
}

void PlanSource::allow_leaving_out(std::string_view key) { may_be_left_out_.emplace_back(key); }

bool PlanSource::may_leave_out(std::string_view key) const {
  return std::ranges::find(may_be_left_out_, key) != may_be_left_out_.end();
}

void PlanSource::keep_file(std::string_view key, const std::shared_ptr<const ProfileFile>& file) {
  for (auto& [stated, raw] : entries_) {
    if (stated == key) raw.profile = file;
  }
}

Error PlanSource::with_place(const Error& error) const {
  const RawValue* raw = find(error.key());
  return error.code() != ErrorCode::plan || raw == nullptr ? error : placed(error, raw->origin.describe());
}

const RawValue* PlanSource::find(std::string_view key) const {
  const auto entry =
      std::ranges::find_if(entries_, [&](const auto& candidate) { return candidate.first == key; });
  return entry == entries_.end() ? nullptr : &entry->second;
}

}  // namespace muster::protocols

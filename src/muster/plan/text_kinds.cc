// The value kinds (value_kinds.h) for names of folders, data sets, files and columns, for the records of a
// client, for switches, and for choices among names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "muster/plan/nearest.h"
#include "muster/plan/profile_file.h"
#include "muster/plan/value_kinds.h"

namespace muster::protocols {

std::string FolderName::allowed(Command) const {
  return "1 to 100 of A-Z a-z 0-9 . _ -, not starting with .";
}

void FolderName::read(const Stated& stated, PlanValues& values) const {
  constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::string text = text_value(stated);
  if (text.empty() || text.size() > 100 || text.front() == '.' ||
      text.find_first_not_of(kSafe) != text.npos) {
    refuse(stated, Reason::malformed, "is not a name for a run folder");
  }
  field.set(values, std::move(text));
}

std::optional<std::string> FolderName::write(const PlanValues& values) const { return field.get(values); }

namespace {

bool has_controls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

// Returns the text of the field; nullopt if it is empty, which means that the plan does not state it.
std::optional<std::string> stated_text(const Field<std::string>& field, const PlanValues& values) {
  const std::optional<std::string> text = field.get(values);
  return text && !text->empty() ? text : std::nullopt;
}

std::string named(const DataFormat& format) {
  return fmt::format("{}:{}", format.name, format.folder ? "DIR" : "FILE");
}

}  // namespace

std::string data_formats() {
  std::string text = "digits";
  for (const DataFormat& format : kDataFormats) {
    text += " | " + named(format);
  }
  return text;
}

const DataFormat* data_format_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  const auto* const found = std::ranges::find(kDataFormats, name.substr(0, colon), &DataFormat::name);
  return colon == name.npos || found == kDataFormats.end() ? nullptr : found;
}

std::string DataSet::allowed(Command) const {
  const auto* const only = std::ranges::find(kDataFormats, format, &DataFormat::name);
  return only == kDataFormats.end() ? data_formats() + " | DIR" : named(*only);
}

void DataSet::read(const Stated& stated, PlanValues& values) const {
  std::string text = text_value(stated);
  if (has_controls(text)) {
    refuse(stated, Reason::malformed, "has control characters in a path");
  }
  if (text.empty()) {
    refuse(stated, Reason::malformed, "names no folder");
  }
  const std::size_t colon = text.find(':');
  const DataFormat* const begins = data_format_of(text);
  if (begins != nullptr && colon + 1 == text.size()) {
    refuse(stated, Reason::malformed, begins->folder ? "names no folder" : "names no file");
  }
  if (!format.empty() && (begins == nullptr || begins->name != format)) {
    refuse(stated, Reason::out_of_range, "is of another kind");
  }
  if (begins == nullptr && colon != text.npos && text.find('/') > colon) {
    // A folder whose path has a colon before its first slash must be written idx:PATH.
    refuse(stated, Reason::unknown, "is an unknown kind of data");
  }
  field.set(values, begins != nullptr || text == "digits" ? text : "idx:" + text);
}

std::optional<std::string> DataSet::write(const PlanValues& values) const {
  return stated_text(field, values);
}

std::string ProfilePath::allowed(Command) const { return "the path of a CSV file"; }

void ProfilePath::read(const Stated& stated, PlanValues& values) const {
  const std::string text = text_value(stated);
  if (text.empty() || has_controls(text)) {
    refuse(stated, Reason::malformed, text.empty() ? "names no file" : "has control characters in a path");
  }
  const std::shared_ptr<const ProfileFile>& read_before = stated.raw.profile;
  field.set(values, read_before ? read_before : std::make_shared<const ProfileFile>(read_profile_file(text)));
}

std::optional<std::string> ProfilePath::write(const PlanValues& values) const {
  const auto file = field.get(values).value_or(nullptr);
  return file == nullptr ? std::nullopt : std::optional("blake2b-256:" + file->hash);
}

std::string ColumnName::allowed(Command) const { return "the name of a column in the file's header"; }

void ColumnName::read(const Stated& stated, PlanValues& values) const {
  std::string text = text_value(stated);
  if (text.empty() || has_controls(text) || text.front() == ' ' || text.back() == ' ') {
    refuse(stated, Reason::malformed, "is not the name of a column");
  }
  field.set(values, std::move(text));
}

std::optional<std::string> ColumnName::write(const PlanValues& values) const {
  return stated_text(field, values);
}

std::string RecordsHeld::allowed(Command command) const {
  return Integers{.field = records, .min = 1, .max = max}.allowed(command) +
         ", or the name of a column of csv data";
}

void RecordsHeld::read(const Stated& stated, PlanValues& values) const {
  const auto* text = std::get_if<std::string>(&stated.raw.value);
  if (text != nullptr && !text->empty() &&
      std::string_view("+-.0123456789").find(text->front()) == text->npos) {
    ColumnName{owner}.read(stated, values);
    records.set(values, 1);
  } else {
    Integers{.field = records, .min = 1, .max = max}.read(stated, values);
    owner.set(values, "");
  }
}

std::optional<std::string> RecordsHeld::write(const PlanValues& values) const {
  const std::optional<std::string> column = stated_text(owner, values);
  return column ? column : std::to_string(records.get(values).value_or(1));
}

std::string Switch::allowed(Command) const { return "true | false"; }

void Switch::read(const Stated& stated, PlanValues& values) const { field.set(values, truth_value(stated)); }

std::optional<std::string> Switch::write(const PlanValues& values) const {
  return field.get(values).value_or(false) ? "true" : "false";
}

std::string Choices::allowed(Command command) const {
  std::string names;
  for (const Choice& option : options_) {
    if (option.works_with(command)) {
      names += (names.empty() ? "" : " | ") + std::string(option.name);
    }
  }
  return names;
}

void Choices::read(const Stated& stated, PlanValues& values) const {
  const std::string text = text_value(stated);
  const auto option = std::ranges::find(options_, text, &Choice::name);
  if (option == options_.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(options_, std::back_inserter(names), &Choice::name);
    const std::string close = nearest(text, names);
    refuse(stated, Reason::unknown,
           close.empty() ? "is unknown" : fmt::format("is unknown; did you mean {}?", close));
  }
  if (!option->works_with(stated.command)) {
    refuse(stated, Reason::inapplicable, std::string(option->refused_by(stated.command)));
  }
  option->choose(values);
}

std::optional<std::string> Choices::write(const PlanValues& values) const { return chosen_(values); }

}  // namespace muster::protocols

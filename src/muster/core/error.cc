#include "muster/core/error.h"

#include <utility>

#include "muster/core/printable.h"

namespace muster {

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::plan:
    case ErrorCode::uncovered:
      return 2;
    case ErrorCode::data:
    case ErrorCode::file:
    case ErrorCode::checkpoint:
      return 3;
    case ErrorCode::budget:
      return 4;
    case ErrorCode::internal:
      return 5;
    case ErrorCode::interrupted:
      return 130;
  }
  return 5;
}

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::plan:
      return "plan";
    case ErrorCode::uncovered:
      return "uncovered";
    case ErrorCode::data:
      return "data";
    case ErrorCode::file:
      return "file";
    case ErrorCode::checkpoint:
      return "checkpoint";
    case ErrorCode::budget:
      return "budget";
    case ErrorCode::internal:
      return "internal";
    case ErrorCode::interrupted:
      return "interrupted";
  }
  return "internal";
}

const char* name_of(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::unknown:
      return "unknown";
    case Reason::missing:
      return "missing";
    case Reason::wrong_type:
      return "wrong-type";
    case Reason::out_of_range:
      return "out-of-range";
    case Reason::malformed:
      return "malformed";
    case Reason::inapplicable:
      return "inapplicable";
    case Reason::contradiction:
      return "contradiction";
  }
  return "";
}

namespace {

bool is_of_file(ErrorCode code) {
  return code == ErrorCode::data || code == ErrorCode::file || code == ErrorCode::checkpoint;
}

// The subject of what(): "rounds.count = 0", "--view x", "a.csv", or nothing.
std::string subject_of(ErrorCode code, const std::string& key, const std::string& value) {
  if (key.empty() || value.empty() || is_of_file(code)) {
    return key;
  }
  return key + (key.starts_with("--") ? " " : " = ") + value;
}

// The end of what(): "; allowed: ..." or, for files, "; found: ..., expected: ...". After a question mark,
// the ending is a sentence of its own and begins with a capital letter.
std::string ending_of(ErrorCode code, const std::string& value, const std::string& allowed, bool asked) {
  std::string ending = is_of_file(code) && !value.empty() ? "found: " + value : "";
  if (!allowed.empty()) {
    ending +=
        (ending.empty() ? "" : ", ") + std::string(is_of_file(code) ? "expected: " : "allowed: ") + allowed;
  }
  if (ending.empty()) {
    return "";
  }
  if (asked) {
    ending.front() = static_cast<char>(ending.front() - 'a' + 'A');
  }
  return (asked ? " " : "; ") + ending;
}

std::string compose(ErrorCode code, const std::string& key, const std::string& value,
                    const std::string& allowed, const std::string& message) {
  const bool names_defect =
      code == ErrorCode::internal || code == ErrorCode::uncovered || code == ErrorCode::interrupted;
  const bool continues = message.starts_with(",") || message.starts_with(":");
  const std::string subject = subject_of(code, key, value);
  const char* between = subject.empty() || continues ? "" : names_defect ? ": " : " ";
  return subject + between + message + ending_of(code, value, allowed, message.ends_with("?"));
}

}  // namespace

Error::Error(Whole, ErrorCode code, Reason reason, std::string key, std::string value, std::string allowed,
             const std::string& text)
    : std::runtime_error(printable(text)),
      code_(code),
      reason_(reason),
      key_(std::move(key)),
      value_(std::move(value)),
      allowed_(std::move(allowed)) {}

Error::Error(ErrorCode code, Reason reason, std::string key, std::string value, std::string allowed,
             const std::string& message)
    : std::runtime_error(printable(compose(code, key, value, allowed, message))),
      code_(code),
      reason_(reason),
      key_(std::move(key)),
      value_(std::move(value)),
      allowed_(std::move(allowed)) {}

Error Error::in_words(ErrorCode code, Reason reason, std::string key, std::string value, std::string allowed,
                      const std::string& text) {
  return {Whole{}, code, reason, std::move(key), std::move(value), std::move(allowed), text};
}

Error Error::in_words(ErrorCode code, std::string key, std::string value, std::string allowed,
                      const std::string& text) {
  return in_words(code, Reason::none, std::move(key), std::move(value), std::move(allowed), text);
}

}  // namespace muster

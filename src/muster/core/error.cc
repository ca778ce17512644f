#include "muster/core/error.h"

#include <utility>

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

namespace {

std::string compose(const std::string& key, const std::string& value, const std::string& allowed,
                    const std::string& message) {
  std::string text;
  if (!key.empty()) {
    text += key;
    if (!value.empty()) {
      text += " = " + value;
    }
    text += ": ";
  }
  text += message;
  if (!allowed.empty()) {
    text += " (allowed: " + allowed + ")";
  }
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string key, std::string value, std::string allowed,
             const std::string& message)
    : std::runtime_error(compose(key, value, allowed, message)),
      code_(code),
      key_(std::move(key)),
      value_(std::move(value)),
      allowed_(std::move(allowed)) {}

}  // namespace muster

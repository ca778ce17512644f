#include "muster/simulation/runs/result_file.h"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/simulation/runs/json_fields.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

// Requires a field of the file to equal the value in the plan or the checkpoint.
template <typename Value>
void require_equal(const fs::path& file, const char* key, const Value& stated, const Value& truth,
                   const char* source) {
  if (stated != truth) {
    throw Error(ErrorCode::file, file.string(), fmt::format("{}", stated),
                fmt::format("{}, as in {}", truth, source),
                fmt::format("states a \"{}\" of another run", key));
  }
}

}  // namespace

const char* name_of(Stopped stopped) {
  switch (stopped) {
    case Stopped::done:
      return "done";
    case Stopped::budget:
      return "budget";
    case Stopped::interrupted:
      return "interrupted";
  }
  return "done";
}

std::string result_line(const RunResult& result) {
  JsonFieldWriter fields;
  RunResult::describe(result, fields);
  return fields.str();
}

std::optional<RunResult> read_result(const fs::path& file, const protocols::Plan& plan,
                                     const Checkpoint& checkpoint) {
  std::error_code failure;
  if (!fs::exists(file, failure) && !failure) {
    return std::nullopt;
  }
  const std::string text = read_file(file);
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    throw Error(ErrorCode::file, file.string(), "", "",
                "is empty: remove it, and muster train with --resume writes the result again");
  }
  RunResult result;
  try {
    const JsonFieldReader fields(text);
    RunResult::describe(result, fields);
    if (result.slots.has_value() != plan.has_slots()) {
      throw std::invalid_argument(plan.has_slots() ? "no \"slots\""
                                                   : "\"slots\", which the plan does not have");
    }
  } catch (const std::invalid_argument& wrong) {
    throw Error(ErrorCode::file, file.string(), "", "", fmt::format("is corrupt: {}", wrong.what()));
  }
  require_equal(file, "delta", result.delta, plan.delta().value(), "plan.txt");
  require_equal(file, "rounds", result.rounds, plan.rounds_charged(checkpoint.round), "the checkpoint");
  require_equal<std::string>(file, "fidelity", name_of(result.fidelity), name_of(checkpoint.fidelity),
                             "the checkpoint");
  if (result.view) {
    require_equal<std::string>(file, "view", name_of(*result.view),
                               name_of(accounting::own_view(plan.participation())), "plan.txt");
  }
  if (result.slots) {
    require_equal(file, "slots", *result.slots, checkpoint.round, "the checkpoint");
  }
  return result;
}

}  // namespace muster::simulation

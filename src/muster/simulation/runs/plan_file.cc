#include "muster/simulation/runs/plan_file.h"

#include <fmt/format.h>

#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/source.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& file, const std::string& why) {
  return {ErrorCode::file, file.string(), "", "", why};
}

}  // namespace

protocols::Plan read_plan(const fs::path& file) {
  const std::string text = read_file(file);
  try {
    const auto source = protocols::PlanSource::from_canonical(text, file.string());
    protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::train);
    if (plan.canonical() != text) {
      throw damaged(file, "is not as a plan is written: has it been edited?");
    }
    return plan;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::file) {
      throw;
    }
    throw damaged(file, fmt::format("is not a plan that trains: {}", error.what()));
  }
}

}  // namespace muster::simulation

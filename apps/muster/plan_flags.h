// Reads the plan from the command line: from the PLAN argument and from a flag for every plan key.
//
// The flags are declared from the table of keys (plan/keys.h), so that parsing, help and refusals always
// agree with the plan. Flags that do not apply to the command are declared but hidden, and are refused with
// an error that names the flag. A PlanFlags object must outlive parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::app {

class PlanFlags {
 public:
  PlanFlags(CLI::App& cli, protocols::Command command);
  PlanFlags(const PlanFlags&) = delete;
  PlanFlags& operator=(const PlanFlags&) = delete;

  // Returns whether the flag of `key`, for example of "privacy.delta", was given.
  bool given(std::string_view key) const;

  // Returns the value of the flag of `key`, as typed; empty if the flag was not given.
  std::string text(std::string_view key) const;

  // Returns the content of the plan file, if one was named, overridden by the flags that were given. In a
  // comparison, --protocol and --randomizer are lists of names and override nothing.
  protocols::PlanSource source() const;
  // Returns the validated plan of source(). `solved_for` lists the keys that need no value (see
  // Plan::validate).
  protocols::Plan plan(const std::vector<std::string_view>& solved_for = {}) const;

 private:
  protocols::Command command_;
  std::string file_;
  CLI::Option* file_option_ = nullptr;
  std::map<std::string, std::string, std::less<>> typed_;  // key -> text
  std::map<std::string, CLI::Option*, std::less<>> options_;
};

// Says on stderr which keys were left out of the plan, and why.
void say_left_out(const protocols::Plan& plan);

}  // namespace muster::app

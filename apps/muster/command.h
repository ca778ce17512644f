// A subcommand of `muster` consists of its flags, as declared to the parser, and of the function that runs
// once they are parsed.
//
// Each of the factories below is defined in a file of its own. main.cc calls every factory, parses, and runs
// the command that was named. `run` returns the process exit status and throws muster::Error for every
// refusal. Only main.cc prints errors (a message on stderr and, with --json, one JSON line on stdout) and
// maps them to the exit status. Apart from that line, stdout carries only results, which a command prints
// with fmt::print. Notes go to stderr (say.h). The values of flags live in a shared_ptr captured by `run`,
// because the parser keeps pointers to them.
//
// Example:
//     Subcommand hello_command(CLI::App& root) {
//       CLI::App* cli = add_subcommand(root, "hello", "Greet the clients", "muster hello --clients 10");
//       auto flags = std::make_shared<PlanFlags>(*cli, protocols::Command::account);   // plan_flags.h
//       auto json = std::make_shared<bool>(false);
//       cli->add_flag("--json", *json, "Print one JSON line instead of words");
//       return {cli, [flags, json] { return greet(flags->plan(), *json); }};
//     }
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace muster::app {

struct Subcommand {
  CLI::App* cli = nullptr;
  std::function<int()> run;
};

// Declares subcommand `name` with the conventions of all subcommands; `example` is a command line that
// --help shows at its end.
CLI::App* add_subcommand(CLI::App& root, const std::string& name, const std::string& description,
                         const std::string& example);

Subcommand account_command(CLI::App& root);
Subcommand calibrate_command(CLI::App& root);
Subcommand compare_command(CLI::App& root);
Subcommand train_command(CLI::App& root);
Subcommand report_command(CLI::App& root);
Subcommand evaluate_command(CLI::App& root);
Subcommand reproduce_command(CLI::App& root);
Subcommand keygen_command(CLI::App& root);
Subcommand issuer_command(CLI::App& root);
Subcommand shuffler_command(CLI::App& root);
Subcommand aggregator_command(CLI::App& root);
Subcommand client_command(CLI::App& root);
Subcommand status_command(CLI::App& root);
Subcommand verify_command(CLI::App& root);

}  // namespace muster::app

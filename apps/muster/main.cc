// The command `muster`: finds the subcommand and runs it. Only this file turns an Error into a message and
// the exit status. The process ends elsewhere in only two cases: at a second interrupt (interrupt.h), and
// after the failure of one of several ranks (train_command.cc).
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "build_identity.h"
#include "command.h"
#include "help_layout.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/nearest.h"
#include "muster/reporting/json.h"
#include "muster/simulation/ranks.h"

namespace muster::app {
namespace {

// Throws Error(file) unless all results were written: the help, which CLI11 prints through std::cout, and
// everything else, which goes through stdio.
void require_written_results() {
  errno = 0;
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const std::string reason = errno == 0 ? "" : fmt::format(": {}", std::strerror(errno));
    throw Error(ErrorCode::file, "stdout", "", "",
                fmt::format("could not be written, and the results are not complete{}", reason));
  }
}

[[noreturn]] void refuse_command(const std::string& name, const std::string& close) {
  throw Error(ErrorCode::usage, Reason::unknown, name, "", "",
              close.empty() ? "is an unknown command; muster help lists them"
                            : fmt::format("is an unknown command; did you mean {}?", close));
}

// `muster help` is `muster --help`, and `muster help NAME` is `muster NAME --help`.
Subcommand help_command(CLI::App& root) {
  CLI::App* cli = root.add_subcommand("help", "Show the help of a command");
  const auto name = std::make_shared<std::string>();
  cli->add_option("COMMAND", *name,
                  "account, calibrate, compare, train, report, evaluate, reproduce, keygen, issuer, "
                  "shuffler, aggregator, client, status or verify");
  return {cli, [&root, name] {
            if (name->empty()) {
              // root.help() would print the help of the parsed subcommand, which is `help` itself.
              fmt::print("{}",
                         root.get_formatter()->make_help(&root, root.get_name(), CLI::AppFormatMode::Normal));
              return 0;
            }
            std::vector<std::string_view> names;
            const std::vector<CLI::App*> known = root.get_subcommands([](CLI::App*) { return true; });
            for (const CLI::App* command : known) {
              if (command->get_name() == *name) {
                fmt::print("{}", command->help(root.get_name()));
                return 0;
              }
              names.push_back(command->get_name());
            }
            refuse_command(*name, protocols::nearest(*name, names));
          }};
}

void refuse_extras(const CLI::App& cli) {
  const std::vector<std::string> extras = cli.remaining();
  if (extras.empty()) {
    return;
  }
  const std::string& extra = extras.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : cli.get_options()) {
    if (option->nonpositional() && !option->get_group().empty()) {
      known.push_back(option->get_name());
    }
  }
  const std::string name = extra.substr(0, extra.find('='));
  const std::string close = protocols::nearest(name, {known.begin(), known.end()});
  const char* what = extra.starts_with("-") ? "is an unknown flag" : "is an unexpected argument";
  const bool is_root = cli.get_parent() == nullptr;
  throw Error(ErrorCode::usage, Reason::unknown, extra, "", "",
              close.empty() ? fmt::format("{}; muster {}--help shows what there is", what,
                                          is_root ? "" : cli.get_name() + " ")
                            : fmt::format("{}; did you mean {}?", what, close));
}

// Refuses an empty path, which would otherwise count as none given. Keys of a plan refuse empty text by name.
void refuse_empty_paths(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string& type = option->get_type_name();
    if ((type != "DIR" && type != "FILE" && type != "PATH") || option->get_group().starts_with("Plan"))
      continue;
    for (const std::string& path : option->results()) {
      if (path.empty()) {
        throw Error(ErrorCode::usage, Reason::malformed, option->get_name(), "",
                    type == "DIR"    ? "a folder"
                    : type == "FILE" ? "a file"
                                     : "a path",
                    "is empty");
      }
    }
  }
}

int run_named(const CLI::App& root, const std::vector<Subcommand>& commands) {
  const std::vector<CLI::App*> parsed = root.get_subcommands();
  for (const Subcommand& command : commands) {
    if (!parsed.empty() && command.cli == parsed.front()) {
      refuse_extras(root);
      if (!command.cli->get_prefix_command()) {
        refuse_extras(*command.cli);
      }
      refuse_empty_paths(*command.cli);
      return command.run();
    }
  }
  const std::vector<std::string> extras = root.remaining();
  if (!extras.empty() && !extras.front().starts_with("-")) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const Subcommand& command : commands) {
      names.push_back(command.cli->get_name());
    }
    refuse_command(extras.front(), protocols::nearest(extras.front(), {names.begin(), names.end()}));
  }
  refuse_extras(root);
  throw Error(ErrorCode::usage, Reason::missing, "", "", "",
              "no command given: muster help lists them, and muster account plans/quickstart.toml is one");
}

// Refuses an empty value after "=": in `--out= --json`, the parser would take --json as the folder.
void refuse_empty_values(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw Error(ErrorCode::usage, Reason::malformed, std::string(word.substr(0, word.size() - 1)), "", "",
                  "is followed by = and no value");
    }
  }
}

// Refuses a flag without a value or given twice, of which the parser says "--rate: 1 required NUMBER
// missing" or "--rate: At Most 1 required but received 2".
[[noreturn]] void refuse_count(const CLI::ArgumentMismatch& mismatch) {
  const std::string text = mismatch.what();
  const std::size_t colon = text.find(": ");
  if (colon == text.npos) {
    throw Error(ErrorCode::usage, Reason::malformed, "", "", "", text);
  }
  const bool missing = text.ends_with(" missing");
  throw Error(ErrorCode::usage, missing ? Reason::missing : Reason::contradiction, text.substr(0, colon), "",
              "", missing ? "needs a value" : "is given more than once");
}

int run(int argc, char** argv) {
  refuse_empty_values(argc, argv);
  CLI::App root("Private learning with shuffled check-ins", "muster");
  root.formatter(std::make_shared<HelpLayout>());
  root.set_version_flag("-V,--version", build_identity());
  root.require_subcommand(0, 1);
  root.allow_extras();
  root.footer("Each command has its own --help. Documentation: docs/accounting.md, docs/plan.md");
  std::vector<Subcommand> commands = {
      account_command(root), calibrate_command(root), compare_command(root),    train_command(root),
      report_command(root),  evaluate_command(root),  reproduce_command(root),  keygen_command(root),
      issuer_command(root),  shuffler_command(root),  aggregator_command(root), client_command(root),
      status_command(root),  verify_command(root),    help_command(root)};
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& success) {  // thrown for --help and --version
    const int status = root.exit(success);
    require_written_results();
    return status;
  } catch (const CLI::ArgumentMismatch& mismatch) {
    refuse_count(mismatch);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, Reason::malformed, "", "", "", error.what());
  }
  const int status = run_named(root, commands);
  require_written_results();
  return status;
}

// Returns whether --json was given. The arguments are searched by hand, because they may be impossible to
// parse.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    if (std::string_view(argv[i]) == "--json") {
      return true;
    }
  }
  return false;
}

// Returns whether this is a rank other than the first of `mpirun muster train`. Such a rank prints no error,
// because all ranks have the same error and the first one prints it.
bool leaves_it_to_rank_0(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "train" && simulation::launch_of_this_process().rank > 0;
}

int report(const Error& error, bool json) {
  const int status = exit_status(error.code());
  fmt::print(stderr, "muster: {}\n", error.what());
  if (json) {
    const reporting::JsonObject body = reporting::JsonObject()
                                           .integer("code", status)
                                           .text("kind", name_of(error.code()))
                                           .text("reason", name_of(error.reason()))
                                           .text("key", error.key())
                                           .text("value", error.value())
                                           .text("allowed", error.allowed())
                                           .text("message", error.what());
    fmt::print("{}\n", reporting::JsonObject().object("error", body).str());
    std::fflush(stdout);
  }
  return status;
}

}  // namespace

CLI::App* add_subcommand(CLI::App& root, const std::string& name, const std::string& description,
                         const std::string& example) {
  CLI::App* cli = root.add_subcommand(name, description);
  cli->footer("Example:\n  " + example);
  return cli;
}

}  // namespace muster::app

int main(int argc, char** argv) {
  using muster::Error;
  using muster::ErrorCode;
  const bool json = muster::app::asks_for_json(argc, argv);
  // Up to 64 KiB of output are buffered and written at once. So `muster account ... | head -4` ends with exit
  // status 0, as if everything had been read.
  static std::array<char, 1 << 16> output;
  std::setvbuf(stdout, output.data(), _IOFBF, output.size());
  try {
    return muster::app::run(argc, argv);
  } catch (const Error& error) {
    return muster::app::leaves_it_to_rank_0(argc, argv) ? 0 : muster::app::report(error, json);
  } catch (const std::bad_alloc&) {
    return muster::app::report(Error(ErrorCode::internal, "", "", "", "out of memory"), json);
  } catch (const std::filesystem::filesystem_error& error) {
    return muster::app::report(muster::file_error(error), json);
  } catch (const std::exception& error) {
    return muster::app::report(
        Error(ErrorCode::internal, "", "", "", std::string("a defect in muster: ") + error.what()), json);
  }
}

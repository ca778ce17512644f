// `muster reproduce ID...`: computes figures and tables of the papers, and gives a verdict on each of their
// claims.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "muster/core/error.h"
#include "muster/reporting/json.h"
#include "muster/reporting/text_layout.h"
#include "muster/reproduce/figure_files.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/recipes.h"
#include "say.h"

namespace muster::app {
namespace {

using reproduce::Recipe;

struct ReproduceFlags {
  std::vector<std::string> ids;
  std::string out = "reproduced";
  bool quick = false;
  bool list = false;
  bool resume = false;
  bool json = false;
};

void list(bool json) {
  std::string missing;
  for (const reproduce::FigureText& figure : reproduce::figure_texts()) {
    const auto& all = reproduce::recipes();
    const auto recipe =
        std::find_if(all.begin(), all.end(), [&](const Recipe& r) { return r.id == figure.id; });
    if (recipe == all.end()) {
      missing += (missing.empty() ? "" : ", ") + figure.id;
    } else if (json) {
      fmt::print("{}\n", reporting::JsonObject()
                             .text("id", recipe->id)
                             .text("what", recipe->what)
                             .text("parameters", recipe->parameters)
                             .text("data", recipe->data)
                             .text("time", recipe->time)
                             .unsigned_integer("claims", figure.claims.size())
                             .str());
    } else {
      fmt::print("{}", reporting::wrapped(fmt::format("{}; {}; data: {}; {}", recipe->what,
                                                      recipe->parameters, recipe->data, recipe->time),
                                          fmt::format("{:<20}", recipe->id), std::string(20, ' ')));
    }
  }
  if (!missing.empty()) say("not reproduced yet: " + missing);
}

std::vector<const Recipe*> chosen(const ReproduceFlags& flags) {
  std::vector<const Recipe*> recipes;
  if (flags.quick) {
    for (const Recipe& recipe : reproduce::recipes()) recipes.push_back(&recipe);
  }
  for (const std::string& id : flags.ids) {
    const Recipe* recipe = &reproduce::recipe_named(id);
    if (std::find(recipes.begin(), recipes.end(), recipe) == recipes.end()) recipes.push_back(recipe);
  }
  if (recipes.empty()) {
    throw Error(ErrorCode::usage, Reason::missing, "ID", "", "one id or more, --quick or --list",
                "is missing: reproduce needs the id of a figure or table");
  }
  return recipes;
}

void print_claims(const reproduce::PaperFigure& figure) {
  for (const reproduce::Finding& finding : figure.findings) {
    fmt::print("{}", reporting::wrapped(finding.claim, fmt::format("  {:<19}", name_of(finding.verdict))));
    fmt::print("{}", reporting::wrapped(finding.found, std::string(21, ' '), std::string(21, ' ')));
  }
}

void reproduce_one(const Recipe& recipe, const ReproduceFlags& flags) {
  const std::filesystem::path folder = flags.out;
  if (flags.resume && reproduce::is_written(recipe.id, folder)) {
    say(fmt::format("{}: in {} already", recipe.id, flags.out));
    return;
  }
  say(fmt::format("{}: about {} ...", recipe.id, recipe.time));
  const auto start = std::chrono::steady_clock::now();
  const reproduce::PaperFigure figure = recipe.compute();
  const reproduce::FigureText& text = reproduce::figure_text(recipe.id);
  write_figure(figure, text, folder);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (flags.json) {
    fmt::print("{}", figure_json(figure, text));
    return;
  }
  fmt::print("{}: {} [{:.1f} s]\n", recipe.id, (folder / (std::string(recipe.id) + ".png")).string(),
             seconds.count());
  print_claims(figure);
}

int run(const ReproduceFlags& flags) {
  if (flags.list) {
    if (flags.quick || flags.resume || !flags.ids.empty()) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--list", "", "", "goes with --json alone");
    }
    list(flags.json);
    return 0;
  }
  const std::vector<const Recipe*> recipes = chosen(flags);
  reproduce::make_folder(flags.out);  // first, so that nothing is computed that cannot be written
  for (const Recipe* recipe : recipes) reproduce_one(*recipe, flags);
  return 0;
}

}  // namespace

Subcommand reproduce_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "reproduce", "Compute figures and tables of the papers anew",
                                 "muster reproduce 001-table-1 001-figure-1a --out reproduced");
  auto flags = std::make_shared<ReproduceFlags>();
  cli->add_option("ID", flags->ids, "figures and tables, such as 001-table-1");
  cli->add_flag("--list", flags->list, "print what can be reproduced, with parameters, data and time");
  cli->add_flag("--quick", flags->quick, "all that need no training");
  cli->add_option("--out", flags->out, "the folder for CSV, SVG, PNG and JSON [reproduced]")
      ->type_name("DIR");
  cli->add_flag("--resume", flags->resume, "leave out what the folder holds already");
  cli->add_flag("--json", flags->json, "print one JSON line for each figure, with its claims");
  return {cli, [flags] { return run(*flags); }};
}

}  // namespace muster::app

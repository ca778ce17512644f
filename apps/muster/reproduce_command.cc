// `muster reproduce ID...`: computes figures and tables of the papers, after the trainings that some of them
// need, and gives a verdict on each of their claims.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "count_flags.h"
#include "interrupt.h"
#include "many_runs.h"
#include "muster/core/error.h"
#include "muster/reporting/json.h"
#include "muster/reporting/text_layout.h"
#include "muster/reproduce/figure_files.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/recipes.h"
#include "muster/reproduce/trainer.h"
#include "muster/reproduce/written_figure.h"
#include "muster/simulation/ranks.h"
#include "question_flags.h"
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
  // The flags of figures that need training.
  std::string data, scale, logs;
  unsigned threads = simulation::usual_threads();
  std::vector<CLI::Option*> of_training;
};

void list(bool json) {
  for (const Recipe& recipe : reproduce::recipes()) {
    if (json) {
      fmt::print("{}\n", reporting::JsonObject()
                             .text("id", recipe.id)
                             .text("what", recipe.what)
                             .text("parameters", recipe.parameters)
                             .text("data", recipe.data)
                             .text("time", recipe.time)
                             .unsigned_integer("claims", reproduce::figure_text(recipe.id).claims.size())
                             .str());
    } else {
      fmt::print("{}", reporting::wrapped(fmt::format("{}; {}; data: {}; {}", recipe.what, recipe.parameters,
                                                      recipe.data, recipe.time),
                                          fmt::format("{:<20}", recipe.id), std::string(20, ' ')));
    }
  }
}

std::vector<const Recipe*> chosen(const ReproduceFlags& flags) {
  std::vector<const Recipe*> recipes;
  if (flags.quick && !flags.ids.empty()) {
    throw Error(
        ErrorCode::usage, Reason::contradiction, "--quick", "", "--quick, or one id or more",
        fmt::format("does not go with {}: it reproduces all that need no training", flags.ids.front()));
  }
  if (flags.quick) {
    for (const Recipe& recipe : reproduce::recipes()) {
      if (recipe.compute != nullptr) recipes.push_back(&recipe);
    }
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

// Returns the Trainer of the figures that need training, after all that they will train has been checked;
// null if no figure does.
std::unique_ptr<reproduce::Trainer> trainer_for(const std::vector<const Recipe*>& recipes,
                                                const ReproduceFlags& flags) {
  std::vector<reproduce::Training> trainings;
  for (const Recipe* recipe : recipes) {
    if (recipe->trainings == nullptr) continue;
    for (const reproduce::Training& training : recipe->trainings()) trainings.push_back(training);
  }
  if (trainings.empty()) {
    for (const CLI::Option* option : flags.of_training) {
      if (option->count() == 0) continue;
      throw Error(ErrorCode::usage, Reason::inapplicable, option->get_name(), "", "",
                  "is for figures that need training, and none of these does");
    }
    return nullptr;
  }
  reproduce::TrainerSettings settings;
  settings.data = flags.data;
  if (!flags.scale.empty()) settings.scale = number_flag("--scale", flags.scale, protocols::kRate);
  settings.out = flags.out;
  settings.resume = flags.resume;
  settings.logs = flags.logs;
  settings.threads = flags.threads;
  settings.interrupt = &interrupted();
  auto trainer = std::make_unique<reproduce::Trainer>(settings, run_progress(), say);
  trainer->check(trainings);
  return trainer;
}

// Says what the figure is about to cost.
void say_what_begins(const Recipe& recipe, const ReproduceFlags& flags) {
  if (recipe.train == nullptr) {
    say(fmt::format("{}: about {} ...", recipe.id, recipe.time));
  } else if (!flags.logs.empty()) {
    say(fmt::format("{}: drawn from the logs in {} ...", recipe.id, flags.logs));
  } else {
    say(fmt::format(
        "{}: all rounds take about {} on two idle cores{} ...", recipe.id, recipe.time,
        flags.scale.empty() ? "" : fmt::format(", of which a fraction {} is trained", flags.scale)));
  }
}

// Returns whether the folder holds the figure already and --resume leaves it as it is; says so, and why a
// figure that is there is written anew.
bool is_left_as_it_is(const reproduce::FigureText& text, const ReproduceFlags& flags) {
  using State = reproduce::WrittenFigure::State;
  const reproduce::WrittenFigure found = reproduce::written_figure(text, flags.out);
  const bool whole = found.state == State::whole;
  if (whole && flags.resume) {
    say(fmt::format("{}: in {} already", text.id, flags.out));
  } else if (whole) {
    say(fmt::format("{}: in {} already, and written anew; --resume leaves it as it is", text.id, flags.out));
  } else if (found.state == State::unusable) {
    say(fmt::format("{}: written anew, because in {} {}", text.id, flags.out, found.flaw));
  }
  return whole && flags.resume;
}

void reproduce_one(const Recipe& recipe, const ReproduceFlags& flags, reproduce::Trainer* trainer) {
  const std::filesystem::path folder = flags.out;
  const reproduce::FigureText& text = reproduce::figure_text(recipe.id);
  // A figure that trains is drawn anew from its runs, whose scale and data may have been others.
  if (recipe.train == nullptr && is_left_as_it_is(text, flags)) return;
  say_what_begins(recipe, flags);
  const auto start = std::chrono::steady_clock::now();
  const reproduce::PaperFigure figure = recipe.train == nullptr ? recipe.compute() : recipe.train(*trainer);
  write_figure(figure, text, folder);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (flags.json) {
    fmt::print("{}", figure_json(figure, text));
  } else {
    fmt::print("{}: {} [{:.1f} s]\n", recipe.id, (folder / (std::string(recipe.id) + ".png")).string(),
               seconds.count());
    print_claims(figure);
  }
  std::fflush(stdout);
}

int run(const ReproduceFlags& flags) {
  if (flags.list) {
    const bool trains = std::ranges::any_of(flags.of_training, [](auto* flag) { return flag->count() > 0; });
    if (flags.quick || flags.resume || trains || !flags.ids.empty()) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--list", "", "", "goes with --json alone");
    }
    list(flags.json);
    return 0;
  }
  const std::vector<const Recipe*> recipes = chosen(flags);
  const std::unique_ptr<reproduce::Trainer> trainer = trainer_for(recipes, flags);
  reproduce::make_folder(flags.out);  // first, so that nothing is computed that cannot be written
  if (trainer != nullptr) catch_signals();
  try {
    for (const Recipe* recipe : recipes) reproduce_one(*recipe, flags, trainer.get());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    say(error.what());
    return exit_status(error.code());
  }
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
  cli->add_flag("--resume", flags->resume,
                "leave out what the folder holds already, and continue trainings that were interrupted");
  cli->add_flag("--json", flags->json, "print one JSON line for each figure, with its claims");
  flags->of_training = {
      cli->add_option(
             "--data", flags->data,
             "train on the images in this folder: the four idx files of MNIST, in place of built-in digits; "
             "for 003-figure-6 the folders cifar-10-batches-bin and cifar-100-binary")
          ->type_name("DIR"),
      cli->add_option("--scale", flags->scale, "train only this fraction of the rounds: number in (0, 1] [1]")
          ->type_name("NUMBER"),
      cli->add_option("--logs", flags->logs,
                      "draw from the logs of earlier trainings in this folder, and train nothing")
          ->type_name("DIR"),
      add_threads(*cli, flags->threads)};
  return {cli, [flags] { return run(*flags); }};
}

}  // namespace muster::app

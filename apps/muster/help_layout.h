// Lays out the text of --help: what the parser prints, with descriptions wrapped to 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace muster::app {

class HelpLayout final : public CLI::Formatter {
 public:
  // Leaves out what the parser writes behind a flag whose value may be omitted: "{table}".
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  // Returns the text in lines that fit beside the column of names. The parser indents all but the first line.
  std::string beside_names(const std::string& text) const;
};

}  // namespace muster::app

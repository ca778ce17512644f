#include "help_layout.h"

#include <cstddef>
#include <sstream>

#include "muster/reporting/text_layout.h"

namespace muster::app {

std::string HelpLayout::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string name = CLI::Formatter::make_option_name(option, is_positional);
  return name.substr(0, name.find('{'));
}

std::string HelpLayout::make_option_desc(const CLI::Option* option) const {
  return beside_names(CLI::Formatter::make_option_desc(option));
}

std::string HelpLayout::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_display_name(true), beside_names(command->get_description()),
                           get_column_width());
  return out.str();
}

std::string HelpLayout::beside_names(const std::string& text) const {
  const std::string indent(get_column_width(), ' ');
  std::istringstream lines(reporting::wrapped(text, indent, indent));
  std::string beside;
  for (std::string line; std::getline(lines, line);) {
    beside += beside.empty() ? "" : "\n";
    beside += line.substr(indent.size());
  }
  return beside;
}

}  // namespace muster::app

#include "muster/reproduce/paper_texts.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <map>
#include <string_view>
#include <utility>

#include "muster/core/error.h"
#include "muster/reproduce/paper_sources.h"

namespace muster::reproduce {
namespace {

struct Texts {
  std::vector<FigureText> figures;
  std::map<std::string, std::vector<double>> numbers;
};

std::string text_of(const toml::table& table, std::string_view key) {
  return table[key].value_or(std::string());
}

std::vector<std::string> texts_of(const toml::table& table, std::string_view key) {
  std::vector<std::string> texts;
  if (const toml::array* array = table[key].as_array()) {
    for (const toml::node& node : *array) texts.push_back(node.value_or(std::string()));
  }
  return texts;
}

std::string cited(const toml::table& paper) {
  return fmt::format("{}, \"{}\", {}", text_of(paper, "authors"), text_of(paper, "title"),
                     paper["year"].value_or(0));
}

FigureText figure_of(const std::string& id, const std::string& paper, const toml::table& table) {
  FigureText figure{.id = id,
                    .paper = paper,
                    .caption = text_of(table, "caption"),
                    .where = text_of(table, "where"),
                    .trains = table.contains("training"),
                    .unstated = texts_of(table, "unstated"),
                    .claims = {}};
  if (const toml::array* claims = table["claim"].as_array()) {
    for (const toml::node& node : *claims) {
      const toml::table& claim = *node.as_table();
      figure.claims.push_back(
          {text_of(claim, "id"), text_of(claim, "words"), text_of(claim, "check"), text_of(claim, "known")});
    }
  }
  return figure;
}

void read_paper(std::string_view source, Texts& texts) {
  const toml::table root = toml::parse(source);
  const std::string paper = cited(root);
  for (const toml::node& node : *root["statement"].as_array()) {
    const toml::table& statement = *node.as_table();
    std::vector<double>& numbers = texts.numbers[text_of(statement, "id")];
    for (const toml::node& number : *statement["numbers"].as_array()) {
      numbers.push_back(number.value<double>().value());
    }
  }
  // The parser sorts a table by its keys; the figures' places in the file give their order.
  std::map<toml::source_index, FigureText> by_line;
  for (const auto& [id, node] : *root["figure"].as_table()) {
    const toml::table& table = *node.as_table();
    by_line.emplace(table.source().begin.line, figure_of(std::string(id.str()), paper, table));
  }
  for (auto& [line, figure] : by_line) texts.figures.push_back(std::move(figure));
}

const Texts& texts() {
  static const Texts all = [] {
    Texts read;
    for (const std::string_view source : kPaperSources) read_paper(source, read);
    return read;
  }();
  return all;
}

}  // namespace

const std::vector<FigureText>& figure_texts() { return texts().figures; }

const FigureText& figure_text(const std::string& id) {
  for (const FigureText& figure : texts().figures) {
    if (figure.id == id) return figure;
  }
  throw Error(ErrorCode::internal, id, "", "", "is no figure of the papers' texts");
}

const std::vector<double>& numbers_of(const std::string& statement) {
  const auto found = texts().numbers.find(statement);
  if (found == texts().numbers.end()) {
    throw Error(ErrorCode::internal, statement, "", "", "is no statement of the papers' texts");
  }
  return found->second;
}

double number_of(const std::string& statement, std::size_t index) { return numbers_of(statement).at(index); }

}  // namespace muster::reproduce

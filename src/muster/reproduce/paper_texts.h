// Gives what the texts of five papers state: captions, claims in the papers' words, and numbers.
//
// The source is testdata/papers/*.toml, which are compiled into the library; README.md there names the papers
// and says what each key means. The texts are parsed once, on the first call. Any thread may call the
// functions.
#pragma once

#include <string>
#include <vector>

namespace muster::reproduce {

struct Claim {
  std::string id;
  std::string words;  // the passage, quoted
  std::string check;  // what has to be computed and compared
  std::string known;  // what is already known about the claim; may be empty
};

struct FigureText {
  std::string id;                     // for example "001-table-1"
  std::string paper;                  // for example "Liew, Takahashi, "Shuffle Gaussian Mechanism ...", 2022"
  std::string caption;                // the caption, quoted
  std::string where;                  // where the paper has it, for example "Section 5.1"
  bool trains = false;                // whether the figure's values come from training runs
  std::vector<std::string> unstated;  // what the figure needs and the text does not state
  std::vector<Claim> claims;
};

// Returns every figure, table and proposition of testdata/papers, paper by paper, in the paper's order.
const std::vector<FigureText>& figure_texts();
// Returns the figure with this id. Throws Error(internal) if there is none.
const FigureText& figure_text(const std::string& id);

// Returns the numbers of a statement (a [[statement]] of those files: one passage of a paper), in the order
// in which the passage has them. Throws Error(internal) if there is no statement of this id.
const std::vector<double>& numbers_of(const std::string& statement);
// Returns the number at `index` of numbers_of(statement), counted from 0.
double number_of(const std::string& statement, std::size_t index = 0);

}  // namespace muster::reproduce

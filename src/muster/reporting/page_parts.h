// The parts of which the pages of muster are made: the frame with its style sheet, numbers, boxes, lists, and
// what no page may leave out.
//
// A page is one file that loads nothing from outside and follows the reader's light or dark mode. Text that
// comes from a file must go through escaped() (chart_svg.h) before it becomes part of a page; the functions
// below do so where they take plain words. All functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::reporting::page {

// Returns whether `text` is a page that muster report made, in this version or an older one.
bool is_report(std::string_view text);

// Returns a page with these elements in its head. `title` is plain text, and `style` the whole style sheet.
std::string framed(const std::string& head, const std::string& title, const std::string& style,
                   const std::string& body);
// Returns the style sheet of all pages with more after it.
std::string style_sheet(const std::string& more);

// Returns the whole page of a report. `title` is plain text and stands before ": " and `kind`. `style` is
// added to the style sheet of all pages, and `body` is HTML.
std::string whole(const std::string& title, const std::string& kind, const std::string& style,
                  const std::string& body);

// Each of these returns <data value="..">, with the full value, around a short form for people. An epsilon is
// shown rounded up, or as "none" if none is proven.
std::string data(const std::string& value, const std::string& shown);
std::string data(double value, const std::string& shown);
std::string count_data(std::uint64_t value);
std::string fraction_data(double fraction);  // in [0, 1], such as an accuracy
std::string epsilon_data(double epsilon);
std::string loss_data(double loss);
std::string time_data(double seconds);

// The parameters `html`, `big` and `words` of the next three functions are HTML.
std::string number_cell(const std::string& html);  // a cell of a table, aligned to the right
std::string card(const std::string& big, const std::string& words);
std::string flag(const char* kind, const std::string& words);  // `kind` is "", "good" or "bad"

// Returns a box with a note (run_notes.h), or nothing if the note is empty.
std::string note(const char* kind, const std::string& plain);
std::string listed(const std::vector<std::string>& plain);

// Returns the keys and values of a plan's canonical text, in its order.
std::vector<std::pair<std::string, std::string>> keys_of(const protocols::Plan& plan);

// Returns the section on what the epsilons of these runs do not cover.
std::string not_protected(const std::vector<const protocols::Plan*>& plans);

}  // namespace muster::reporting::page

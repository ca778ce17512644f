// Reads the header and the lines of a CSV file, split into fields by the rules of RFC 4180.
//
//     file   = header LF { line LF } ;            a line may end in CR LF; the last need not end in LF
//     line   = field { "," field } ;              as many fields as the header has
//     field  = blanks ( text | '"' { any but '"', or '""' } '"' ) blanks ;
//
// Blanks (spaces and tabs) around a field are ignored; blanks in quotes belong to the field. A quote may
// stand only in a quoted field, and must be doubled there. A field that continues on the next line is
// refused, and so is a line of more than 4 MiB. A byte order mark is skipped. The file may be
// gzip-compressed. Every refusal is an Error(data) that names the file and, as far as they apply, the line
// (the header is line 1), the column and the value. Each object belongs to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "muster/learning/data/byte_file.h"

namespace muster::learning {

inline constexpr std::size_t kMaxColumns = 65'536;

class CsvFile {
 public:
  // Reads the header. Refuses a header with fewer than 2 or more than kMaxColumns columns, and one that holds
  // only numbers.
  explicit CsvFile(const std::filesystem::path& path);

  const std::vector<std::string>& names() const { return names_; }

  // Reads the next line, which becomes the current one; returns false if there is none.
  bool next();
  // Returns the fields of the current line, one per column. They are valid until the next call of next().
  const std::vector<std::string_view>& fields() const { return fields_; }
  // Returns the number of the current line; the header is line 1.
  std::size_t line() const { return line_; }

  // These throw Error(data) about a column of the current line, about the current line, or about the line
  // `line`. `found` is what was found there.
  [[noreturn]] void refuse(std::size_t column, std::string_view found, const std::string& expected,
                           const std::string& message) const;
  [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                           const std::string& message) const;
  [[noreturn]] void refuse_at(std::size_t line, const std::string& column, const std::string& found,
                              const std::string& expected, const std::string& message) const;
  // Returns a column as errors name it, for example "2 (height)" for index 1.
  std::string column_text(std::size_t column) const;

 private:
  bool next_line();
  void split_line();
  std::size_t quoted_field(std::size_t at);
  std::size_t plain_field(std::size_t at);

  std::filesystem::path path_;
  ByteFile file_;
  std::vector<char> chunk_ = std::vector<char>(std::size_t{1} << 16);
  std::ptrdiff_t at_ = 0;    // the place of the next byte in chunk_
  std::ptrdiff_t size_ = 0;  // the number of bytes in chunk_
  std::string text_;         // the current line; its fields lie in it
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
  std::vector<std::string> names_;
};

// Returns a file's text in the form in which errors show it: printable and short.
std::string shown(std::string_view text);

}  // namespace muster::learning

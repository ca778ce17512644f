// Writes and reads the fields of one JSON object. One description of a struct serves both directions.
//
// A struct that is stored lists its fields once, in the order in which they are written:
//     template <typename Self, typename Fields>
//     static void describe(Self& self, Fields& fields) {
//       fields.count("round", self.round);
//       fields.number("accuracy", self.accuracy, 0, 1);
//     }
// describe(x, writer) writes x, and describe(x, reader) replaces its fields by those that were read. A member
// that is a std::optional is not written if it has no value, and is read as having none if its field is
// missing. Numbers are written with the fewest digits that read back to the same double; the JSON of commands
// that store nothing has 17 digits (reporting/json.h). A writer or reader belongs to one thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace muster::simulation {

class JsonFieldWriter {
 public:
  void number(const char* key, double value, double, double) { json_[key] = value; }
  void number(const char* key, std::optional<double> value, double low, double high);
  // An infinite value is written as null.
  void number_or_null(const char* key, double value) { json_[key] = value; }
  void number_or_null(const char* key, std::optional<double> value);
  void count(const char* key, std::uint64_t value) { json_[key] = value; }
  void count(const char* key, std::optional<std::uint64_t> value);
  void text(const char* key, const std::string& value) { json_[key] = value; }
  // `value` is of an enum type for which there is a function name_of; the name is written.
  template <typename Name>
  void one_of(const char* key, Name value, std::initializer_list<Name>) {
    json_[key] = name_of(value);
  }

  template <typename Name>
  void one_of(const char* key, std::optional<Name> value, std::initializer_list<Name> names) {
    if (value) one_of(key, *value, names);
  }

  // Returns the object on one line, without an end of line. In text that is not UTF-8, invalid bytes are
  // replaced by U+FFFD.
  std::string str() const;

 private:
  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

// Reads fields of one JSON object. Throws std::invalid_argument, naming the field, if a field is missing or
// does not fit its description; a number must lie in [low, high]. A missing field that is read into a
// std::optional gives an empty std::optional instead. The caller adds the file and the line to the error.
class JsonFieldReader {
 public:
  // Throws std::invalid_argument for text that json_object_of() refuses (json_object.h).
  explicit JsonFieldReader(const std::string& text);

  void number(const char* key, double& value, double low, double high) const;
  void number(const char* key, std::optional<double>& value, double low, double high) const;
  void number_or_null(const char* key, double& value) const;
  void number_or_null(const char* key, std::optional<double>& value) const;
  void count(const char* key, std::uint64_t& value) const;
  void count(const char* key, std::optional<std::uint64_t>& value) const;
  void text(const char* key, std::string& value) const;
  template <typename Name>
  void one_of(const char* key, Name& value, std::initializer_list<Name> names) const {
    std::string read;
    text(key, read);
    for (const Name name : names) {
      if (read == name_of(name)) {
        value = name;
        return;
      }
    }
    refuse(key, "has an unknown value: " + read);
  }
  template <typename Name>
  void one_of(const char* key, std::optional<Name>& value, std::initializer_list<Name> names) const {
    value.reset();
    if (json_.contains(key)) one_of(key, value.emplace(), names);
  }

 private:
  const nlohmann::json& at(const char* key) const;
  [[noreturn]] static void refuse(const char* key, const std::string& why);

  nlohmann::json json_;
};

}  // namespace muster::simulation

// The kinds of values that plan keys take.
//
// Each kind has these members:
//     read(stated, values)   Reads what a plan or a flag states into the kind's field of PlanValues. Throws
//                            Error(plan), with the position, for a wrong type or a value out of range.
//     write(values)          Returns the field as a flag would state it; nullopt if the field has no value.
//     allowed(command)       Describes the allowed values, as in "number in (0, 1]".
//     kPlaceholder           Stands for a value in --help, as in "NUMBER".
//
// A kind is immutable and may be shared between threads. Its functions change nothing except the `values`
// that read() fills.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/values.h"

namespace muster::protocols {

// The largest TOML integer.
inline constexpr std::uint64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();

// The member of PlanValues that a key fills. An optional member has no value unless a plan states one or the
// key has a default that depends on other keys (KeySpec::fill in keys.h).
template <typename T>
class Field {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a pointer to a member is a field
  Field(T PlanValues::*member) : member_(member) {}
  Field(std::optional<T> PlanValues::*member) : member_(member) {}
  // NOLINTEND(google-explicit-constructor)

  void set(PlanValues& values, T value) const {
    std::visit([&](auto member) { values.*member = std::move(value); }, member_);
  }
  std::optional<T> get(const PlanValues& values) const {
    return std::visit([&](auto member) { return std::optional<T>(values.*member); }, member_);
  }

 private:
  std::variant<T PlanValues::*, std::optional<T> PlanValues::*> member_;
};

// A name that is safe as a folder name.
struct FolderName {
  static constexpr std::string_view kPlaceholder = "TEXT";
  Field<std::string> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// A format of data sets: the prefix that names it in a plan, and whether a folder or a file follows. A new
// format needs an entry in kDataFormats and a reader in simulation/data_source.cc.
struct DataFormat {
  std::string_view name;
  bool folder;
};
inline constexpr std::array kDataFormats = {DataFormat{"idx", true}, DataFormat{"csv", false},
                                            DataFormat{"cifar", true}};
// Returns the list that error messages show: "digits | idx:DIR | csv:FILE | cifar:DIR".
std::string data_formats();
// Returns the format that prefixes a data set's name, such as "csv" in "csv:FILE"; nullptr if there is none.
const DataFormat* data_format_of(std::string_view name);

// "digits", or a format and a path, as in "csv:FILE". A plain DIR is read as "idx:DIR". An empty field means
// that the plan states no data; empty text is refused.
struct DataSet {
  static constexpr std::string_view kPlaceholder = "TEXT";
  Field<std::string> field;
  std::string_view format = {};  // the only format that is allowed, by name; empty: every format and "digits"

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// How records are dealt to clients (partition.h).
struct Partitions {
  static constexpr std::string_view kPlaceholder = "TEXT";
  Field<Partition> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// The records that a client holds: their number, or the column of csv data that names the owner of each
// record. Text that begins with a digit, a sign or a point is read as a number.
struct RecordsHeld {
  static constexpr std::string_view kPlaceholder = "INTEGER|TEXT";
  Field<std::uint64_t> records;
  Field<std::string> owner;
  std::uint64_t max = kMaxInteger;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// A switch: true or false. A flag gives the value as text.
struct Switch {
  static constexpr std::string_view kPlaceholder = "BOOLEAN";
  Field<bool> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// The name of a column in the header of a file: text without control characters, and without blanks around
// it. An empty field means that the plan names no column; empty text is refused.
struct ColumnName {
  static constexpr std::string_view kPlaceholder = "TEXT";
  Field<std::string> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// A file with the profile of a randomizer (profile_file.h), by its path. Reading the value reads the file,
// unless the stated value has its contents already (RawValue::profile). The canonical text states the hash of
// the contents, so that a plan's hash does not depend on where the file is; the hash cannot be read back as a
// path.
struct ProfilePath {
  static constexpr std::string_view kPlaceholder = "FILE";
  Field<std::shared_ptr<const ProfileFile>> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

struct Integers {
  static constexpr std::string_view kPlaceholder = "INTEGER";
  Field<std::uint64_t> field;
  std::uint64_t min = 0;
  std::uint64_t max = kMaxInteger;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

struct Numbers {
  static constexpr std::string_view kPlaceholder = "NUMBER";
  Field<double> field;
  Interval range;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// The rate of every client, or an interval [lo, hi] that contains the rates of all clients.
struct Rates {
  static constexpr std::string_view kPlaceholder = "NUMBER|LO:HI";
  double PlanValues::*highest;
  std::optional<double> PlanValues::*lowest;  // has a value only if it is below the highest rate
  Interval range;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// A number for each round (schedule.h). Calibration and comparisons accept only a constant schedule.
struct Schedules {
  static constexpr std::string_view kPlaceholder = "SCHEDULE";
  Field<Schedule> field;
  Interval range;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

struct LearningRates {
  static constexpr std::string_view kPlaceholder = "SCHEDULE";
  Field<LearningRate> field;

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;
};

// One enumerator that a key accepts, and the reasons why training and comparisons refuse it (empty if they
// take it).
template <typename Enum>
struct OptionOf {
  Enum enumerator;
  std::string_view untrainable = {};
  std::string_view incomparable = {};
};

struct Choice {
  std::string_view name;
  std::string_view untrainable, incomparable;  // as in OptionOf
  std::function<void(PlanValues&)> choose;

  // Returns the reason why the command refuses this choice; empty if the command accepts it.
  std::string_view refused_by(Command command) const {
    return command == Command::train     ? untrainable
           : command == Command::compare ? incomparable
                                         : std::string_view();
  }
  bool works_with(Command command) const { return refused_by(command).empty(); }
};

// One of the enumerators of an enum. Plans write it by the name that name_of returns.
class Choices {
 public:
  static constexpr std::string_view kPlaceholder = "TEXT";

  template <typename Enum>
  Choices(Enum PlanValues::*field, const std::vector<std::type_identity_t<OptionOf<Enum>>>& options)
      : chosen_([field](const PlanValues& values) { return name_of(values.*field); }) {
    for (const auto& option : options) {
      options_.push_back(
          {name_of(option.enumerator), option.untrainable, option.incomparable,
           [field, chosen = option.enumerator](PlanValues& values) { values.*field = chosen; }});
    }
  }
  const std::vector<Choice>& options() const { return options_; }

  std::string allowed(Command command) const;
  void read(const Stated& stated, PlanValues& values) const;
  std::optional<std::string> write(const PlanValues& values) const;

 private:
  std::vector<Choice> options_;
  std::function<const char*(const PlanValues&)> chosen_;
};

using ValueKind = std::variant<FolderName, DataSet, ColumnName, Partitions, RecordsHeld, Switch, ProfilePath,
                               Integers, Numbers, Rates, Schedules, LearningRates, Choices>;

}  // namespace muster::protocols

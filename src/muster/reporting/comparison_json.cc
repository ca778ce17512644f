#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "muster/reporting/comparison_text.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Solves;

JsonObject row_json(const Row& row) {
  JsonObject json = JsonObject().text("protocol", row.protocol).text("randomizer", row.randomizer);
  const auto number = [&row](double value) { return row.bound ? std::optional(value) : std::nullopt; };
  json.text("knob", row.knob).number("value", number(row.value)).number("rate", row.rate);
  const accounting::Bound bound = row.bound.value_or(accounting::Bound{});
  json.object("epsilon", JsonObject().number("upper", bound.upper).number("lower", bound.lower))
      .text("bound", bound.id)
      .text("validity", row.bound ? name_of(bound.validity) : "")
      .text("neighbouring", row.bound ? name_of(bound.neighbouring) : "")
      .text("view", row.bound ? name_of(bound.view) : "")
      .number("numerical_error", number(bound.numerical_error))
      .texts("assumptions", bound.assumptions)
      .text("citation", bound.citation)
      .text("trusted", row.trusted)
      .number("variance", row.variance);
  if (row.bits) {
    json.unsigned_integer("bits", *row.bits);
  } else {
    json.number("bits", std::nullopt);
  }
  return json.number("messages", number(row.messages)).text("why_not", row.why_not);
}

std::vector<JsonObject> rows_json(const std::vector<Row>& rows) {
  std::vector<JsonObject> objects;
  for (const Row& row : rows) objects.push_back(row_json(row));
  return objects;
}

std::string cell(std::optional<double> value) { return value ? fmt::format("{:.17g}", *value) : ""; }

std::string csv_line(const Row& row) {
  const std::string known = fmt::format("{},{},{}", row.protocol, row.randomizer, row.knob);
  if (!row.bound) return fmt::format("{},,,,,,,,,{},,,\n", known, row.trusted);
  const accounting::Bound& bound = *row.bound;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", known, cell(row.value), cell(row.rate),
                     cell(bound.upper), cell(bound.lower), bound.id, name_of(bound.validity),
                     name_of(bound.neighbouring), name_of(bound.view), row.trusted, cell(row.variance),
                     row.bits ? fmt::format("{}", *row.bits) : "", cell(row.messages));
}

}  // namespace

JsonObject comparison_json(const Comparison& all) {
  std::vector<JsonObject> left_out;
  for (const comparison::LeftOut& each : all.left_out) {
    left_out.push_back(JsonObject().text("name", each.name).text("why", each.why));
  }
  return JsonObject()
      .number("epsilon", all.target.epsilon)
      .number("delta", all.target.delta)
      .unsigned_integer("clients", all.clients)
      .unsigned_integer("rounds", all.rounds)
      .text("for", all.solves == Solves::accuracy ? "accuracy" : "noise")
      .objects("rows", rows_json(all.rows))
      .objects("references", rows_json(all.references))
      .objects("left_out", left_out);
}

std::string comparison_csv(const Comparison& all) {
  std::string text =
      "protocol,randomizer,knob,value,rate,epsilon_upper,epsilon_lower,bound,validity,neighbouring,view,"
      "trusted,"
      "variance,bits,messages\n";
  for (const Row& row : all.rows) text += csv_line(row);
  for (const Row& row : all.references) text += csv_line(row);
  return text;
}

}  // namespace muster::reporting

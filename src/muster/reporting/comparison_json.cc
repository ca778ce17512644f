#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "muster/reporting/comparison_text.h"
#include "muster/reporting/seed_spread.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Solves;

// Returns the reason why a row of a comparison with training has no accuracy, or has one only for some of the
// seeds. Returns "" if all seeds are finished.
std::string why_no_accuracy(const Row& row) {
  if (row.protocol == comparison::kCentral) return "no plan describes a trusted server, so none is trained";
  if (!row.plan) return row.why_not;
  for (const simulation::SweptRun& run : row.runs) {
    if (!run.failure.empty()) return run.failure;
  }
  return spread_of(row.runs).finished < row.runs.size() ? "interrupted" : "";
}

void add_training(const Row& row, JsonObject& json) {
  const SeedSpread spread = spread_of(row.runs);
  RunCounts counts;
  counts.add(row.runs);
  std::vector<std::string> folders;
  std::ranges::transform(row.runs, std::back_inserter(folders), &simulation::SweptRun::folder);
  json.object("accuracy", accuracy_json(spread))
      .unsigned_integer("finished", counts.finished)
      .unsigned_integer("failed", counts.failed)
      .number("seconds", if_any(spread, spread.seconds))
      .texts("runs", folders)
      .text("why_no_accuracy", why_no_accuracy(row));
}

JsonObject row_json(const Row& row, bool trained) {
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
  json.number("messages", number(row.messages)).text("why_not", row.why_not);
  if (trained) add_training(row, json);
  return json;
}

std::vector<JsonObject> rows_json(const std::vector<Row>& rows, bool trained) {
  std::vector<JsonObject> objects;
  for (const Row& row : rows) objects.push_back(row_json(row, trained));
  return objects;
}

// Returns the shortest text that reads back as the same double, or "" for nullopt.
std::string cell(std::optional<double> value) { return value ? fmt::format("{}", *value) : ""; }

std::string training_cells(const Row& row) {
  const SeedSpread spread = spread_of(row.runs);
  return fmt::format(",{},{},{},{}", cell(if_any(spread, spread.mean)), cell(if_any(spread, spread.lowest)),
                     cell(if_any(spread, spread.highest)), spread.finished);
}

std::string csv_cells(const Row& row) {
  const std::string known = fmt::format("{},{},{}", row.protocol, row.randomizer, row.knob);
  if (!row.bound) return fmt::format("{},,,,,,,,,{},,,", known, row.trusted);
  const accounting::Bound& bound = *row.bound;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", known, cell(row.value), cell(row.rate),
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
  const bool trained = all.training.has_value();
  JsonObject json;
  json.number("epsilon", all.target.epsilon)
      .number("delta", all.target.delta)
      .unsigned_integer("clients", all.clients)
      .unsigned_integer("rounds", all.rounds)
      .text("for", all.solves == Solves::accuracy ? "accuracy" : "noise")
      .objects("rows", rows_json(all.rows, trained))
      .objects("references", rows_json(all.references, trained))
      .objects("left_out", left_out);
  if (trained) {
    RunCounts counts;
    for (const std::vector<Row>* rows : {&all.rows, &all.references}) {
      for (const Row& row : *rows) counts.add(row.runs);
    }
    json.unsigned_integer("first_seed", all.training->first_seed)
        .unsigned_integer("seeds", all.training->seeds)
        .unsigned_integer("runs", counts.runs)
        .unsigned_integer("finished", counts.finished)
        .unsigned_integer("failed", counts.failed)
        .text("stopped", all.training->interrupted ? "interrupted" : "done")
        .text("out", all.training->folder);
  }
  return json;
}

std::string comparison_csv(const Comparison& all) {
  std::string text =
      "protocol,randomizer,knob,value,rate,epsilon_upper,epsilon_lower,bound,validity,neighbouring,view,"
      "trusted,variance,bits,messages";
  const bool trained = all.training.has_value();
  text += trained ? ",accuracy_mean,accuracy_min,accuracy_max,finished\n" : "\n";
  for (const std::vector<Row>* rows : {&all.rows, &all.references}) {
    for (const Row& row : *rows) text += csv_cells(row) + (trained ? training_cells(row) : "") + "\n";
  }
  return text;
}

}  // namespace muster::reporting

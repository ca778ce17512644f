// Makes the file metrics.csv of a run: the lines of metrics.jsonl as a table, for spreadsheets and data
// frames.
//
// The table is computed from metrics.jsonl whenever a run stops, and replaced as a whole, so that the two
// files cannot disagree. muster never reads metrics.csv. The function may be called from any thread.
#pragma once

#include <filesystem>
#include <string>

namespace muster::simulation {

inline constexpr const char* kMetricsTable = "metrics.csv";

// Returns the table of a file of JSON lines. Its first line names the columns: every field that some JSON
// line has, in the order in which the fields first appear. Each further line is a row, whose numbers have
// the digits of the JSON line; a field that is null or missing in the JSON line is empty in the row. An
// incomplete last line is left out. Throws Error(file), naming the file and the line, for a line that
// json_object_of() refuses (json_object.h).
std::string metrics_table(const std::filesystem::path& metrics_file);

}  // namespace muster::simulation

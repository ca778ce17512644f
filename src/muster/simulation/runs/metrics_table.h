// The file metrics.csv of a run: the lines of metrics.jsonl as a table, for spreadsheets and data frames.
//
// It is computed from metrics.jsonl whenever a run stops, and replaced as a whole, so that the two files
// cannot disagree. muster never reads it. Pure function of the file; call from any thread.
#pragma once

#include <filesystem>
#include <string>

namespace muster::simulation {

inline constexpr const char* kMetricsTable = "metrics.csv";

// The table of this file of JSON lines. Its first line names the columns: every field that some line has, in
// the order in which they appear. Each other line is a row, with every number in the digits of the JSON line;
// a field that is null or missing there is empty here. An incomplete last line is left out. Throws
// Error(file) that names the file and the line for a line that is no JSON object.
std::string metrics_table(const std::filesystem::path& metrics_file);

}  // namespace muster::simulation

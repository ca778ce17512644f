// Reads the file of a randomizer's privacy profile, which a plan names as randomizer.profile.
//
// The file is a CSV file in one of two forms, a table of the profile or a channel matrix. In both, a line
// that begins with # is a comment, empty lines are skipped, blanks around a number are ignored, a line may
// end in CR LF, and a byte order mark is skipped.
//
//     table   = "alpha,divergence" LF { number "," number LF } [ "inf" "," number LF ]
//     channel = number { "," number } LF  { number { "," number } LF }
//
// A table has upper values of the profile at increasing alphas, the first of which is 1; after "inf" stands
// the mass at infinity (describe/tabulated_profile.h). A channel has a row for each record and a column for
// each output (describe/channel.h). A file has at most 10,000 lines and 4 MiB. The functions may be called
// from any thread.
#pragma once

#include <string>
#include <string_view>

#include "muster/describe/mechanism.h"

namespace muster::protocols {

// The contents of a file when it was read. Later changes of the file do not change the plan.
struct ProfileFile {
  std::string path;
  std::string hash;  // of the file's bytes, as `b2sum -l 256` prints it
  std::string text;  // the file's bytes
  accounting::ProfileLocal mechanism;
};

// Throws Error(file) for a file that cannot be read, and what profile_of_text throws.
ProfileFile read_profile_file(const std::string& path);
// Returns what read_profile_file returned for a file at `path` with these bytes.
ProfileFile profile_file_of(const std::string& path, std::string text);

// Returns what the text of such a file describes. Throws Error(plan), with `name`, the line, the value and
// what is allowed, for a text of neither form and for numbers that are no profile or no channel.
accounting::ProfileLocal profile_of_text(std::string_view text, const std::string& name);

}  // namespace muster::protocols

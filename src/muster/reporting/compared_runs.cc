#include "muster/reporting/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "muster/describe/participation.h"
#include "muster/describe/view.h"
#include "muster/reporting/run_notes.h"
#include "muster/simulation/data_source.h"

namespace muster::reporting {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;

// Returns "A", "A and B" or "A, B and C".
std::string joined(const std::vector<std::string>& labels) {
  std::string text = labels.front();
  for (std::size_t i = 1; i < labels.size(); ++i) {
    text += (i + 1 == labels.size() ? " and " : ", ") + labels[i];
  }
  return text;
}

// Returns each value that occurs, in the order of its first run, with the labels of the runs that have it.
std::vector<std::pair<std::string, std::vector<std::string>>> by_value(
    const std::vector<ComparedRun>& runs, const std::function<std::string(const ComparedRun&)>& value) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const ComparedRun& each : runs) {
    const std::string its = value(each);
    auto group = std::ranges::find(groups, its, &std::pair<std::string, std::vector<std::string>>::first);
    if (group == groups.end()) group = groups.insert(group, {its, {}});
    group->second.push_back(each.label);
  }
  return groups;
}

// Adds a caution if the runs differ in a value: "`words`: VALUE in A and B; VALUE in C".
void caution_if_they_differ(const std::vector<ComparedRun>& runs, const std::string& words,
                            const std::function<std::string(const ComparedRun&)>& value,
                            std::vector<RunsNote>& found) {
  const auto groups = by_value(runs, value);
  if (groups.size() < 2) return;
  std::string list;
  for (const auto& [its, labels] : groups) {
    list += fmt::format("{}{} in {}", list.empty() ? "" : "; ", its, joined(labels));
  }
  found.push_back({true, fmt::format("{}: {}", words, list)});
}

bool is_digits(const ComparedRun& each) { return each.run.plan.data() == "digits"; }

// Returns whether both runs were measured on the same test examples. A digest covers training and test
// examples. The test digits depend on the seed alone, so a different number of training digits leaves them
// the same.
bool same_test_set(const ComparedRun& a, const ComparedRun& b) {
  if (a.run.data == b.run.data) return true;
  return is_digits(a) && is_digits(b) && a.run.plan.seed() == b.run.plan.seed() &&
         simulation::data_identity(a.run.plan) != simulation::data_identity(b.run.plan);
}

// Returns whether two runs whose data differ certainly have different test sets. If the data come from files,
// the test examples may be the same although the training examples differ.
bool surely_differ(const ComparedRun& a, const ComparedRun& b) {
  return is_digits(a) != is_digits(b) || (is_digits(a) && a.run.plan.seed() != b.run.plan.seed());
}

std::optional<RunsNote> caution_on_test_sets(const std::vector<ComparedRun>& runs) {
  std::vector<std::vector<const ComparedRun*>> groups;
  bool sure = false;
  for (const ComparedRun& each : runs) {
    const auto group =
        std::ranges::find_if(groups, [&](const auto& have) { return same_test_set(*have.front(), each); });
    if (group != groups.end()) {
      group->push_back(&each);
      continue;
    }
    for (const auto& other : groups) sure = sure || surely_differ(*other.front(), each);
    groups.push_back({&each});
  }
  if (groups.size() < 2) return std::nullopt;
  std::string list;
  for (const auto& group : groups) {
    std::vector<std::string> labels;
    for (const ComparedRun* each : group) labels.push_back(each->label);
    list += (list.empty() ? "" : "; ") + joined(labels);
  }
  return RunsNote{true, fmt::format("{}, and do not compare: {}",
                                    sure ? "the accuracies are of different test sets"
                                         : "the runs have different data, so that the accuracies may be of "
                                           "different test sets",
                                    list)};
}

std::string measure_of(const ComparedRun& each) {
  const Plan& plan = each.run.plan;
  return plan.is_statistic() ? fmt::format("one minus a distance, of the model {},", name_of(plan.model()))
                             : "the share of right answers";
}

std::string alarm_of(const ComparedRun& each) {
  const auto& alarm = each.watched.monitor.alarm();
  return alarm ? fmt::format("{} check-ins: {}; the declared rate is what is charged",
                             name_of(alarm->direction), alarm->reason)
               : "";
}

std::uint64_t neutral_of(const ComparedRun& each) {
  return each.run.logged.empty() ? 0 : each.run.logged.back().neutral.value_or(0);
}

// Returns the name of the folder without the folders above it, however the path is written: "runs/a/" and
// "runs/b/../a" have the name "a".
std::string folder_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace

std::vector<std::string> run_labels(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) names.push_back(folder_name(folder));
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    labels.push_back(std::ranges::count(names, names[i]) > 1 ? folders[i].string() : names[i]);
  }
  return labels;
}

std::vector<RunsNote> cautions(const std::vector<ComparedRun>& runs) {
  std::vector<RunsNote> found;
  if (const auto caution = caution_on_test_sets(runs)) found.push_back(*caution);
  caution_if_they_differ(runs, "accuracy is not the same measure in all runs", measure_of, found);
  caution_if_they_differ(
      runs, "the epsilons are at different deltas",
      [](const ComparedRun& each) { return fmt::format("{}", each.run.plan.delta().value()); }, found);
  caution_if_they_differ(
      runs, "the epsilons hold against different observers",
      [](const ComparedRun& each) {
        return std::string(name_of(accounting::own_view(each.run.plan.participation())));
      },
      found);
  caution_if_they_differ(
      runs, "the epsilons do not protect the same",
      [](const ComparedRun& each) {
        return each.run.plan.holds_several() ? "one client, all its records," : "one client's record";
      },
      found);
  return found;
}

std::vector<RunsNote> notes_on(const std::vector<ComparedRun>& runs) {
  std::vector<RunsNote> found;
  const auto add = [&](bool warns, const std::function<std::string(const ComparedRun&)>& note) {
    for (const auto& [words, labels] : by_value(runs, note)) {
      if (words.empty()) continue;
      const bool is_about_all = labels.size() == runs.size();
      found.push_back({warns, is_about_all ? words : fmt::format("{}: {}", joined(labels), words)});
    }
  };
  add(true, [](const ComparedRun& each) {
    return each.run.result ? "" : "unfinished, what is shown is how far it had got";
  });
  add(false, [](const ComparedRun& each) { return records_note(each.run.plan); });
  add(false, [](const ComparedRun& each) {
    return sharing_note(each.run.plan, each.run.clients_per_record.value_or(1));
  });
  add(true, [](const ComparedRun& each) { return neutral_note(neutral_of(each)); });
  add(true, [](const ComparedRun& each) { return larger_note(each.larger); });
  add(true, alarm_of);
  return found;
}

}  // namespace muster::reporting

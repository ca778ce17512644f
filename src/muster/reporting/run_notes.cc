#include "muster/reporting/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace muster::reporting {

std::string sharing_note(const protocols::Plan& plan, double clients_per_record) {
  if (!(clients_per_record > 1)) {
    return "";
  }
  const double held = static_cast<double>(plan.clients()) * static_cast<double>(plan.records());
  return fmt::format(
      "{} clients share {:.0f} records, {:.3g} a record on average: epsilon is for one client's copy; a "
      "record that k clients hold costs about k times as much",
      plan.clients(), std::round(held / clients_per_record), clients_per_record);
}

std::string records_note(const protocols::Plan& plan) {
  if (!plan.holds_several()) {
    return "";
  }
  const std::string held = plan.owner().empty()
                               ? fmt::format("{} records, dealt {}", plan.records(),
                                             plan.partition().value_or(protocols::Partition{}).text())
                               : fmt::format("the records of one {}", plan.owner());
  return fmt::format("each client holds {}: epsilon is for one client, all its records", held);
}

std::string unamplified_note(const std::string& why) {
  if (why.empty()) {
    return "";
  }
  return fmt::format("epsilon counts no amplification by the protocol, only the noise of each message, in {}",
                     why);
}

std::string classes_note(const std::vector<std::string>& class_names) {
  constexpr std::size_t kShown = 20;
  std::string list;
  for (std::size_t c = 0; c < std::min(kShown, class_names.size()); ++c) {
    list += fmt::format("{}{} = {}", c == 0 ? "the classes are " : ", ", c, class_names[c]);
  }
  return class_names.size() > kShown ? fmt::format("{} and so on, {} in all", list, class_names.size())
                                     : list;
}

std::string by_client_note(std::optional<double> mean, std::optional<double> worst_decile) {
  if (!mean || !worst_decile) {
    return "";
  }
  return fmt::format(
      "accuracy by client is {:.4f} on average and {:.4f} over the worst tenth of the clients, each on test "
      "examples with the labels of its records; this tells of the records, and no epsilon covers it",
      *mean, *worst_decile);
}

std::string neutral_note(std::uint64_t neutral) {
  if (neutral == 0) {
    return "";
  }
  return fmt::format(
      "{} answer{} neutral, R(0) in place of a vector that was not finite: a record may be odd, or the model "
      "diverging (then lower the learning rate); this count tells of the records, and no epsilon covers it",
      neutral, neutral == 1 ? " was" : "s were");
}

std::string larger_note(std::uint64_t larger) {
  if (larger == 0) {
    return "";
  }
  return fmt::format(
      "{} stated epsilon{} larger than what the accountant proves today, of an older version; "
      "today's value is shown",
      larger, larger == 1 ? " is" : "s are");
}

}  // namespace muster::reporting

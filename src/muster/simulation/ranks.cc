#include "muster/simulation/ranks.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>
#include <thread>

#include "muster/core/atomic_file.h"

namespace muster::simulation {
namespace {

class Alone final : public Ranks {
 public:
  unsigned index() const override { return 0; }
  unsigned count() const override { return 1; }
  void all_reduce(std::span<std::int64_t>) override {}
  void broadcast(std::string&, unsigned) override {}
  void abandon(int status) override { std::_Exit(status); }
};

// Returns the environment variable as a number, or `otherwise` if it is absent or not a number.
unsigned number_in(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr) {
    return otherwise;
  }
  unsigned number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, failure] = std::from_chars(text, end, number);
  return failure == std::errc() && stop == end ? number : otherwise;
}

// Converts any failure to an Error. Unless the failure is the first rank's, the message names the rank.
Error error_of(const std::exception_ptr& failure, const Ranks& ranks) {
  const std::string where = ranks.first() ? ""
                                          : " (on rank " + std::to_string(ranks.index()) + " of " +
                                                std::to_string(ranks.count()) + ")";
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return Error::in_words(error.code(), error.reason(), error.key(), error.value(), error.allowed(),
                           error.what() + where);
  } catch (const std::bad_alloc&) {
    return {ErrorCode::internal, "", "", "", "out of memory" + where};
  } catch (const std::filesystem::filesystem_error& error) {
    const Error named = file_error(error);
    return Error::in_words(named.code(), named.key(), "", "", named.what() + where);
  } catch (const std::exception& error) {
    return {ErrorCode::internal, "", "", "", std::string("a defect in muster: ") + error.what() + where};
  }
}

// Throws the error of the lowest rank that failed, on every rank. Every rank must call this function, and at
// least one must pass a failure.
[[noreturn]] void throw_together(Ranks& ranks, const std::exception_ptr& failure) {
  std::vector<std::int64_t> failed(ranks.count(), 0);
  failed[ranks.index()] = failure != nullptr ? 1 : 0;
  ranks.all_reduce(failed);
  unsigned lowest = 0;
  while (failed[lowest] == 0) {
    ++lowest;
  }
  std::string bytes = lowest == ranks.index() ? encode(error_of(failure, ranks)) : "";
  ranks.broadcast(bytes, lowest);
  throw decode_error(bytes);
}

}  // namespace

Launch launch_of_this_process() {
  Launch launch;
  launch.ranks = std::max(1u, number_in("OMPI_COMM_WORLD_SIZE", 1));
  if (launch.ranks > 1) {
    launch.rank = number_in("OMPI_COMM_WORLD_RANK", 0);
    launch.ranks_on_this_machine = std::max(1u, number_in("OMPI_COMM_WORLD_LOCAL_SIZE", 1));
  }
  return launch;
}

std::unique_ptr<Ranks> alone() { return std::make_unique<Alone>(); }

unsigned usual_threads() {
  const unsigned online = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t mine;
  const bool known = ::sched_getaffinity(0, sizeof mine, &mine) == 0;
  const unsigned allowed = known ? static_cast<unsigned>(CPU_COUNT(&mine)) : online;
  const bool bound = allowed < online;
  return bound ? allowed : std::max(1u, online / launch_of_this_process().ranks_on_this_machine);
}

void AllReduce::hold(Ranks& ranks, const std::exception_ptr& failure) {
  places_.back() = failure != nullptr ? 1 : 0;
  ranks.all_reduce(places_);
  ranks.failed_together_ = places_.back() != 0;
  if (ranks.failed_together_) {
    if (ranks.count() == 1) {
      std::rethrow_exception(failure);
    }
    throw_together(ranks, failure);
  }
}

std::string encode(const Error& error) {
  std::string bytes{static_cast<char>(error.code()), static_cast<char>(error.reason())};
  for (const std::string& part : {error.key(), error.value(), error.allowed(), std::string(error.what())}) {
    const std::uint64_t length = part.size();
    std::array<char, sizeof length> head;
    std::memcpy(head.data(), &length, sizeof length);
    bytes.append(head.data(), head.size());
    bytes += part;
  }
  return bytes;
}

Error decode_error(std::string_view bytes) {
  Error broken(ErrorCode::internal, "", "", "", "another rank failed, and did not say how");
  const auto at_most = [](char byte, auto last) {
    return static_cast<unsigned char>(byte) <= static_cast<unsigned char>(last);
  };
  if (bytes.size() < 2 || !at_most(bytes[0], ErrorCode::interrupted) ||
      !at_most(bytes[1], Reason::contradiction)) {
    return broken;
  }
  const auto code = static_cast<ErrorCode>(bytes[0]);
  const auto reason = static_cast<Reason>(bytes[1]);
  bytes.remove_prefix(2);
  std::array<std::string, 4> parts;
  for (std::string& part : parts) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) {
      return broken;
    }
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    if (bytes.size() < length) {
      return broken;
    }
    part = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  return bytes.empty() ? Error::in_words(code, reason, parts[0], parts[1], parts[2], parts[3]) : broken;
}

}  // namespace muster::simulation

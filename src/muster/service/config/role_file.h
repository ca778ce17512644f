// The configuration of a role: a TOML file, read with the strictness of a plan.
//
// Every key is asked for by name, type and range; a key that nobody asked for is refused, with the name that
// was perhaps meant. Errors name the file, the line and the key, and what is allowed.
//
// Example:
//     RoleFile file("shuffler.toml");
//     const std::string folder = file.text("folder");
//     const std::uint64_t threads = file.integer("threads", 1, 256, 1);
//     file.refuse_others();
//
// A RoleFile belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "muster/plan/source.h"

namespace muster::service {

// An IP address and a port: "127.0.0.1:8080", "[::1]:8080". Port 0 takes a free one.
struct ListenAddress {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  // Whether only programs on this machine can reach it.
  bool is_loopback() const;
};
// The URL of the address, such as "http://127.0.0.1:8080".
std::string url_of(const ListenAddress& address);

class RoleFile {
 public:
  // Throws Error(file) if the file cannot be read and Error(plan) if it is not TOML. The other members throw
  // Error(plan) for a key that is missing and has no default, or that is of another type, form or range.
  explicit RoleFile(const std::string& path);

  std::string text(std::string_view key);
  std::string text(std::string_view key, const std::string& otherwise);
  std::uint64_t integer(std::string_view key, std::uint64_t least, std::uint64_t most,
                        std::optional<std::uint64_t> otherwise = std::nullopt);
  bool flag(std::string_view key, bool otherwise);
  // A number in (0, most].
  std::optional<double> number(std::string_view key, double most);
  // A positive number, or `inf` for no bound. There is no default.
  double bound(std::string_view key);
  // An epsilon and a delta: [0.5, 1e-5]. Both are positive normal numbers, and delta is below 1.
  std::optional<std::pair<double, double>> epsilon_and_delta(std::string_view key);
  ListenAddress address(std::string_view key, const ListenAddress& otherwise);
  // The address of a server of this role. One that other machines can reach is refused unless the file also
  // says `behind_relay = true`: TLS ends in the relay, and a server without it would show who connects.
  ListenAddress listen(std::string_view key, const ListenAddress& otherwise);
  // The address of another role: "http://HOST:PORT" or "https://HOST:PORT", without a path.
  std::string url(std::string_view key);

  // Throws Error(plan) about the value that the file gives to a key, by a rule that only the caller knows.
  [[noreturn]] void refuse(std::string_view key, const std::string& allowed, const char* why) const;

  // Throws Error(plan) for the first key that was not asked for.
  void refuse_others() const;

 private:
  const protocols::RawValue* find(std::string_view key);
  [[noreturn]] void refuse(std::string_view key, const protocols::RawValue& value, const std::string& allowed,
                           const char* why) const;
  [[noreturn]] void refuse_missing(std::string_view key, const std::string& what) const;

  protocols::PlanSource source_;
  std::vector<std::string> asked_;
};

}  // namespace muster::service

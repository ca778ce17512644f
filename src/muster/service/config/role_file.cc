#include "muster/service/config/role_file.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/nearest.h"

namespace muster::service {
namespace {

using protocols::RawValue;

// An integer or a floating-point number as a double; nullopt for another type.
std::optional<double> number_of(const RawValue& raw) {
  if (const auto* integer = std::get_if<std::int64_t>(&raw.value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&raw.value)) return *number;
  return std::nullopt;
}

bool is_amount(double value) { return std::isnormal(value) && value > 0; }

std::optional<ListenAddress> address_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || (host.find(':') != host.npos) != bracketed) return std::nullopt;
  ListenAddress address{std::string(host), 0};
  in6_addr parsed{};  // large enough for both kinds
  if (::inet_pton(bracketed ? AF_INET6 : AF_INET, address.address.c_str(), &parsed) != 1) return std::nullopt;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  return address;
}

}  // namespace

std::string url_of(const ListenAddress& address) {
  const bool is_v6 = address.address.find(':') != std::string::npos;
  const std::string host = is_v6 ? fmt::format("[{}]", address.address) : address.address;
  return fmt::format("http://{}:{}", host, address.port);
}

bool ListenAddress::is_loopback() const { return address.starts_with("127.") || address == "::1"; }

RoleFile::RoleFile(const std::string& path) : source_(protocols::PlanSource::from_file(path)) {}

const RawValue* RoleFile::find(std::string_view key) {
  asked_.emplace_back(key);
  return source_.find(key);
}

void RoleFile::refuse(std::string_view key, const RawValue& value, const std::string& allowed,
                      const char* why) const {
  throw Error(ErrorCode::plan, Reason::out_of_range, std::string(key), value.text, allowed,
              fmt::format("({}) {}", value.origin.describe(), why));
}

void RoleFile::refuse(std::string_view key, const std::string& allowed, const char* why) const {
  const RawValue* raw = source_.find(key);
  if (raw == nullptr) refuse_missing(key, allowed);
  refuse(key, *raw, allowed, why);
}

void RoleFile::refuse_missing(std::string_view key, const std::string& what) const {
  throw Error(ErrorCode::plan, Reason::missing, std::string(key), "", what,
              fmt::format("is missing in {}", source_.where()));
}

std::string RoleFile::text(std::string_view key) {
  const RawValue* raw = find(key);
  if (raw == nullptr) refuse_missing(key, "a text");
  const auto* text = std::get_if<std::string>(&raw->value);
  if (text == nullptr) refuse(key, *raw, "a text in quotes", "is not a text");
  if (text->empty()) refuse(key, *raw, "a text in quotes", "is empty");
  return *text;
}

std::string RoleFile::text(std::string_view key, const std::string& otherwise) {
  return source_.find(key) == nullptr ? (find(key), otherwise) : text(key);
}

std::uint64_t RoleFile::integer(std::string_view key, std::uint64_t least, std::uint64_t most,
                                std::optional<std::uint64_t> otherwise) {
  const std::string allowed = fmt::format("an integer from {} to {}", least, most);
  const RawValue* raw = find(key);
  if (raw == nullptr) {
    if (!otherwise) refuse_missing(key, allowed);
    return *otherwise;
  }
  const auto* integer = std::get_if<std::int64_t>(&raw->value);
  if (integer == nullptr) refuse(key, *raw, allowed, "is not an integer");
  if (*integer < 0 || static_cast<std::uint64_t>(*integer) < least ||
      static_cast<std::uint64_t>(*integer) > most) {
    refuse(key, *raw, allowed, "is out of range");
  }
  return static_cast<std::uint64_t>(*integer);
}

bool RoleFile::flag(std::string_view key, bool otherwise) {
  const RawValue* raw = find(key);
  if (raw == nullptr) return otherwise;
  const auto* flag = std::get_if<bool>(&raw->value);
  if (flag == nullptr) refuse(key, *raw, "true or false", "is neither true nor false");
  return *flag;
}

std::optional<double> RoleFile::number(std::string_view key, double most) {
  const RawValue* raw = find(key);
  if (raw == nullptr) return std::nullopt;
  const auto number = number_of(*raw);
  const std::string allowed = fmt::format("a number above 0, up to {}", most);
  if (!number) refuse(key, *raw, allowed, "is not a number");
  if (!is_amount(*number) || *number > most) refuse(key, *raw, allowed, "is out of range");
  return number;
}

double RoleFile::bound(std::string_view key) {
  constexpr const char* kAllowed = "a number above 0, or inf";
  const RawValue* raw = find(key);
  if (raw == nullptr) refuse_missing(key, kAllowed);
  const auto number = number_of(*raw);
  if (!number) refuse(key, *raw, kAllowed, "is not a number");
  const bool is_endless = std::isinf(*number) && *number > 0;
  if (!is_amount(*number) && !is_endless) refuse(key, *raw, kAllowed, "is out of range");
  return *number;
}

std::optional<std::pair<double, double>> RoleFile::epsilon_and_delta(std::string_view key) {
  const RawValue* raw = find(key);
  if (raw == nullptr) return std::nullopt;
  constexpr const char* kAllowed = "[epsilon, delta], both above 0 and delta below 1";
  const auto* pair = std::get_if<std::vector<RawValue>>(&raw->value);
  if (pair == nullptr || pair->size() != 2) refuse(key, *raw, kAllowed, "is not a pair of numbers");
  const auto epsilon = number_of((*pair)[0]), delta = number_of((*pair)[1]);
  if (!epsilon || !delta) refuse(key, *raw, kAllowed, "is not a pair of numbers");
  if (!is_amount(*epsilon) || !is_amount(*delta) || *delta >= 1)
    refuse(key, *raw, kAllowed, "is out of range");
  return std::pair(*epsilon, *delta);
}

ListenAddress RoleFile::address(std::string_view key, const ListenAddress& otherwise) {
  const RawValue* raw = find(key);
  if (raw == nullptr) return otherwise;
  constexpr const char* kAllowed = "\"IP-ADDRESS:PORT\", such as \"127.0.0.1:8080\"";
  const auto* text = std::get_if<std::string>(&raw->value);
  const auto address = text == nullptr ? std::nullopt : address_of(*text);
  if (!address) refuse(key, *raw, kAllowed, "is not an address and a port");
  return *address;
}

ListenAddress RoleFile::listen(std::string_view key, const ListenAddress& otherwise) {
  ListenAddress listen = address(key, otherwise);
  const bool behind_relay = flag("behind_relay", false);
  if (listen.is_loopback() || behind_relay) return listen;
  refuse(key, "an address of this machine alone, or behind_relay = true where TLS ends in a relay",
         "can be reached from other machines");
}

std::string RoleFile::url(std::string_view key) {
  std::string url = text(key);
  const std::size_t host = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (host == 0 || url.size() == host || url.find_first_of("/?#@ ", host) != url.npos) {
    refuse(key, "\"http://HOST:PORT\" or \"https://HOST:PORT\"", "is not the address of a server");
  }
  return url;
}

void RoleFile::refuse_others() const {
  for (const auto& [key, value] : source_.entries()) {
    if (std::ranges::find(asked_, key) != asked_.end()) continue;
    const std::string close = protocols::nearest(key, {asked_.begin(), asked_.end()});
    throw Error(ErrorCode::plan, Reason::unknown, key, value.text, "",
                fmt::format("({}) is an unknown key{}", value.origin.describe(),
                            close.empty() ? "" : fmt::format("; did you mean {}?", close)));
  }
}

}  // namespace muster::service

// The devices that the operator has enrolled, by their identity keys (Ed25519). The set only grows.
//
// It is kept in the rows of the issuer's store, a row for each time that devices were added:
//
//     row = version u8, which is 1 | key 32 x count, at least one
//
// A device has a number, by the order of enrolment from 0 on, which never changes. In memory a device takes
// 36 bytes. A device is found in a sorted list, so nobody can slow the search down by a choice of keys. While
// a store is opened, its rows are in memory, too. A set belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "muster/service/store/store.h"
#include "muster/wire/signature.h"

namespace muster::service {

// Reads a list of keys: one in hexadecimal a line. What follows a `#` is a comment, and lines without a key
// are ignored. Throws Error(file), naming `origin` and the line, for anything else and for a key that the
// list has twice.
std::vector<wire::IdentityKey> read_enrolment(std::string_view text, const std::string& origin);

class Enrolment {
 public:
  // Reads the rows of the store, which must outlive the set. Throws Error(file), with `origin` for its key,
  // if they are not as above or have a device twice.
  Enrolment(Store& store, std::string origin);

  std::uint64_t size() const { return keys_.size(); }
  // The device's number, or nullopt if it is not enrolled.
  std::optional<std::uint32_t> number_of(const wire::IdentityKey& device) const;
  // Adds those devices that are not enrolled yet, and returns how many they were, once they are durable.
  // Throws Error(file) for more than 2^32 - 1 devices, and what the store throws.
  std::uint64_t add(std::span<const wire::IdentityKey> devices);

 private:
  // Takes the devices from number `first` on into the sorted list. Returns false if one is there twice.
  bool sort_from(std::size_t first);

  Store& store_;
  std::string origin_;
  std::vector<wire::IdentityKey> keys_;  // by their numbers
  std::vector<std::uint32_t> sorted_;    // the numbers, in the order of the keys
};

}  // namespace muster::service

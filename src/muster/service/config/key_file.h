// Files that hold the identity of a role or of a device: the secret key, and the public key for others.
//
//     NAME.key   "muster secret key 1 " | role | " " | 64 hexadecimal digits of the seed, and a line end;
//                the file has mode 0600
//     NAME.pub   "muster public key 1 " | role | " " | 64 hexadecimal digits, and a line end
//
// A role is "issuer", "shuffler", "aggregator" or "device". The seed is that of Ed25519 (wire/signature.h). A
// file that exists is never written over, and a secret key that others may read is refused. The functions may
// be called from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "muster/wire/signature.h"

namespace muster::service {

// Makes a new key and writes FOLDER/NAME.key and FOLDER/NAME.pub, both durable. Throws Error(file) if one of
// them exists or cannot be written.
wire::IdentityKey make_key_files(const std::filesystem::path& folder, const std::string& name,
                                 std::string_view role);
// Throws Error(file), naming the path, if the file cannot be read, is no secret key of this role, or may be
// read by others.
wire::SigningKey read_secret_key(const std::filesystem::path& path, std::string_view role);
// Throws Error(file), naming the path, if the file cannot be read or is no public key of this role.
wire::IdentityKey read_public_key(const std::filesystem::path& path, std::string_view role);

}  // namespace muster::service

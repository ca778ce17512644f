// Two issuer keys for tests, so that no test has to generate one: that of the published vectors, and another.
// Call from the thread of the test.
#pragma once

#include <gtest/gtest.h>
#include <sodium.h>

#include <string>
#include <vector>

#include "muster/wire/blind_rsa.h"
#include "muster/wire/vectors_test.h"

namespace muster::wire {

inline std::vector<Vector> published_tokens() {
  return published_vectors("testdata/rfc9578-type2.txt", "skS");
}

// The private key that a vector gives as PEM text.
inline RsaSecretKey key_of(const Vector& vector) {
  const Buffer& pem = vector.at("skS");
  std::string text(pem.begin(), pem.end());
  text = text.substr(text.find('\n') + 1);
  text = text.substr(0, text.find("-----END"));
  Buffer der(text.size());
  std::size_t size = 0;
  EXPECT_EQ(sodium_base642bin(der.data(), der.size(), text.data(), text.size(), "\n", &size, nullptr,
                              sodium_base64_VARIANT_ORIGINAL),
            0);
  der.resize(size);
  return RsaSecretKey::decode(der).value();
}

inline RsaSecretKey stored_issuer_key() { return key_of(published_tokens().front()); }
inline RsaSecretKey other_issuer_key() {
  return RsaSecretKey::decode(published_vectors("testdata/issuer-key.txt", "key").front().at("key")).value();
}

}  // namespace muster::wire

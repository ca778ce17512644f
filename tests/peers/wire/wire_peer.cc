// The sealing and signing of the room wire, one operation a line, for tests against other implementations.
//
// The program reads a name and its arguments in hexadecimal ("-" for no bytes), and answers with a line of
// results in hexadecimal, or with "refused". It ends at the end of its input; an unknown operation is an
// error.
//
//     hpke-public SECRET                        the public key
//     hpke-seal PUBLIC INFO AAD PLAIN           the sealed message
//     hpke-open SECRET INFO AAD SEALED          the plain text
//     rsa-public KEY                            the public key of a private one in PKCS #8
//     rsa-sign KEY BLINDED                      the blind signature
//     rsa-blind PUBLIC MESSAGE                  the blinded message and what takes the blinding off
//     rsa-finalize PUBLIC MESSAGE ANSWER UNBLINDING    the signature
//     rsa-verify PUBLIC MESSAGE SIGNATURE       01 or 00
#include <sodium.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "muster/wire/blind_rsa.h"
#include "muster/wire/hpke.h"

namespace {

using namespace muster::wire;
using Arguments = std::vector<Buffer>;
using Results = std::vector<Buffer>;

Buffer from_hex(const std::string& text) {
  Buffer bytes(text == "-" ? 0 : text.size() / 2);
  std::size_t size = 0;
  if (text != "-" &&
      sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &size, nullptr) != 0) {
    throw std::runtime_error("not hexadecimal: " + text);
  }
  return bytes;
}

std::string to_hex(const Buffer& bytes) {
  if (bytes.empty()) return "-";
  std::string text(2 * bytes.size() + 1, ' ');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

template <std::size_t N>
std::array<std::uint8_t, N> fixed(const Buffer& bytes) {
  if (bytes.size() != N) throw std::runtime_error("an argument has the wrong length");
  std::array<std::uint8_t, N> array;
  std::ranges::copy(bytes, array.begin());
  return array;
}

template <typename Range>
Results one(const Range& range) {
  return {Buffer(range.begin(), range.end())};
}
template <typename Range>
Results one_if(const std::optional<Range>& range) {
  return range ? one(*range) : Results{};
}

HpkeKeyPair key_pair(const Buffer& secret) {
  const auto bytes = fixed<32>(secret);
  return HpkeKeyPair::from_secret(SecretBytes<32>(bytes));
}
HpkeInfo info_of(const Buffer& info) {
  return HpkeInfo({reinterpret_cast<const char*>(info.data()), info.size()});
}

const std::map<std::string, std::function<Results(const Arguments&)>> kOperations{
    {"hpke-public", [](const Arguments& a) { return one(key_pair(a.at(0)).public_key()); }},
    {"hpke-seal",
     [](const Arguments& a) {
       Buffer sealed(a.at(3).size() + kSealing);
       seal(fixed<32>(a.at(0)), info_of(a.at(1)), a.at(2), a.at(3), sealed);
       return one(sealed);
     }},
    {"hpke-open",
     [](const Arguments& a) {
       if (a.at(3).size() < kSealing) return Results{};
       Buffer plain(a.at(3).size() - kSealing);
       return open(key_pair(a.at(0)), info_of(a.at(1)), a.at(2), a.at(3), plain) ? one(plain) : Results{};
     }},
    {"rsa-public",
     [](const Arguments& a) {
       const auto key = RsaSecretKey::decode(a.at(0));
       return key ? one(key->public_key().encoded()) : Results{};
     }},
    {"rsa-sign",
     [](const Arguments& a) {
       const auto key = RsaSecretKey::decode(a.at(0));
       return key ? one_if(key->blind_sign(fixed<kRsa>(a.at(1)))) : Results{};
     }},
    {"rsa-blind",
     [](const Arguments& a) {
       const auto key = RsaPublicKey::decode(a.at(0));
       if (!key) return Results{};
       const BlindedMessage blinded = blind(*key, a.at(1));
       const auto unblinding = blinded.unblinding.span();
       return Results{{blinded.message.begin(), blinded.message.end()},
                      {unblinding.begin(), unblinding.end()}};
     }},
    {"rsa-finalize",
     [](const Arguments& a) {
       const auto key = RsaPublicKey::decode(a.at(0));
       const auto unblinding = fixed<kRsa>(a.at(3));
       return key ? one_if(finalize(*key, a.at(1), fixed<kRsa>(a.at(2)), SecretBytes<kRsa>(unblinding)))
                  : Results{};
     }},
    {"rsa-verify",
     [](const Arguments& a) {
       const auto key = RsaPublicKey::decode(a.at(0));
       if (!key) return Results{};
       return Results{{static_cast<std::uint8_t>(key->verify(a.at(1), fixed<kRsa>(a.at(2))) ? 1 : 0)}};
     }},
};

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    Arguments arguments;
    while (words >> word) arguments.push_back(from_hex(word));
    const Results results = kOperations.at(name)(arguments);
    if (results.empty()) std::cout << "refused";
    for (std::size_t i = 0; i < results.size(); ++i) std::cout << (i > 0 ? " " : "") << to_hex(results[i]);
    std::cout << std::endl;
  }
}

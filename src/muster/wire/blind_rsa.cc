#include "muster/wire/blind_rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <sodium.h>

#include <algorithm>
#include <utility>

#include "muster/random/os_bytes.h"

namespace muster::wire {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Number = std::unique_ptr<BIGNUM, Deleter<BN_clear_free>>;
using NumberContext = std::unique_ptr<BN_CTX, Deleter<BN_CTX_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Deleter<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using Pkcs8 = std::unique_ptr<PKCS8_PRIV_KEY_INFO, Deleter<PKCS8_PRIV_KEY_INFO_free>>;
using Digest = std::array<std::uint8_t, kSalt>;

constexpr std::uint64_t kExponent = 65537;

// The bytes of the public key's encoding before the modulus; after it stands kAfterModulus. They are the same
// for every key of this size: AlgorithmIdentifier (id-RSASSA-PSS with SHA-384, MGF1 with SHA-384, and a salt
// of 48 bytes), and the beginnings of the BIT STRING, the SEQUENCE and the INTEGER with its leading zero.
constexpr std::array<std::uint8_t, 81> kBeforeModulus{
    0x30, 0x82, 0x01, 0x52, 0x30, 0x3d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a,
    0x30, 0x30, 0xa0, 0x0d, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02,
    0xa1, 0x1a, 0x30, 0x18, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x08, 0x30, 0x0b,
    0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0xa2, 0x03, 0x02, 0x01, 0x30, 0x03,
    0x82, 0x01, 0x0f, 0x00, 0x30, 0x82, 0x01, 0x0a, 0x02, 0x82, 0x01, 0x01, 0x00};
constexpr std::array<std::uint8_t, 5> kAfterModulus{0x02, 0x03, 0x01, 0x00, 0x01};
static_assert(kBeforeModulus.size() + kRsa + kAfterModulus.size() == RsaPublicKey::kEncoded);

// Throws Error(internal) unless libcrypto did what it was asked to do. Here it fails only if memory runs out.
void must(bool done) {
  if (!done) throw Error(ErrorCode::internal, "libcrypto", "", "", "failed");
}
template <typename T>
T made(T object) {
  must(object != nullptr);
  return object;
}

Number number_of(std::span<const std::uint8_t> bytes) {
  return made(Number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr)));
}

void write(const Number& value, std::uint8_t* block) { must(BN_bn2binpad(value.get(), block, kRsa) == kRsa); }

Digest sha384(std::initializer_list<Bytes> parts) {
  const DigestContext context = made(DigestContext(EVP_MD_CTX_new()));
  must(EVP_DigestInit_ex(context.get(), EVP_sha384(), nullptr) == 1);
  for (const Bytes part : parts) must(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  Digest digest;
  must(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return digest;
}

// EMSA-PSS-ENCODE for 2047 bits, with SHA-384, MGF1 and a salt as long as the digest.
RsaBlock pss_encoded(Bytes message, std::span<const std::uint8_t, kSalt> salt) {
  constexpr std::array<std::uint8_t, 8> kZeros{};
  constexpr std::size_t kMasked = kRsa - kSalt - 1;  // bytes of the data block, which MGF1 masks
  const Digest hash = sha384({kZeros, sha384({message}), salt});
  RsaBlock block{};
  block[kMasked - kSalt - 1] = 1;
  std::ranges::copy(salt, block.begin() + (kMasked - kSalt));
  for (std::uint8_t counter = 0; counter * kSalt < kMasked; ++counter) {
    const std::array<std::uint8_t, 4> big_endian{0, 0, 0, counter};
    const Digest mask = sha384({hash, big_endian});
    for (std::size_t i = 0; i < kSalt && counter * kSalt + i < kMasked; ++i)
      block[counter * kSalt + i] ^= mask[i];
  }
  block[0] &= 0x7f;  // the encoding has 2047 bits
  std::ranges::copy(hash, block.begin() + kMasked);
  block[kRsa - 1] = 0xbc;
  return block;
}

// Returns libcrypto's form of the public key with this modulus.
Key public_key_of(const BIGNUM* modulus) {
  using Builder = std::unique_ptr<OSSL_PARAM_BLD, Deleter<OSSL_PARAM_BLD_free>>;
  using Parameters = std::unique_ptr<OSSL_PARAM, Deleter<OSSL_PARAM_free>>;
  const Builder builder = made(Builder(OSSL_PARAM_BLD_new()));
  must(OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus) == 1);
  must(OSSL_PARAM_BLD_push_uint64(builder.get(), OSSL_PKEY_PARAM_RSA_E, kExponent) == 1);
  const Parameters parameters = made(Parameters(OSSL_PARAM_BLD_to_param(builder.get())));
  const KeyContext context = made(KeyContext(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr)));
  must(EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* key = nullptr;
  must(EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) == 1);
  return Key(key);
}

// Returns a context that verifies signatures of this padding with the key.
KeyContext verification_by(const Key& key) {
  KeyContext context = made(KeyContext(EVP_PKEY_CTX_new(key.get(), nullptr)));
  must(EVP_PKEY_verify_init(context.get()) == 1);
  must(EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PSS_PADDING) == 1);
  must(EVP_PKEY_CTX_set_signature_md(context.get(), EVP_sha384()) == 1);
  must(EVP_PKEY_CTX_set_rsa_pss_saltlen(context.get(), kSalt) == 1);
  return context;
}

// The private key as PKCS #8 in DER.
Buffer pkcs8(const Key& key) {
  const Pkcs8 info = made(Pkcs8(EVP_PKEY2PKCS8(key.get())));
  Buffer encoded(static_cast<std::size_t>(i2d_PKCS8_PRIV_KEY_INFO(info.get(), nullptr)));
  std::uint8_t* out = encoded.data();
  must(i2d_PKCS8_PRIV_KEY_INFO(info.get(), &out) == static_cast<int>(encoded.size()));
  return encoded;
}

// The inverse of a secret r modulo n; null if there is none. The time that an inversion takes may depend on
// the number that is inverted, so a random multiple of r is, which says nothing about r.
Number inverse_of(const Number& r, const BIGNUM* n, BN_CTX* context) {
  const Number mask = made(Number(BN_new())), masked = made(Number(BN_new()));
  must(BN_priv_rand_range(mask.get(), n) == 1);
  must(BN_mod_mul(masked.get(), r.get(), mask.get(), n, context) == 1);
  Number inverse(BN_mod_inverse(nullptr, masked.get(), n, context));
  if (inverse) must(BN_mod_mul(inverse.get(), inverse.get(), mask.get(), n, context) == 1);
  return inverse;
}

}  // namespace

struct RsaPublicKey::State {
  RsaBlock modulus;
  Hash id;
  Number number;  // the modulus
  Key key;
  KeyContext verification;  // set up once and copied for each verification, which is a fifth faster
};

struct RsaSecretKey::State {
  Key key;
};

std::optional<RsaPublicKey> RsaPublicKey::decode(Bytes encoded) {
  if (encoded.size() != kEncoded ||
      !std::ranges::equal(encoded.first(kBeforeModulus.size()), kBeforeModulus) ||
      !std::ranges::equal(encoded.last(kAfterModulus.size()), kAfterModulus)) {
    return std::nullopt;
  }
  RsaBlock modulus;
  std::ranges::copy(encoded.subspan(kBeforeModulus.size(), kRsa), modulus.begin());
  return of_modulus(modulus);
}

std::optional<RsaPublicKey> RsaPublicKey::of_modulus(const RsaBlock& modulus) {
  if (!is_modulus(modulus)) return std::nullopt;
  auto state = std::make_shared<State>(State{modulus, {}, number_of(modulus), nullptr, nullptr});
  state->key = public_key_of(state->number.get());
  state->verification = verification_by(state->key);
  RsaPublicKey key(state);
  const Encoded encoded = key.encoded();
  crypto_hash_sha256(state->id.data(), encoded.data(), encoded.size());
  return key;
}

RsaPublicKey::Encoded RsaPublicKey::encoded() const {
  Encoded encoded;
  auto out = std::ranges::copy(kBeforeModulus, encoded.begin()).out;
  out = std::ranges::copy(state_->modulus, out).out;
  std::ranges::copy(kAfterModulus, out);
  return encoded;
}

const RsaBlock& RsaPublicKey::modulus() const { return state_->modulus; }
const Hash& RsaPublicKey::id() const { return state_->id; }

bool RsaPublicKey::verify(Bytes message, const RsaBlock& signature) const {
  const Digest digest = sha384({message});
  const KeyContext context = made(KeyContext(EVP_PKEY_CTX_dup(state_->verification.get())));
  return EVP_PKEY_verify(context.get(), signature.data(), signature.size(), digest.data(), digest.size()) ==
         1;
}

RsaSecretKey RsaSecretKey::fresh() {
  const KeyContext context = made(KeyContext(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr)));
  must(EVP_PKEY_keygen_init(context.get()) == 1 &&
       EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), 8 * kRsa) == 1);
  EVP_PKEY* made_key = nullptr;
  must(EVP_PKEY_keygen(context.get(), &made_key) == 1);
  const Key key(made_key);
  Buffer encoded = pkcs8(key);
  auto checked = decode(encoded);
  sodium_memzero(encoded.data(), encoded.size());
  must(checked.has_value());
  return *std::move(checked);
}

std::optional<RsaSecretKey> RsaSecretKey::decode(Bytes encoded) {
  const std::uint8_t* begin = encoded.data();
  const Pkcs8 info(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &begin, static_cast<long>(encoded.size())));
  if (!info || begin != encoded.data() + encoded.size()) return std::nullopt;
  Key key(EVP_PKCS82PKEY(info.get()));
  if (!key || EVP_PKEY_is_a(key.get(), "RSA") != 1) return std::nullopt;
  BIGNUM *modulus = nullptr, *exponent = nullptr;
  must(EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_RSA_N, &modulus) == 1);
  const Number n(modulus);
  must(EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_RSA_E, &exponent) == 1);
  const Number e(exponent);
  if (BN_num_bits(n.get()) != 8 * kRsa || BN_is_word(e.get(), kExponent) != 1) return std::nullopt;
  RsaBlock modulus_bytes;
  write(n, modulus_bytes.data());
  auto public_key = RsaPublicKey::of_modulus(modulus_bytes);
  if (!public_key) return std::nullopt;
  RsaSecretKey secret(std::make_shared<State>(State{std::move(key)}), *std::move(public_key));
  return secret.signs() ? std::optional(std::move(secret)) : std::nullopt;
}

bool RsaSecretKey::signs() const {
  const Bytes message = bytes_of("muster: does this key sign?");
  const BlindedMessage blinded = blind(public_key_, message);
  const auto signature = blind_sign(blinded.message);
  return signature && finalize(public_key_, message, *signature, blinded.unblinding);
}

Buffer RsaSecretKey::encoded() const { return pkcs8(state_->key); }

std::optional<RsaBlock> RsaSecretKey::blind_sign(const RsaBlock& blinded) const {
  const KeyContext context = made(KeyContext(EVP_PKEY_CTX_new(state_->key.get(), nullptr)));
  must(EVP_PKEY_sign_init(context.get()) == 1 &&
       EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_NO_PADDING) == 1);
  RsaBlock signature;
  std::size_t size = signature.size();
  if (EVP_PKEY_sign(context.get(), signature.data(), &size, blinded.data(), blinded.size()) != 1)
    return std::nullopt;
  must(size == signature.size());
  return signature;
}

// Gives the client's functions the modulus as a number.
struct BlindRsa {
  static const BIGNUM* modulus(const RsaPublicKey& key) { return key.state_->number.get(); }
};

std::optional<BlindedMessage> blind_with(const RsaPublicKey& key, Bytes message,
                                         std::span<const std::uint8_t, kSalt> salt, const RsaBlock& factor) {
  const BIGNUM* n = BlindRsa::modulus(key);
  const NumberContext context = made(NumberContext(BN_CTX_secure_new()));
  const Number encoded = number_of(pss_encoded(message, salt)), r = number_of(factor);
  const Number inverse = inverse_of(r, n, context.get());
  if (!inverse) return std::nullopt;
  // The exponent is public. OpenSSL raises what it encrypts to it by the same function.
  const Number power = made(Number(BN_new())), e = made(Number(BN_new()));
  must(BN_set_word(e.get(), kExponent) == 1);
  must(BN_mod_exp_mont(power.get(), r.get(), e.get(), n, context.get(), nullptr) == 1);
  must(BN_mod_mul(power.get(), power.get(), encoded.get(), n, context.get()) == 1);
  BlindedMessage blinded;
  write(power, blinded.message.data());
  write(inverse, blinded.unblinding.data());
  return blinded;
}

BlindedMessage blind(const RsaPublicKey& key, Bytes message) {
  for (;;) {
    std::array<std::uint8_t, kSalt> salt;
    random::fill_from_os(salt);
    const Number r = made(Number(BN_new()));
    must(BN_priv_rand_range(r.get(), BlindRsa::modulus(key)) == 1);
    RsaBlock factor;
    write(r, factor.data());
    auto blinded = blind_with(key, message, salt, factor);
    sodium_memzero(factor.data(), factor.size());
    if (blinded) return *std::move(blinded);
  }
}

std::optional<RsaBlock> finalize(const RsaPublicKey& key, Bytes message, const RsaBlock& blind_signature,
                                 const SecretBytes<kRsa>& unblinding) {
  const NumberContext context = made(NumberContext(BN_CTX_secure_new()));
  const Number z = number_of(blind_signature), inverse = number_of(unblinding.span());
  const Number product = made(Number(BN_new()));
  must(BN_mod_mul(product.get(), z.get(), inverse.get(), BlindRsa::modulus(key), context.get()) == 1);
  RsaBlock signature;
  write(product, signature.data());
  return key.verify(message, signature) ? std::optional(signature) : std::nullopt;
}

}  // namespace muster::wire

#include "muster/random/exact_normals.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "muster/core/error.h"
#include "muster/random/counter_blocks.h"
#include "muster/random/normals.h"

namespace muster::random {
namespace {

// Bounds the error of the series below, relative for the logarithm and absolute for sine and cosine. The
// terms left out sum to less than 2^-43, and rounding adds less than 2^-49.
constexpr double kSeriesError = 0x1p-40;

// Returns -ln u for 0 < u <= 1, from u = 2^e m with m in [sqrt(1/2), sqrt(2)) and
// ln m = 2 atanh((m - 1) / (m + 1)).
double minus_logarithm(double u) {
  int exponent;
  double m = std::frexp(u, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1), y = t * t;  // |t| < 0.1716
  double sum = 1.0 / 17;
  for (const double term : {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0})
    sum = sum * y + term;
  return -exponent * std::numbers::ln2 - 2 * t * sum;
}

// Sine and cosine are computed for |x| < 0.7855 by the Taylor series, summed from the last term to the first.
double sine(double x) {
  const double y = x * x;
  double sum = 1;
  for (const double next :
       {1.0 / (12 * 13), 1.0 / (10 * 11), 1.0 / (8 * 9), 1.0 / (6 * 7), 1.0 / (4 * 5), 1.0 / (2 * 3)})
    sum = 1 - sum * (y * next);
  return x * sum;
}
double cosine(double x) {
  const double y = x * x;
  double sum = 1;
  for (const double next : {1.0 / (13 * 14), 1.0 / (11 * 12), 1.0 / (9 * 10), 1.0 / (7 * 8), 1.0 / (5 * 6),
                            1.0 / (3 * 4), 1.0 / (1 * 2)})
    sum = 1 - sum * (y * next);
  return sum;
}

StreamAddress further_bits_of(const StreamAddress& address) {
  const auto purpose = static_cast<unsigned>(address.purpose) | 128u;
  return {static_cast<Purpose>(purpose), address.round, address.client};
}

void check(double shift, double deviation) {
  if (std::isfinite(shift) && std::isfinite(deviation) && deviation > 0) return;
  throw Error(ErrorCode::internal, "normal", std::to_string(shift) + ", " + std::to_string(deviation),
              "a finite shift and a finite deviation above 0", "cannot round");
}

}  // namespace

PairBits drawn_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair) {
  if (pair >> 32 != 0) {
    throw Error(ErrorCode::internal, "pair", std::to_string(pair), "below 2^32", "no such normals");
  }
  // A group of 16 pairs takes 32 halves of 64-bit words: first the 16 radius words, then the 16 angle words.
  std::array<std::uint64_t, 10> words;
  const std::uint64_t half = pair % 16;
  const Counter counter = counter_of_normal(address, pair / 16 * kNormalGroup, kNormalGroup);
  encrypt_indices(key, {counter.low + half / 4, counter.high}, words);
  const auto half_of = [half](std::uint64_t word) {
    return static_cast<std::uint32_t>(half % 2 == 0 ? word : word >> 32);
  };
  return {half_of(words[half % 4 / 2]), half_of(words[8 + half % 4 / 2]), {}, {}};
}

KeyedStream further_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair) {
  std::array<std::uint64_t, 2> block;
  encrypt_indices(key, counter_of(further_bits_of(address), static_cast<std::uint32_t>(pair)), block);
  std::array<std::uint8_t, 16> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(block[i / 8] >> (8 * (i % 8)));
  }
  const RunKey own = RunKey::from_bytes(bytes);
  sodium_memzero(block.data(), sizeof block);
  sodium_memzero(bytes.data(), bytes.size());
  return KeyedStream(own, further_bits_of(address));
}

std::optional<std::int64_t> rounded_if_clear(const PairBits& bits, bool second, double shift,
                                             double deviation) {
  if (bits.more_radius.size() > 1) return std::nullopt;
  // The drawn bits confine 2^31 U and 2^30 x (normal_enclosure.h) to intervals of length `open`. `drawn` and
  // `turn` are their lower ends.
  const bool more = !bits.more_radius.empty();
  const auto following = [more](const std::vector<std::uint64_t>& words) {
    return more ? static_cast<double>(words[0]) * 0x1p-64 : 0.0;
  };
  const double drawn = static_cast<double>(bits.radius & 0x7fffffffu) + following(bits.more_radius);
  const double turn =
      static_cast<double>(static_cast<std::int32_t>(bits.angle) >> 1) + following(bits.more_angle);
  const double open = more ? 0x1p-64 : 1;
  if (drawn == 0) return std::nullopt;
  // `least` uses ln((drawn + open) / drawn) <= open / drawn. `drawn` itself is rounded, by a relative 2^-53.
  const double most = 2 * minus_logarithm(drawn * 0x1p-31) + 0x1p-50;
  const double longest = std::sqrt(most * (1 + kSeriesError));
  const double least = most * (1 - kSeriesError) - 0x1p-49 - 2 * open / drawn * (1 + kSeriesError);
  const double shortest = std::sqrt(std::fmax(0.0, least));
  // The angle is taken from the middle of the interval of x. Sine and cosine change by at most pi/4 times the
  // change of x.
  constexpr double kUnit = std::numbers::pi / 4 * 0x1p-30;
  const double angle = (turn + open / 2) * kUnit, half_open = open / 2 * kUnit + kSeriesError;
  const double factor = bits.is_cosine(second) ? cosine(angle) : std::fabs(sine(angle));
  const double near = deviation * shortest * std::fmax(0.0, factor - half_open);
  const double far = deviation * longest * (factor + half_open);
  const double rounding = (std::fabs(shift) + far) * 0x1p-48;
  const bool negative = bits.is_negative(second);
  const double below = std::floor(shift + (negative ? -far : near) - rounding + 0.5);
  const double above = std::floor(shift + (negative ? -near : far) + rounding + 0.5);
  if (!(below == above && std::fabs(below) < 0x1p47)) return std::nullopt;
  return static_cast<std::int64_t>(below);
}

std::optional<std::int64_t> rounded_if_middling(float normal, float other, double shift, double deviation) {
  const auto z = static_cast<double>(normal), partner = static_cast<double>(other);
  const double squared = z * z + partner * partner;
  // The factors 1 +- 2^-10 and the summand with 2^-48 cover the rounding errors. A NaN fails the condition.
  constexpr double kMargin = 0x1p-10;
  if (!(squared > kShort * kShort * (1 + kMargin) && squared < kLong * kLong * (1 - kMargin)))
    return std::nullopt;
  const double value = shift + deviation * z, whole = std::nearbyint(value);
  const double error = deviation * kMiddlingError + (std::fabs(shift) + deviation * kLong) * 0x1p-48;
  if (!(std::fabs(value - whole) < 0.5 - error && std::fabs(whole) < 0x1p47)) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::int64_t rounded_normal(PairBits bits, BitSource& further, bool second, double shift, double deviation) {
  check(shift, deviation);
  if (const auto rounded = rounded_if_clear(bits, second, shift, deviation)) return *rounded;
  for (;;) {
    bits.more_radius.push_back(further.next_u64());
    bits.more_angle.push_back(further.next_u64());
    if (const auto rounded = rounded_if_clear(bits, second, shift, deviation)) return *rounded;
    if (const auto rounded = rounded_if_decided(bits, second, shift, deviation)) return *rounded;
  }
}

std::int64_t rounded_normal(const RunKey& key, const StreamAddress& address, std::uint64_t number,
                            double shift, double deviation) {
  check(shift, deviation);
  const std::uint64_t pair = number / kNormalGroup * 16 + number % 16;
  const bool second = number % kNormalGroup >= 16;
  const PairBits bits = drawn_bits(key, address, pair);
  if (const auto rounded = rounded_if_clear(bits, second, shift, deviation)) return *rounded;
  KeyedStream further = further_bits(key, address, pair);
  return rounded_normal(bits, further, second, shift, deviation);
}

}  // namespace muster::random

#include "muster/random/normal_enclosure.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstddef>

namespace muster::random {
namespace {

using Integer =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

// Holds the interval [low, high] 2^-places. The comments below call 2^-places a unit.
struct Enclosure {
  Integer low, high;
};

Integer floor_shift(const Integer& x, unsigned places) {
  // Only newer versions of Boost shift a negative cpp_int towards minus infinity.
  if (x >= 0) return x >> places;
  return -((-x + (Integer(1) << places) - 1) >> places);
}
Integer ceiling_shift(const Integer& x, unsigned places) { return -floor_shift(-x, places); }

// Encloses 2 atanh(numerator / denominator) for 0 <= numerator <= denominator / 3. Every computed power of
// the quotient is too small by less than two units, and every term by less than three. The terms left out sum
// to less than three units.
Enclosure twice_atanh(const Integer& numerator, const Integer& denominator, unsigned places) {
  Integer power = (numerator << places) / denominator;
  const Integer square = (power * power) >> places;
  Integer sum = 0;
  unsigned terms = 0;
  for (; power != 0; ++terms) {
    sum += power / (2 * terms + 1);
    power = (power * square) >> places;
  }
  return {2 * sum, 2 * sum + 6 * (terms + 1)};
}

// Encloses -ln(numerator / 2^bits) for 0 < numerator <= 2^bits.
Enclosure minus_logarithm(const Integer& numerator, unsigned bits, unsigned places) {
  const unsigned lead = boost::multiprecision::msb(numerator);
  const Integer power = Integer(1) << lead;
  const Enclosure rest = twice_atanh(numerator - power, numerator + power, places);
  const Enclosure two = twice_atanh(1, 3, places);
  const unsigned halvings = bits - lead;
  return {halvings * two.low - rest.high, halvings * two.high - rest.low};
}

// Returns arctan(1/m) in units, and adds its error bound to `units`: 2 for each term, and 2 for all terms
// left out.
Integer arctangent(unsigned m, unsigned places, unsigned& units) {
  Integer power = (Integer(1) << places) / m, sum = 0;
  for (unsigned i = 0; power != 0; ++i) {
    sum += i % 2 == 0 ? power / (2 * i + 1) : -power / (2 * i + 1);
    power /= m * m;
    units += 2;
  }
  units += 2;
  return sum;
}

Enclosure pi(unsigned places) {
  unsigned units = 0;
  const Integer middle = 16 * arctangent(5, places, units) - 4 * arctangent(239, places, units);
  return {middle - 16 * units, middle + 16 * units};
}

// Encloses the cosine or sine of `angle` units, for an angle in [0, 0.8). Each term has an error below four
// units, and so does the sum of the terms left out.
Enclosure taylor(const Integer& angle, bool cosine, unsigned places) {
  const Integer square = (angle * angle) >> places;
  Integer term = cosine ? Integer(1) << places : angle, sum = 0;
  unsigned degree = cosine ? 0 : 1, terms = 0;
  for (; term != 0; ++terms, degree += 2) {
    sum += terms % 2 == 0 ? term : -term;
    term = ((term * square) >> places) / ((degree + 1) * (degree + 2));
  }
  return {sum - 4 * (terms + 1), sum + 4 * (terms + 1)};
}

// Returns sqrt(2 x) rounded down, with x and the result in units; 0 where x <= 0.
Integer root_of_twice(const Integer& x, unsigned places) {
  if (x <= 0) return 0;
  const Integer square = (2 * x) << places;
  // Newton's iterates start above the root and decrease until they reach it.
  Integer root = Integer(1) << (boost::multiprecision::msb(square) / 2 + 1);
  for (;;) {
    const Integer next = (root + square / root) >> 1;
    if (next >= root) return root;
    root = next;
  }
}

// Returns x as an integer number of units, rounded down. The result is exact if the last binary digit of x is
// worth at least one unit.
Integer units_of(double x, unsigned places) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  const Integer digits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const int shift = exponent - 53 + static_cast<int>(places);
  return shift >= 0 ? digits << static_cast<unsigned>(shift)
                    : floor_shift(digits, static_cast<unsigned>(-shift));
}

Integer continued(Integer leading, const std::vector<std::uint64_t>& words) {
  for (const std::uint64_t word : words) leading = leading * (Integer(1) << 64) + word;
  return leading;
}

}  // namespace

std::optional<std::int64_t> rounded_if_decided(const PairBits& bits, bool second, double shift,
                                               double deviation) {
  const auto more = 64 * static_cast<unsigned>(bits.more_radius.size());
  const unsigned places = more + 128;  // the intervals of results that the bits allow are many units wide

  // U lies in [drawn, drawn + 1] / 2^(31 + more). R decreases as U grows.
  const Integer drawn = continued(bits.radius & 0x7fffffffu, bits.more_radius);
  if (drawn == 0) return std::nullopt;
  const Integer shortest = root_of_twice(minus_logarithm(drawn + 1, 31 + more, places).low, places);
  const Integer longest = root_of_twice(minus_logarithm(drawn, 31 + more, places).high, places) + 1;

  // |x| lies in [least, least + 1] / 2^(30 + more). The sine of pi/4 |x| grows with |x|, and its cosine
  // decreases.
  const Integer turn = continued(static_cast<std::int32_t>(bits.angle) >> 1, bits.more_angle);
  const Integer least = turn >= 0 ? turn : -turn - 1;
  const Enclosure half_turn = pi(places);
  const Integer low_angle = floor_shift(half_turn.low * least, 32 + more);
  const Integer high_angle = ceiling_shift(half_turn.high * (least + 1), 32 + more);
  const bool cosine = bits.is_cosine(second);
  Integer smallest = taylor(cosine ? high_angle : low_angle, cosine, places).low;
  const Integer largest = taylor(cosine ? low_angle : high_angle, cosine, places).high;
  if (smallest < 0) smallest = 0;

  const Integer near = floor_shift(shortest * smallest, places),
                far = ceiling_shift(longest * largest, places);
  const Integer scale = units_of(deviation, places), centre = units_of(shift, places);
  Integer low = floor_shift(scale * near, places), high = ceiling_shift((scale + 1) * far, places);
  if (bits.is_negative(second)) {
    low = -low;
    high = -high;
    low.swap(high);
  }
  const Integer half = Integer(1) << (places - 1);
  const Integer below = floor_shift(centre + low + half, places);
  if (below != floor_shift(centre + 1 + high + half, places)) return std::nullopt;
  const Integer most = Integer(1) << 62;
  return static_cast<std::int64_t>(below > most ? most : below < -most ? -most : below);
}

}  // namespace muster::random

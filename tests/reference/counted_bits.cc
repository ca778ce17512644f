#include "tests/reference/counted_bits.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/binomials.h"

namespace muster::reference {
namespace {

constexpr long double kUlp = 0x1p-63L;
constexpr double kMaxTerms = 4e6;
constexpr double kMaxOutcomes = 3000;

}  // namespace

long double delta_of(const CountedBits& bits, double epsilon) {
  const Real e = exp(Real(epsilon));
  // The term of j ones is P(j) - E Q(j) = B(j-1) (a - E b) + B(j) ((1-a) - E (1-b)), where E = e^epsilon and
  // B(j) = P(Bin(m, c) = j).
  const long double rise = (bits.a - e * bits.b).below(), fall = (bits.not_a - e * bits.not_b).below();
  if (!(rise > 0)) return 0;
  const long double m = bits.others, c = bits.c.above(), not_c = bits.not_c.above();
  // The first j with a positive term follows from the ratio of two successive probabilities. One is
  // subtracted to be safe from rounding.
  long double first = fall >= 0 ? 0 : std::floor(-fall * c * (m + 1) / (not_c * rise - fall * c)) - 1;
  first = std::max(first, static_cast<long double>(far_below_mean(bits.others, bits.c, bits.not_c)));
  if (first > m + 1) return 0;
  Binomials law(bits.others, bits.c, bits.not_c, static_cast<double>(std::max(first - 1, 0.0L)));
  long double before = first >= 1 ? law.value() : 0;  // B(first - 1)
  if (first >= 1) law.next();
  long double sum = 0;
  for (long double j = first; j <= m + 1 && j - first < kMaxTerms; j += 1) {
    const long double here = j <= m ? law.value() : 0;
    const long double term = before * rise + here * fall;
    const long double lost = (law.error() + 4 * kUlp) * (before * rise + here * std::fabs(fall));
    if (term > lost) sum += term - lost;
    const bool falling = j > (m + 1) * bits.c.above();
    if (falling && before * rise < sum * 1e-22L) break;
    if (falling && before == 0 && here == 0) break;
    before = here;
    if (j <= m) law.next();
  }
  return sum * (1 - 1e-16L);
}

Pair pair_of(const CountedBits& bits, double tail, bool swapped) {
  Pair pair;
  const double mean = bits.others * bits.c.middle(), deviation = std::sqrt(mean * bits.not_c.middle()) + 1;
  const double reach = std::sqrt(-2 * std::log(std::max(tail, 1e-300))) + 3;
  const double first = std::max(0.0, std::floor(mean - reach * deviation - 2));
  const double last = std::min(bits.others + 1, std::ceil(mean + reach * deviation + reach * reach + 4));
  if (last - first > kMaxTerms) return pair;
  const double step = std::max(1.0, std::ceil((last - first) / kMaxOutcomes));
  const long double a = bits.a.below(), not_a = bits.not_a.below(), b = bits.b.above(),
                    not_b = bits.not_b.above();
  const long double a_high = bits.a.above(), not_a_high = bits.not_a.above(), b_low = bits.b.below(),
                    not_b_low = bits.not_b.below();
  Binomials law(bits.others, bits.c, bits.not_c, first);
  long double before = first >= 1 ? exp(log_binomial(bits.others, first - 1, bits.c, bits.not_c)).below() : 0;
  Outcome merged{0, 0};
  for (double j = first; j <= last; ++j) {
    const long double here = j <= bits.others ? law.value() : 0;
    const long double room = law.error() + 16 * kUlp;
    const long double p = swapped ? b_low * before + not_b_low * here : a * before + not_a * here;
    const long double q = swapped ? a_high * before + not_a_high * here : b * before + not_b * here;
    merged.p += p * (1 - room);
    merged.q += q * (1 + room);
    if (std::fmod(j - first, step) == step - 1 || j == last) {
      const long double sums = (static_cast<long double>(step) + 4) * kUlp;
      if (merged.p > 0 && merged.q > 0) pair.push_back({merged.p * (1 - sums), merged.q * (1 + sums)});
      merged = {0, 0};
    }
    before = here;
    if (j < bits.others) law.next();
  }
  return pair;
}

}  // namespace muster::reference

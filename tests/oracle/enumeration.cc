#include "tests/oracle/enumeration.h"

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "muster/numerics/ordered.h"

namespace muster::accounting::oracle {
namespace {

// A histogram as a number in base 64: digit i counts message i.
__extension__ using Histogram = unsigned __int128;
using Histograms = std::map<Histogram, long double>;
// A count of 64 would overflow into the next digit, and 22 digits have more than 128 bits.
constexpr std::size_t kMaxMessages = 21, kMaxUsers = 63;

Histogram digit(std::size_t i) { return Histogram{1} << (6 * i); }

void require_room(std::size_t others, const Law& law) {
  if (others >= kMaxUsers || law.size() > kMaxMessages) {
    throw std::invalid_argument("enumeration counts at most 21 messages of at most 63 clients");
  }
}

// Adds one client, who reports a message of `law` with weight `report` and stays away with weight `stay`.
Histograms with_user(const Histograms& before, const Law& law, long double report, long double stay) {
  Histograms after;
  for (const auto& [histogram, mass] : before) {
    if (stay > 0) after[histogram] += mass * stay;
    if (!(report > 0)) continue;
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (law[i] > 0) after[histogram + digit(i)] += mass * report * law[i];
    }
  }
  return after;
}

int reports(Histogram histogram) {
  int total = 0;
  for (; histogram != 0; histogram >>= 6) total += static_cast<int>(histogram & 63);
  return total;
}

}  // namespace

OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b,
                    const std::vector<long double>& rates) {
  require_room(others.size(), a);
  Histograms seen{{0, 1.0L}};
  for (std::size_t j = 0; j < others.size(); ++j) {
    seen = with_user(seen, others[j], rates[j + 1], 1 - rates[j + 1]);
  }
  return aligned(with_user(seen, a, rates[0], 1 - rates[0]), with_user(seen, b, rates[0], 1 - rates[0]));
}

OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b, long double rate) {
  return check_in(others, a, b, std::vector<long double>(others.size() + 1, rate));
}

OutputPair subset(const std::vector<Law>& others, const Law& a, const Law& b, int k) {
  require_room(others.size(), a);
  // Counts every subset of every size once, with weight 1, then keeps those of size k and
  // divides by their number.
  Histograms seen{{0, 1.0L}};
  for (const Law& law : others) seen = with_user(seen, law, 1, 1);
  const auto of_size = [k](Histograms all) {
    std::erase_if(all, [k](const auto& entry) { return reports(entry.first) != k; });
    long double total = 0;
    for (const auto& entry : all) total += entry.second;
    for (auto& entry : all) entry.second /= total;
    return all;
  };
  return aligned(of_size(with_user(seen, a, 1, 1)), of_size(with_user(seen, b, 1, 1)));
}

OutputPair included(const std::vector<Law>& others, const Law& a, const Law& b, int k, long double share) {
  require_room(others.size(), a);
  Histograms seen{{0, 1.0L}};
  for (const Law& law : others) seen = with_user(seen, law, 1, 1);
  const auto of_size = [&seen](int size, long double weight) {
    Histograms some;
    long double total = 0;
    for (const auto& [h, mass] : seen) {
      if (reports(h) == size) some[h] = mass, total += mass;
    }
    for (auto& entry : some) entry.second *= weight / total;
    return some;
  };
  const Histograms away = of_size(k, 1 - share), present = of_size(k - 1, share);
  const auto mixed = [&](const Law& law) {
    Histograms all = with_user(present, law, 1, 0);
    for (const auto& [h, mass] : away) all[h] += mass;
    return all;
  };
  return aligned(mixed(a), mixed(b));
}

OutputPair product(const OutputPair& x, const OutputPair& y) {
  OutputPair pair;
  for (std::size_t i = 0; i < x.p.size(); ++i) {
    for (std::size_t j = 0; j < y.p.size(); ++j) {
      pair.p.push_back(x.p[i] * y.p[j]);
      pair.q.push_back(x.q[i] * y.q[j]);
    }
  }
  return pair;
}

long double hockey_stick(const OutputPair& pair, long double epsilon) {
  const long double factor = std::exp(epsilon);
  long double sum = 0;
  for (std::size_t i = 0; i < pair.p.size(); ++i)
    sum += numerics::larger(0.0L, pair.p[i] - factor * pair.q[i]);
  return sum;
}

long double renyi(const OutputPair& pair, long double order) {
  long double sum = 0;
  for (std::size_t i = 0; i < pair.p.size(); ++i) {
    if (pair.p[i] > 0 && !(pair.q[i] > 0)) return std::numeric_limits<long double>::infinity();
    if (pair.q[i] > 0) sum += pair.q[i] * std::pow(pair.p[i] / pair.q[i], order);
  }
  return std::log(sum) / (order - 1);
}

long double log_ratio(const Law& x, const Law& y) {
  long double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if ((x[i] > 0) != (y[i] > 0)) return std::numeric_limits<long double>::infinity();
    if (x[i] > 0) most = numerics::larger(most, std::fabs(std::log(x[i] / y[i])));
  }
  return most;
}

}  // namespace muster::accounting::oracle

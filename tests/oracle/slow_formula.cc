#include "tests/oracle/slow_formula.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "muster/numerics/ordered.h"

namespace muster::accounting::oracle {

long double swap_dataset(const std::vector<Law>& others, const Law& a, const Law& b, long double rate,
                         long double epsilon) {
  const long double grown = std::exp(epsilon);
  const std::size_t m = others.size(), messages = a.size();
  const auto n = static_cast<long double>(m + 1);
  long double total = 0;
  for (std::uint64_t set = 0; set < (std::uint64_t{1} << m); ++set) {
    std::vector<std::size_t> members;
    for (std::size_t j = 0; j < m; ++j) {
      if (set >> j & 1) members.push_back(j);
    }
    const auto k = static_cast<long double>(members.size());
    const long double weight = std::pow(rate, k) * std::pow(1 - rate, n - k);
    // Visits all message vectors of the members. u_j is the probability of member j's message, and a and b
    // are the victim's probabilities of this message. `density` is the product of the u_j, and `gains` is
    // the sum of (a - E b) / u_j, with E = e^epsilon.
    const std::function<void(std::size_t, long double, long double)> visit =
        [&](std::size_t i, long double density, long double gains) {
          if (i == members.size()) {
            total += weight * density * numerics::larger(0.0L, 1 - grown + gains / (n - k));
            return;
          }
          const Law& u = others[members[i]];
          for (std::size_t w = 0; w < messages; ++w) {
            if (u[w] > 0) visit(i + 1, density * u[w], gains + (a[w] - grown * b[w]) / u[w]);
          }
        };
    visit(0, 1, 0);
    // For a message to which the member's law gives no mass, the term is the limit as that mass tends to 0.
    for (const std::size_t j : members) {
      for (std::size_t w = 0; w < messages; ++w) {
        if (!(others[j][w] > 0)) total += weight / (n - k) * numerics::larger(0.0L, a[w] - grown * b[w]);
      }
    }
  }
  long double last = 0;
  for (std::size_t w = 0; w < messages; ++w) last += numerics::larger(0.0L, a[w] - grown * b[w]);
  return total + std::pow(rate, n) * last;
}

std::vector<Atom> pure_law(long double epsilon0, long double epsilon) {
  const long double q = 1 / (std::exp(epsilon0) + 1), grown = std::exp(epsilon), top = std::exp(epsilon0);
  return {{top - grown, q}, {1 - grown * top, q}, {0, 1 - 2 * q}};
}

long double profile(const std::vector<Law>& laws, long double alpha) {
  long double most = 0;
  for (const Law& x : laws) {
    for (const Law& y : laws) {
      long double sum = 0;
      for (std::size_t w = 0; w < x.size(); ++w) sum += numerics::larger(0.0L, x[w] - alpha * y[w]);
      most = numerics::larger(most, sum);
    }
  }
  return most;
}

std::vector<Atom> profile_law(const std::vector<Law>& laws, long double epsilon) {
  // The kinks of f are the likelihood ratios of all pairs of laws and, between these, the points where the
  // linear pieces of two pairs cross.
  std::vector<long double> ratios{1};
  for (const Law& x : laws) {
    for (const Law& y : laws) {
      for (std::size_t w = 0; w < x.size(); ++w) {
        if (y[w] > 0 && x[w] > 0) ratios.push_back(x[w] / y[w]);
      }
    }
  }
  std::sort(ratios.begin(), ratios.end());
  std::vector<long double> kinks = ratios;
  struct Line {
    long double level, slope;  // of the line level - alpha * slope
  };
  for (std::size_t i = 0; i + 1 < ratios.size(); ++i) {
    const long double low = ratios[i], high = ratios[i + 1];
    if (high - low < 1e-15L * high) continue;
    std::vector<Line> lines;
    for (const Law& x : laws) {
      for (const Law& y : laws) {
        Line line{0, 0};
        for (std::size_t w = 0; w < x.size(); ++w) {
          if (x[w] > (low + high) / 2 * y[w]) line.level += x[w], line.slope += y[w];
        }
        lines.push_back(line);
      }
    }
    for (const Line& s : lines) {
      for (const Line& t : lines) {
        const long double at = (s.level - t.level) / (s.slope - t.slope);
        if (at > low && at < high) kinks.push_back(at);
      }
    }
  }
  const long double grown = std::exp(epsilon);
  std::vector<long double> nodes{0};
  for (const long double alpha : kinks) nodes.push_back(alpha >= grown ? alpha - grown : 1 - grown / alpha);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end(),
                          [](long double x, long double y) { return y - x < 1e-14L * (1 + std::fabs(x)); }),
              nodes.end());
  const auto excess = [&](long double c) {
    return c >= 0 ? profile(laws, grown + c) : (1 - c) * profile(laws, grown / (1 - c));
  };
  // The stop-loss transform is piecewise linear with slope -1 before the first node and 0 after the last.
  std::vector<Atom> law;
  long double slope = -1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const long double next =
        i + 1 < nodes.size() ? (excess(nodes[i + 1]) - excess(nodes[i])) / (nodes[i + 1] - nodes[i]) : 0;
    law.push_back({nodes[i], next - slope});
    slope = next;
  }
  return law;
}

long double swap_sum(const std::vector<Atom>& law, int n, long double rate, long double epsilon,
                     long double at_all) {
  std::vector<Atom> cells{{1 - std::exp(epsilon), 1 - rate}};
  for (const Atom& atom : law) cells.push_back({atom.value, atom.mass * rate});
  long double total = 0;
  const std::function<void(std::size_t, int, long double, long double)> visit =
      [&](std::size_t i, int left, long double mass, long double sum) {
        if (i + 1 == cells.size()) {
          total += mass * std::pow(cells[i].mass, left) *
                   numerics::larger(0.0L, sum + static_cast<long double>(left) * cells[i].value);
          return;
        }
        long double coefficient = 1;  // C(left, k) mass_i^k
        for (int k = 0; k <= left; ++k) {
          visit(i + 1, left - k, mass * coefficient, sum + static_cast<long double>(k) * cells[i].value);
          coefficient *= cells[i].mass * static_cast<long double>(left - k) / static_cast<long double>(k + 1);
        }
      };
  visit(0, n, 1, 0);
  return total / static_cast<long double>(n) + std::pow(rate, n) * at_all;
}

}  // namespace muster::accounting::oracle

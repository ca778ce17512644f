// Compares the conversions with a scan over two-point pairs in extended precision, with random pairs of laws
// and with a paper's table, and the search over orders with all orders.
#include "muster/papers/conversions/rdp_to_dp.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <vector>

namespace muster::accounting {
namespace {

using Law = std::vector<long double>;

long double renyi(const Law& p, const Law& q, long double order) {
  long double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += q[i] * std::pow(p[i] / q[i], order);
  return std::log(sum) / (order - 1);
}

long double hockey_stick(const Law& p, const Law& q, long double epsilon) {
  long double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0L, p[i] - std::exp(epsilon) * q[i]);
  return sum;
}

// Finds the least divergence of a two-point pair with P(A) - e^eps Q(A) = delta. P(A) is scanned on a grid
// that is refined five times around its best point. The scan follows the definition, in long double, and
// shares no code with the library.
long double least_by_scan(long double order, long double epsilon, long double delta) {
  long double low = std::log(delta) - 40, high = std::log1p(-delta), best = INFINITY;
  for (int pass = 0; pass < 6; ++pass) {
    long double at = low;
    const int cells = 400;
    for (int i = 0; i <= cells; ++i) {
      const long double s = low + (high - low) * i / cells, r = delta + std::exp(s);
      const long double a = (r - delta) * std::exp(-epsilon);
      if (r >= 1) continue;
      const long double d = renyi({r, 1 - r}, {a, 1 - a}, order);
      if (d < best) best = d, at = s;
    }
    const long double width = (high - low) / cells * 2;
    low = at - width;
    high = std::min(at + width, std::log1p(-delta));
  }
  return best;
}

// Liew and Takahashi (2022), Table 1, report eps = 0.2282 at order 30 for the shuffle Gaussian (n = 60,000,
// sigma = 9.48, delta = 1/n). Nearly all of it comes from the conversion: the divergence is only 2.8e-6.
TEST(RdpToDp, ConversionTermOfThePapersTable) {
  EXPECT_NEAR(epsilon_upper_from_rdp(Conversion::canonne, 30, 2.8e-6, 1 / 6e4), 0.2282, 5e-5);
  EXPECT_NEAR(epsilon_upper_from_rdp(Conversion::exact, 30, 2.8e-6, 1 / 6e4), 0.0026, 5e-5);
}

// Where the minimum of Theorem 3 lies at the end of its interval, it may exceed a double's range. Such an
// infinite moment must not be taken as a proof of epsilon = 0. The true values are from randomized response
// with epsilon0 = rho, whose divergence is at most rho at every order. Its total variation is tanh(rho / 2).
TEST(RdpToDp, MomentsPastTheRangeOfDoublesCertifyNothing) {
  for (const double order : {1e3, 1e5, 1e6, 1e9, 1e15}) {
    for (const double rho : {0.05, 0.3, 2.0}) {
      const double variation = std::tanh(rho / 2);
      SCOPED_TRACE(::testing::Message() << order << ' ' << rho);
      for (const double share : {0.01, 0.2, 0.9}) {
        const double delta = share * variation;
        // Solves (e^rho - e^eps) / (1 + e^rho) = delta for eps.
        const double truth = std::log(std::exp(rho) - delta * (1 + std::exp(rho)));
        EXPECT_GE(epsilon_upper_from_rdp(Conversion::exact, order, rho, delta), truth * (1 - 1e-12)) << delta;
        EXPECT_GE(delta_upper_from_rdp(Conversion::exact, order, rho, truth), delta * (1 - 1e-9)) << truth;
      }
    }
  }
}

// Where (l-1) delta / (1-delta) is above 1, the minimum of Theorem 3 lies at r = 1, and the least divergence
// is epsilon - log(1 - delta) exactly. A rho that is larger by the last digit alone is above it, and
// certifies neither this epsilon nor this delta. With fewer roundings charged than are made, the first three
// cases had an epsilon of 0.
TEST(RdpToDp, TheLastDigitCertifiesNothing) {
  const auto above = [](long double x) {
    const auto near = static_cast<double>(x);
    return near > x ? near : std::nextafter(near, INFINITY);
  };
  const std::pair<double, double> close[] = {
      {1109, 0.2329203798687432}, {140133644, 0.13347856834178401}, {38685508, 0.3943949545341317}};
  for (const auto& [order, delta] : close) {
    const double rho = above(-std::log1p(-static_cast<long double>(delta)));
    EXPECT_GT(epsilon_upper_from_rdp(Conversion::exact, order, rho, delta), 0) << order << " " << delta;
  }
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> share(0.01, 0.99), log_order(7, 32);
  for (int i = 0; i < 2'000; ++i) {
    const double delta = share(engine), order = std::floor(std::exp(log_order(engine)));
    const double rho = above(-std::log1p(-static_cast<long double>(delta)));
    EXPECT_GT(epsilon_upper_from_rdp(Conversion::exact, order, rho, delta), 0) << order << " " << delta;
  }
}

TEST(RdpToDp, ExactIsTheTwoPointExtreme) {
  for (const double order : {1.5, 2.0, 8.0, 30.0, 200.0}) {
    for (const double rho : {1e-7, 2.8e-6, 1e-3, 0.3, 4.0}) {
      for (const double delta : {1e-10, 1e-5, 0.02}) {
        SCOPED_TRACE(::testing::Message() << order << " " << rho << " " << delta);
        const double upper = epsilon_upper_from_rdp(Conversion::exact, order, rho, delta);
        EXPECT_LE(upper, epsilon_upper_from_rdp(Conversion::canonne, order, rho, delta));
        // The bound is valid: at `upper` every pair that reaches delta has a divergence of at least rho, up
        // to rounding errors of long double.
        EXPECT_GE(least_by_scan(order, upper, delta), rho * (1 - 1e-6L));
        // The bound is tight: slightly below `upper`, some pair with a divergence below rho reaches delta.
        if (upper > 1e-9) {
          const double less = upper * (1 - 1e-4);
          EXPECT_LT(least_by_scan(order, less, delta), rho);
        }
        const double back = delta_upper_from_rdp(Conversion::exact, order, rho, upper);
        EXPECT_LE(back, delta * (1 + 1e-4));
        if (upper > 0) {
          EXPECT_GE(back, delta * (1 - 1e-4));
        }
      }
    }
  }
}

// Tests both conversions on random pairs of laws on five points; rho is the divergence of the pair.
TEST(RdpToDp, NoPairExceedsAnyConversion) {
  std::mt19937_64 engine(7);
  std::exponential_distribution<double> weight(1.0);
  int binding = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Law p(5), q(5);
    long double sp = 0, sq = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double base = std::pow(weight(engine), 3) + 1e-6, spread = trial % 2 ? 3.0 : 0.2;
      p[i] = base * std::exp(spread * (weight(engine) - 1)), q[i] = base;
      sp += p[i], sq += q[i];
    }
    for (std::size_t i = 0; i < 5; ++i) p[i] /= sp, q[i] /= sq;
    for (const double order : {1.3, 2.0, 5.0, 17.0}) {
      const double rho = static_cast<double>(renyi(p, q, order)) * (1 + 1e-12) + 1e-15;
      for (const double epsilon : {0.01, 0.2, 1.0}) {
        const long double truth = hockey_stick(p, q, epsilon);
        for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
          EXPECT_GE(delta_upper_from_rdp(c, order, rho, epsilon), truth) << order << " " << epsilon;
          if (truth > 0) {
            EXPECT_LE(0, epsilon_upper_from_rdp(c, order, rho, static_cast<double>(truth)));
            EXPECT_GE(epsilon_upper_from_rdp(c, order, rho, static_cast<double>(truth)),
                      epsilon * (1 - 1e-9));
          }
        }
        binding += truth > 0.2L * delta_upper_from_rdp(Conversion::exact, order, rho, epsilon);
      }
    }
  }
  EXPECT_GT(binding, 5);  // the number of bounds within a factor 5 of the truth
}

TEST(RdpToDp, SearchOverOrdersFindsTheBest) {
  // A Gaussian pair at distance mu = 0.5 has rho(l) = l mu^2 / 2. Brute force finds the best order up to 300.
  const auto rdp = [](std::uint64_t l) { return static_cast<double>(l) * 0.125; };
  for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
    for (const double delta : {1e-3, 1e-8}) {
      double brute = INFINITY;
      for (std::uint64_t l = 2; l <= 300; ++l) {
        brute = std::min(brute, epsilon_upper_from_rdp(c, static_cast<double>(l), 3 * rdp(l), delta));
      }
      const ConvertedUpper found = convert_rdp(rdp, 3, {Question::Kind::epsilon_at_delta, delta}, c);
      EXPECT_DOUBLE_EQ(found.upper, brute);
      const ConvertedUpper back = convert_rdp(rdp, 3, {Question::Kind::delta_at_epsilon, found.upper}, c);
      EXPECT_NEAR(back.upper, delta, 1e-6 * delta);
    }
  }
  EXPECT_EQ(convert_rdp(rdp, 0, {Question::Kind::epsilon_at_delta, 1e-5}, Conversion::exact).upper, 0);
}

TEST(RdpToDp, TheSearchFindsTheBestOrder) {
  // The divergence `wall` rises steeply from order 300 on, as that of shuffled Gaussians does; `smooth` does
  // not. Brute force over all orders up to 700 finds the least bound.
  const auto wall = [](double l) { return 1e-6 * l + std::exp(l / 10 - 30); };
  const auto smooth = [](double l) { return 1e-3 * l; };
  for (const auto& curve : {std::function<double(double)>(wall), std::function<double(double)>(smooth)}) {
    for (const Conversion c : {Conversion::canonne, Conversion::exact}) {
      for (const Question& question : {Question{Question::Kind::epsilon_at_delta, 1e-6},
                                       Question{Question::Kind::delta_at_epsilon, 0.05}}) {
        double brute = INFINITY;
        for (double l = 2; l <= 700; ++l) {
          const double rho = 7 * curve(l);
          brute = std::min(brute, question.kind() == Question::Kind::epsilon_at_delta
                                      ? epsilon_upper_from_rdp(c, l, rho, question.fixed())
                                      : delta_upper_from_rdp(c, l, rho, question.fixed()));
        }
        const auto function = [&](std::uint64_t l) { return curve(static_cast<double>(l)); };
        const double from_function = convert_rdp(function, 7, question, c).upper;
        EXPECT_GE(from_function, brute * (1 - 1e-12));
        EXPECT_LE(from_function, brute * (1 + 1e-9));
      }
    }
  }
}

// A Gaussian pair at distance mu = 10^-6 needs an order of several million for delta = 10^-12, so the caller
// allows orders far beyond kAffordableOrder.
TEST(RdpToDp, OrdersInTheMillions) {
  const auto rdp = [](std::uint64_t l) { return static_cast<double>(l) * 0.5e-12; };
  const ConvertedUpper found = convert_rdp(rdp, 1, {Question::Kind::epsilon_at_delta, 1e-12},
                                           Conversion::canonne, std::uint64_t{1} << 50);
  EXPECT_GT(found.order, 3e6);
  // The minimum over l of l mu^2/2 + (log(1/delta) - log l - 1)/(l-1) is near
  // l = sqrt(2 (27.6 - 15.4)) / mu = 4.9e6.
  EXPECT_NEAR(found.upper, 4.6e-6, 1e-6);
}

TEST(RdpToDp, ExtremesStayOnTheSafeSide) {
  EXPECT_EQ(epsilon_upper_from_rdp(Conversion::exact, 1e4, 0, 1e-5), 0);
  EXPECT_EQ(delta_upper_from_rdp(Conversion::exact, 2, 1e6, 1), 1);
  EXPECT_GT(epsilon_upper_from_rdp(Conversion::exact, 2, 5000, 1e-300), 5000);
  EXPECT_TRUE(std::isinf(epsilon_upper_from_rdp(Conversion::exact, 2, INFINITY, 1e-5)));
  const double tiny = delta_upper_from_rdp(Conversion::exact, 2000, 1e-9, 0.5);
  EXPECT_GT(tiny, 0);
  EXPECT_LT(tiny, 1e-300);
}

}  // namespace
}  // namespace muster::accounting

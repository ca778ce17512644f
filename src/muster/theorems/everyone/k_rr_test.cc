// Tests k-ary randomized response. The bounds are compared with every data set of small populations, the
// exact curves with enumeration, and law (1) of k_rr.h with the law made from the randomizer's own profile.
#include "muster/theorems/everyone/k_rr.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/theorems/everyone/blanket.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::Law;

const std::vector<double> kShares = {0, 0.2, 0.5, 0.8, 0.95, 0.995};  // values of epsilon / epsilon0

std::vector<Law> laws_of(int k, double epsilon0) {
  std::vector<Law> laws;
  for (int x = 0; x < k; ++x) {
    laws.push_back(oracle::k_rr(k, epsilon0, x));
  }
  return laws;
}

// Returns the largest delta over all data sets. By the symmetry of the symbols, it is enough to compare the
// victim's record 0 with 1, in this order, for every multiset of the others' records.
long double worst(const std::vector<Law>& laws, int n, long double rate, long double epsilon) {
  long double most = 0;
  for (const std::vector<int>& dataset : oracle::multisets(static_cast<int>(laws.size()), n - 1)) {
    std::vector<Law> others;
    for (const int x : dataset) others.push_back(laws[static_cast<std::size_t>(x)]);
    most = std::max(most, oracle::hockey_stick(oracle::check_in(others, laws[0], laws[1], rate), epsilon));
  }
  return most;
}

TEST(KRR, DominatesEveryDatasetAtEveryRate) {
  int cases = 0;
  long double tightest = 0;
  int one_client_more_is_caught = 0;
  int merged_law_is_caught = 0;
  for (const int k : {2, 3, 4, 5}) {
    for (const double epsilon0 : {0.5, 1.0, 2.0, 4.0}) {
      const std::vector<Law> laws = laws_of(k, epsilon0);
      for (int n = 2; n <= (k <= 3 ? 6 : k == 4 ? 5 : 4); ++n) {
        for (const double rate : {0.1, 0.3, 0.5, 0.8, 1.0}) {
          for (const double share : kShares) {
            const double epsilon = share * epsilon0;
            const auto bound = [&](int clients) {
              return rate < 1 ? k_rr_check_in_delta(clients, rate, k, epsilon0, epsilon).upper
                              : k_rr_blanket_delta(clients, k, epsilon0, epsilon).upper;
            };
            const long double truth = worst(laws, n, rate, epsilon);
            SCOPED_TRACE(::testing::Message()
                         << k << " " << n << " " << epsilon0 << " " << rate << " " << epsilon);
            EXPECT_GE(bound(n), truth * (1 - 1e-13L));
            if (truth > 1e-9L) tightest = std::max(tightest, truth / bound(n));
            if (bound(n + 1) < truth) ++one_client_more_is_caught;
            // A false variant merges the atom of the other symbols and the atom at 0 into one at their
            // mean. Its law is too narrow, so its bound must be below some truth.
            const std::vector<numerics::Term> terms = k_rr_terms(k, epsilon0, epsilon);
            const long double rest = terms[2].mass + terms[3].mass;
            const std::vector<numerics::Term> narrow = {
                terms[0], terms[1], {terms[2].value * terms[2].mass / rest, rest}};
            if (rate == 1 && numerics::mean_of_terms(narrow, n).upper < truth) ++merged_law_is_caught;
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 4 * 5 * 6 * (5 + 5 + 4 + 3));
  EXPECT_GT(tightest, 0.999L);
  EXPECT_GT(one_client_more_is_caught, 0);
  EXPECT_GT(merged_law_is_caught, 0);
}

TEST(KRR, ExactCurvesEqualTheEnumeratedDatasets) {
  for (const int k : {2, 3, 5}) {
    for (const double epsilon0 : {0.7, 3.0}) {
      const std::vector<Law> laws = laws_of(k, epsilon0);
      for (const int n : {2, 4, 6}) {
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const auto exact = [&](int record, double rate) {
            const std::vector<Law> others(static_cast<std::size_t>(n - 1),
                                          laws[static_cast<std::size_t>(record)]);
            return oracle::hockey_stick(oracle::check_in(others, laws[0], laws[1], rate), epsilon);
          };
          const auto subset = [&](int record, int size) {
            const std::vector<Law> others(static_cast<std::size_t>(n - 1),
                                          laws[static_cast<std::size_t>(record)]);
            return oracle::hockey_stick(oracle::subset(others, laws[0], laws[1], size), epsilon);
          };
          const auto expect = [&](const numerics::Enclosure& ends, long double truth) {
            EXPECT_LE(ends.lower, truth * (1 + 1e-12L) + 1e-18L);
            EXPECT_GE(ends.upper, truth * (1 - 1e-12L) - 1e-18L);
            EXPECT_LE(ends.upper - ends.lower,
                      1e-3L * truth + 1e-13L);  // four values need a contour integral, whose ends are wider
          };
          for (const auto& [others, record] :
               {std::pair{OthersHold::own, 0}, std::pair{OthersHold::alternative, 1},
                std::pair{OthersHold::third, 2}}) {
            if (record >= k) continue;
            SCOPED_TRACE(::testing::Message()
                         << k << " " << n << " " << epsilon0 << " " << epsilon << " " << record);
            for (const double rate : {0.1, 0.8, 1.0}) {
              expect(k_rr_dataset_delta({1.0 * n, 1.0 * n, rate}, k, epsilon0, others, epsilon),
                     exact(record, rate));
            }
            for (int size = 1; size <= n; ++size) {
              expect(k_rr_dataset_delta({1.0 * n, 1.0 * size, 1}, k, epsilon0, others, epsilon),
                     subset(record, size));
            }
          }
        }
      }
    }
  }
}

// From epsilon0 on, delta is 0, because no symbol's likelihood ratio exceeds e^epsilon. This must also hold
// where e^epsilon is beyond the range of a double.
TEST(KRR, NothingIsLeftPastEpsilon0) {
  for (const OthersHold others : {OthersHold::third, OthersHold::alternative, OthersHold::own}) {
    for (const double epsilon : {27.7, 750.0, 11'400.0, 1.6e10, 1e300}) {
      const numerics::Enclosure found = k_rr_dataset_delta({18'914, 18'914, 1}, 6620, 27.7, others, epsilon);
      EXPECT_EQ(found.lower, 0) << epsilon;
      EXPECT_EQ(found.upper, 0) << epsilon;
    }
  }
}

// docs/theory/profile-only.md makes a law from a randomizer's profile alone. For the enumerated profile of
// k-ary randomized response, it is law (1): both have the same expected excess at every c.
TEST(KRR, TheLawIsThatOfItsOwnProfile) {
  for (const int k : {2, 3, 6}) {
    for (const double epsilon0 : {0.4, 2.0}) {
      for (const double share : {0.0, 0.3, 0.9}) {
        const double epsilon = share * epsilon0;
        const std::vector<oracle::Atom> atoms = oracle::profile_law(laws_of(k, epsilon0), epsilon);
        std::vector<numerics::Term> terms = k_rr_terms(k, epsilon0, epsilon);
        for (const double c : {-40.0, -8.0, -3.0, -1.0, -0.4, -0.1, 0.0, 0.05, 0.3, 1.0, 4.0}) {
          const auto excess = [c](const auto& list, auto&& mass) {
            long double sum = 0;
            long double rest = 1;
            for (const auto& atom : list) {
              sum += mass(atom) * std::max(0.0L, atom.value - c);
              rest -= mass(atom);
            }
            return sum + rest * std::max(0.0, -c);
          };
          EXPECT_NEAR(static_cast<double>(excess(atoms, [](const oracle::Atom& a) { return a.mass; })),
                      static_cast<double>(excess(terms, [](const numerics::Term& t) { return t.mass; })),
                      1e-13)
              << k << " " << epsilon0 << " " << epsilon << " " << c;
        }
      }
    }
  }
}

// For k = 3 and epsilon0 = 2, compares the curve of the data set of third symbols with the blanket at an
// epsilon of z standard deviations of the privacy loss. At n = 1,000 and z = 4 they are within 1.5 %, and
// closer for smaller z and larger n.
TEST(KRR, BlanketIsAsymptoticallyTight) {
  const auto ratio = [](double n, double z, OthersHold others) {
    const double deviation = std::sqrt(2 * std::pow(std::exp(2.0) - 1, 2) / (std::exp(2.0) + 2) / n);
    const double epsilon = z * deviation;
    return k_rr_dataset_delta({n, n, 1}, 3, 2, others, epsilon).lower /
           k_rr_blanket_delta(n, 3, 2, epsilon).upper;
  };
  EXPECT_NEAR(ratio(1e3, 0.5, OthersHold::third), 0.99998, 3e-4);
  EXPECT_NEAR(ratio(1e3, 2, OthersHold::third), 0.9988, 2e-3);
  EXPECT_NEAR(ratio(1e3, 4, OthersHold::third), 0.986, 1e-2);
  EXPECT_GT(ratio(1e5, 2, OthersHold::third), 0.9997);
  EXPECT_LT(ratio(1e5, 2, OthersHold::alternative), 0.2);
}

TEST(KRR, UpperBoundsDominateTheExactCurvesOnAGrid) {
  for (const double n : {10.0, 1e4, 1e9}) {
    for (const double k : {2.0, 3.0, 1e5}) {
      for (const double epsilon0 : {0.1, 4.0, 20.0}) {
        for (const double rate : {0.01, 0.5, 1.0}) {
          for (const double share : {0.0, 1e-3, 0.05, 0.5, 0.99}) {
            const double epsilon = share * epsilon0;
            const numerics::Enclosure upper = rate < 1 ? k_rr_check_in_delta(n, rate, k, epsilon0, epsilon)
                                                       : k_rr_blanket_delta(n, k, epsilon0, epsilon);
            SCOPED_TRACE(::testing::Message()
                         << n << " " << k << " " << epsilon0 << " " << rate << " " << epsilon);
            EXPECT_LE(upper.lower, upper.upper);
            EXPECT_LE(upper.upper, 1);
            for (const OthersHold others : {OthersHold::third, OthersHold::alternative, OthersHold::own}) {
              if (k < 3 && others == OthersHold::third) continue;
              const numerics::Enclosure exact =
                  k_rr_dataset_delta({n, n, rate}, k, epsilon0, others, epsilon);
              EXPECT_GE(exact.lower, 0);
              EXPECT_LE(exact.lower, upper.upper);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting

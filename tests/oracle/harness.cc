#include "tests/oracle/harness.h"

#include <cstdio>
#include <iomanip>
#include <sstream>

#include "tests/oracle/harness_truth.h"

namespace muster::accounting::oracle {
namespace {

std::string at_point(const Case& c, double at, long double truth, double bound) {
  std::ostringstream out;
  out << describe(c) << " at " << at << ": truth " << static_cast<double>(truth) << ", claimed " << bound;
  return out.str();
}

void compare(const Case& c, const std::vector<Interval>& exact, const Claimed& claim, Tally& tally) {
  for (std::size_t i = 0; i < c.grid.size(); ++i) {
    const double claimed = claim.bound(c.grid[i]);
    const bool upper = claim.kind == Claimed::Kind::upper;
    const long double truth = upper ? exact[i].lower : exact[i].upper;
    ++tally.points;
    tally.at_top += i + 1 == c.grid.size();
    const bool violated = !(upper ? truth <= claimed : truth >= claimed);  // a NaN is a violation
    if (violated && tally.violations++ == 0) tally.where = at_point(c, c.grid[i], truth, claimed);
    if (!(claimed > 1e-12)) continue;
    const long double ratio = upper ? truth / claimed : claimed / truth;
    if (ratio > tally.tightest) {
      tally.tightest = ratio;
      if (tally.violations == 0) tally.where = at_point(c, c.grid[i], truth, claimed);
    }
  }
}

}  // namespace

Report run(const std::vector<BoundUnderTest>& bounds, long cases, unsigned seed) {
  std::mt19937_64 engine(seed);
  Report report;
  std::vector<Claimed> claims;
  for (; report.cases < cases; ++report.cases) {
    const Case c = random_case(engine);
    const std::vector<Interval> exact = truth(c);
    bool bounded = false;
    for (const BoundUnderTest& bound : bounds) {
      if (report.cases % bound.every != 0) continue;
      claims.clear();
      bound.of(c, claims);
      for (const Claimed& claim : claims) {
        Tally& tally = report.tallies[claim.name];
        tally.proven = bound.proven;
        compare(c, exact, claim, tally);
        bounded = bounded || (bound.proven && claim.kind == Claimed::Kind::upper);
      }
    }
    if (bounded) report.points += static_cast<long>(c.grid.size());
  }
  return report;
}

std::string Report::table() const {
  std::ostringstream out;
  out << cases << " cases, " << points << " points under a proven upper bound\n";
  for (const bool proven : {true, false}) {
    for (const auto& [name, t] : tallies) {
      if (t.proven != proven) continue;
      out << (proven ? "proven  " : "FALSE   ") << std::left << std::setw(64) << name << std::right
          << std::setw(8) << t.points << std::setw(8) << t.at_top << std::setw(8) << t.violations << "  "
          << std::fixed << std::setprecision(6) << static_cast<double>(t.tightest) << std::defaultfloat
          << "  " << t.where << "\n";
    }
  }
  return out.str();
}

}  // namespace muster::accounting::oracle

#include "muster/accounting/oracle/harness.h"

#include <cstdio>
#include <iomanip>
#include <sstream>

#include "muster/accounting/oracle/harness_truth.h"

namespace muster::accounting::oracle {
namespace {

std::string at_point(const Case& c, double at, long double truth, double bound) {
  std::ostringstream out;
  out << describe(c) << " at " << at << ": truth " << static_cast<double>(truth) << ", claimed " << bound;
  return out.str();
}

}  // namespace

Report run(const std::vector<Claim>& claims, long cases, unsigned seed) {
  std::mt19937_64 engine(seed);
  Report report;
  for (const Claim& claim : claims) report.tallies.push_back({claim.name, claim.proven, 0, 0, 0, 0, ""});
  for (; report.cases < cases; ++report.cases) {
    const Case c = random_case(engine);
    const std::vector<Interval> exact = truth(c);
    bool proven_here = false;
    for (std::size_t j = 0; j < claims.size(); ++j) {
      if (report.cases % claims[j].every != 0) continue;
      const ClaimedBound bound = claims[j].of(c);
      if (!bound) continue;
      proven_here = proven_here || claims[j].proven;
      Tally& tally = report.tallies[j];
      for (std::size_t i = 0; i < c.grid.size(); ++i) {
        const double claimed = bound(c.grid[i]);
        ++tally.points;
        tally.at_top += i + 1 == c.grid.size();
        const bool violated = !(exact[i].lower <= claimed);  // a NaN is a violation
        if (violated && tally.violations++ == 0)
          tally.where = at_point(c, c.grid[i], exact[i].lower, claimed);
        if (!(claimed > 1e-12)) continue;
        const long double ratio = exact[i].lower / claimed;
        if (ratio > tally.tightest) {
          tally.tightest = ratio;
          if (tally.violations == 0) tally.where = at_point(c, c.grid[i], exact[i].lower, claimed);
        }
      }
    }
    if (proven_here) report.points += static_cast<long>(c.grid.size());
  }
  return report;
}

std::string Report::table() const {
  std::ostringstream out;
  out << cases << " cases, " << points << " points under a proven claim\n";
  for (const Tally& t : tallies) {
    out << (t.proven ? "proven  " : "FALSE   ") << std::left << std::setw(62) << t.claim << std::right
        << std::setw(8) << t.points << std::setw(8) << t.at_top << std::setw(8) << t.violations << "  "
        << std::fixed << std::setprecision(6) << static_cast<double>(t.tightest) << std::defaultfloat << "  "
        << t.where << "\n";
  }
  return out.str();
}

}  // namespace muster::accounting::oracle

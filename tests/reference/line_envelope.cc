#include "tests/reference/line_envelope.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {
namespace {

long double value(const Line& line, long double e) { return line.p - e * line.q; }

// Returns the E at which the two lines are equal; `left` is the steeper one.
long double crossing(const Line& left, const Line& right) { return (left.p - right.p) / (left.q - right.q); }

// Returns the largest p of a line of slope -q below the envelope. This p is concave in q, and so is the
// smallest p over several envelopes.
long double intercept(const std::vector<Line>& lines, long double q) {
  Line last{0, 0, 0};
  for (std::size_t i = lines.size(); i-- > 0; last = lines[i]) {
    if (q <= lines[i].q) return last.p + (lines[i].p - last.p) * (q - last.q) / (lines[i].q - last.q);
  }
  return last.p;
}

}  // namespace

std::vector<Line> envelope(const std::vector<Line>& touching) {
  std::vector<Line> lines;  // the lines of the envelope, from right to left
  for (std::size_t i = touching.size(); i-- > 0;) {
    Line line = touching[i];
    if (!(line.p > 0 && line.q > 0)) continue;
    const long double end = exp(Real(line.valid)).below();
    long double other = 0;
    for (const Line& next : lines) other = std::max(other, value(next, end));
    line.p -= std::max(0.0L, value(line, end) - other);
    // A line that is flatter than the next one, though it should be steeper, is left out.
    if (!(line.p > 0) || (!lines.empty() && line.q <= lines.back().q)) continue;
    while (!lines.empty()) {
      const Line& next = lines.back();
      const long double here = crossing(line, next);
      const long double there = lines.size() > 1 ? crossing(next, lines[lines.size() - 2]) : next.p / next.q;
      if (here < there) break;
      lines.pop_back();  // `next` is nowhere the largest
    }
    lines.push_back(line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::vector<Line> least(const std::vector<std::vector<Line>>& envelopes) {
  if (envelopes.size() == 1) return envelopes.front();
  std::vector<Line> result;
  for (const std::vector<Line>& lines : envelopes) {
    for (Line line : lines) {
      for (const std::vector<Line>& other : envelopes) line.p = std::min(line.p, intercept(other, line.q));
      if (line.p > 0) result.push_back(line);
    }
  }
  std::sort(result.begin(), result.end(), [](const Line& a, const Line& b) { return a.q > b.q; });
  // The hull of the points (q, p) restores the concavity, which rounding may have destroyed.
  std::vector<Line> hull;
  for (const Line& line : result) {
    if (!hull.empty() && !(line.q < hull.back().q)) continue;
    while (hull.size() > 1 && crossing(hull[hull.size() - 2], hull.back()) >= crossing(hull.back(), line))
      hull.pop_back();
    hull.push_back(line);
  }
  return hull;
}

Pair pair_of(const std::vector<Line>& lines) {
  Pair pair;
  long double p = 0, q = 0;
  std::vector<Outcome> right;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const long double kink =
        i + 1 < lines.size() ? crossing(lines[i], lines[i + 1]) : lines[i].p / lines[i].q;
    const long double mass = lines[i].q - (i + 1 < lines.size() ? lines[i + 1].q : 0);
    if (!(kink > 1 && mass > 0)) break;
    // Masses beyond a total of 1 are left out, those of the smallest losses first.
    const long double room = 1 - p - q, needed = (kink + 1) * mass, share = std::min(1.0L, room / needed);
    if (!(share > 0)) break;
    right.push_back({kink * mass * share, mass * share});
    p += right.back().p;
    q += right.back().q;
  }
  for (const Outcome& o : right) {
    pair.push_back({o.p * (1 - 1e-15L), o.q * (1 + 1e-15L)});
    pair.push_back({o.q * (1 - 1e-15L), o.p * (1 + 1e-15L)});
  }
  const long double rest = 1 - p - q;
  if (rest > 0) pair.push_back({rest * (1 - 1e-15L), rest * (1 + 1e-15L)});
  return pair;
}

}  // namespace muster::reference

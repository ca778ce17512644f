// Random questions over everything that the flags accept, half of them near the edge of a range or near a
// switch between methods.
//
// Question i of a seed depends only on the seed and on i, so it can be asked again by itself. Numbers are
// log-uniform: epsilon0 1e-9 to 60, but 1e-100 to 1e-9 with probability 0.15; sigma 2^-12 to 1e6, rates
// 1e-15 to 1, clients 1 to 1e12, rounds 1 to 1e9, delta 1e-300 to 0.99. These are some of the edges: a rate
// of 1, of 1 minus an ulp, or with up to 2000 clients expected to be absent; an epsilon0 of about 30 or 100;
// one or two clients; a subset of all clients; a sigma where likelihood ratios become heavy-tailed; one
// expected report; a delta near the total variation distance of one message; an epsilon near the largest
// loss. The functions are pure and may be called on any thread.
#pragma once

#include <cstdint>

#include "tests/reference/question.h"

namespace muster::reference {

// A stream of random numbers (SplitMix64). It is the same on every system, and so are the questions.
class Draws {
 public:
  explicit Draws(std::uint64_t state) : state_(state) {}
  std::uint64_t bits();
  double uniform();                             // uniform in [0, 1)
  double log_uniform(double low, double high);  // both > 0
  std::uint64_t below(std::uint64_t count);     // uniform in [0, count)
  bool chance(double probability) { return uniform() < probability; }
  std::uint64_t whole(double low, double high);  // log-uniform, rounded to an integer

 private:
  std::uint64_t state_;
};

// Returns the stream of question `index` of `seed`; `purpose`
// keeps the draws of a question and of its relations apart.
Draws draws_of(std::uint64_t seed, std::uint64_t index, std::uint64_t purpose);

// The questions of `everything` are described above. Those of `few_clients` have at most nine clients and
// four rounds, moderate randomizers, and epsilon up to about the largest loss. They are small enough for the
// reference to enumerate the data sets and the messages (enumeration.h). Bounds that looked plausible have
// turned out to be false for such small cases. Those of `normal_check_ins` are shuffled check-ins with normal
// noise, where bounds lie within a few per cent of the truth.
enum class Focus { everything, few_clients, normal_check_ins };

Question random_question(std::uint64_t seed, std::uint64_t index, Focus focus = Focus::everything);

}  // namespace muster::reference

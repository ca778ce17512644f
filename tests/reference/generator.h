// Random questions over everything that the flags accept, half of them
// near an edge or a switch between methods.
//
// Question i of a seed never changes with i's neighbours: it can be asked again alone. Numbers are
// log-uniform: epsilon0 1e-9 to 60, sigma 2^-12 to 1e6, rates 1e-15 to 1, clients 1 to 1e12, rounds 1 to 1e9,
// delta 1e-300 to .99. Near an edge: a rate of 1, 1 less an ulp, or one that lets about 700 clients be
// absent; epsilon0 about 30 and 100; one or two clients; a subset of all; sigma where ratios turn
// heavy-tailed; one report expected; a delta near the total variation of one message; an epsilon near the
// largest loss. Pure functions; any thread.
#pragma once

#include <cstdint>

#include "tests/reference/question.h"

namespace muster::reference {

// A stream of random numbers of its own (SplitMix64): the questions are the same on every system.
class Draws {
 public:
  explicit Draws(std::uint64_t state) : state_(state) {}
  std::uint64_t bits();
  double uniform();                             // in [0, 1)
  double log_uniform(double low, double high);  // both > 0
  std::uint64_t below(std::uint64_t count);     // in [0, count)
  bool chance(double probability) { return uniform() < probability; }
  std::uint64_t whole(double low, double high);  // log-uniform, rounded

 private:
  std::uint64_t state_;
};

// A stream of question `index` of `seed`; `purpose` keeps the draws of a question and of its relations apart.
Draws draws_of(std::uint64_t seed, std::uint64_t index, std::uint64_t purpose);

// `everything`: as above. `few_clients`: at most nine, a few rounds, moderate randomizers, epsilon up to the
// largest loss: what the reference enumerates, and where plausible bounds have been false.
// `normal_check_ins`: shuffled check-ins with normal noise, where bounds lie within per cents of the truth.
enum class Focus { everything, few_clients, normal_check_ins };

Question random_question(std::uint64_t seed, std::uint64_t index, Focus focus = Focus::everything);

}  // namespace muster::reference

#include "tests/reference/generator.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {
namespace {

using accounting::View;
using protocols::Protocol;
using protocols::RandomizerKind;

constexpr double kMinRate = 1e-15, kMaxClients = 1e12, kMaxRounds = 1e9;

double rate_near_edge(Draws& draws, double clients) {
  const double absent = draws.log_uniform(0.1, 2000);
  switch (draws.below(8)) {
    case 0:
      return 1;
    case 1:
      return std::nextafter(1.0, 0.0);
    case 2:
      return 1 - draws.log_uniform(1e-15, 1e-3);
    case 3:
      // P(nobody is absent), about e^-absent, leaves the range of a double where `absent` is above about 700.
      return clients > absent ? 1 - absent / clients : 0.5;
    case 4:
      return std::min(1.0, draws.log_uniform(0.1, 20) / clients);  // about one report
    case 5:
      return 1 / (1.0 + static_cast<double>(draws.below(6)));  // at 1/3 the worst type of class C changes
    case 6:
      return draws.log_uniform(0.9e-15, 1.2e-15);
    default:
      return draws.log_uniform(1e-3, 1);
  }
}

void draw_randomizer(Draws& draws, bool edge, Question& q) {
  q.randomizer = static_cast<RandomizerKind>(draws.below(8));
  if (q.is_gaussian() || draws.chance(0.1)) {
    q.randomizer = RandomizerKind::gaussian;  // drawn more often, since most defects were found here
    q.sigma = draws.log_uniform(0x1p-12, 1e6);
    if (edge) {
      const double switches[] = {0.03, 0.05, 0.12, 0.15, 0.7, 1, 2, 5, 40, 1e4};
      q.sigma = switches[draws.below(std::size(switches))] * draws.log_uniform(0.8, 1.25);
    }
    return;
  }
  // For an epsilon0 below 1e-9, a method that subtracts nearly equal numbers would lose all digits.
  q.epsilon0 = draws.chance(0.15) ? draws.log_uniform(1e-100, 1e-9) : draws.log_uniform(1e-9, 60);
  if (edge) {
    const double switches[] = {1e-8, 1e-3, 1, 10, 22, 30, 60, 100, 700};
    q.epsilon0 = switches[draws.below(std::size(switches))];
    if (draws.chance(0.5)) q.epsilon0 *= draws.log_uniform(0.9, 1.1);
  }
  if (q.randomizer == RandomizerKind::k_rr) q.k = draws.chance(0.3) ? 2 : draws.whole(2, 1e6);
}

void draw_participation(Draws& draws, bool edge, Question& q) {
  q.protocol = static_cast<Protocol>(draws.below(7));
  q.clients = draws.whole(1, kMaxClients);
  if (edge && draws.chance(0.5)) q.clients = 1 + draws.below(draws.chance(0.5) ? 3 : 60);
  const auto clients = static_cast<double>(q.clients);
  if (q.protocol == Protocol::subset) {
    q.subset = std::min(q.clients, draws.whole(1, clients));
    if (edge && draws.chance(0.5)) q.subset = q.clients - std::min(q.clients - 1, draws.below(3));
    if (edge && draws.chance(0.2)) q.subset = 1;
  }
  if (q.has_slots()) {
    q.slots = draws.whole(1, 1e9);
    if (edge && draws.chance(0.5))
      q.slots = std::max<std::uint64_t>(1, draws.chance(0.5) ? q.clients : 1 + draws.below(60));
  }
  if (q.checks_in()) {
    q.rate = edge && draws.chance(0.7) ? rate_near_edge(draws, clients) : draws.log_uniform(kMinRate, 1);
    if (draws.chance(0.2)) {
      const double ratio = draws.chance(0.3) ? 1 - draws.log_uniform(1e-15, 0.1) : draws.uniform();
      q.least_rate = std::max(0.9e-15, q.rate * ratio);
      if (!(*q.least_rate < q.rate)) q.least_rate.reset();
    }
  }
  if (q.protocol == Protocol::aggregated_check_in && draws.chance(0.3)) {
    q.minimum = std::min(q.clients, draws.whole(1, std::max(1.0, 4 * clients * q.rate)));
  }
}

void draw_rounds(Draws& draws, bool edge, Question& q) {
  q.rounds = draws.chance(0.35) ? 1 : draws.whole(1, kMaxRounds);
  if (edge && draws.chance(0.4)) q.rounds = 2 + draws.below(4);
  if (!q.checks_in() || !draws.chance(0.12)) return;
  q.dropout.emplace_back(1, draws.chance(0.3) ? 0 : 0.9 * draws.uniform());
  std::uint64_t begins = 1;
  while (q.dropout.size() < 4 && draws.chance(0.7)) {
    begins += draws.whole(1, std::max(1.0, static_cast<double>(q.rounds) / 2));
    if (begins > q.rounds) break;
    q.dropout.emplace_back(begins, draws.chance(0.2) ? q.dropout.back().second : 0.9 * draws.uniform());
  }
}

// Returns the total variation distance of one message under the victim's two records, or without normal noise
// the largest that epsilon0 allows. For one message, epsilon is 0 at this delta and above it.
double total_variation(const Question& q) {
  if (q.is_gaussian()) return std::erf(1 / q.sigma / std::sqrt(2.0));
  return std::tanh(q.epsilon0 / 2);
}

void draw_asked(Draws& draws, bool edge, Question& q) {
  q.asks_epsilon = draws.chance(0.6);
  if (q.asks_epsilon) {
    q.fixed = draws.chance(0.5) ? draws.log_uniform(1e-12, 0.99) : draws.log_uniform(1e-300, 0.99);
    if (edge && draws.chance(0.3)) {
      const double share = q.checks_in() ? q.rate
                           : q.protocol == Protocol::subset
                               ? static_cast<double>(q.subset) / static_cast<double>(q.clients)
                               : 1;
      const double near = share * total_variation(q) * draws.log_uniform(0.5, 1.5);
      if (near > 1e-300 && near < 0.99) q.fixed = near;
    }
    return;
  }
  const double scale = q.is_gaussian() ? 2 / q.sigma * (1 + 1 / q.sigma) : q.epsilon0;
  q.fixed = draws.log_uniform(scale * 1e-6, scale * 5);
  if (edge && draws.chance(0.4)) {
    const double largest = (q.is_gaussian() ? scale : q.epsilon0) * static_cast<double>(q.rounds);
    q.fixed = draws.chance(0.3) ? largest : largest * (1 - draws.log_uniform(1e-15, 0.5));
  }
  if (draws.chance(0.05)) q.fixed = 0;
}

void draw_view(Draws& draws, Question& q) {
  if (!draws.chance(0.35)) return;
  if (q.has_slots() || q.protocol == Protocol::aggregated_check_in) {
    q.view = View::shuffler_colludes;
    return;
  }
  q.view = draws.chance(0.7) ? View::sum_only : View::shuffler_colludes;
}

void shrink(Draws& draws, Question& q) {
  q.clients = 1 + draws.below(9);
  q.rounds = draws.chance(0.7) ? 1 : 2 + draws.below(3);
  q.subset = 1 + draws.below(q.clients);
  q.slots = 1 + draws.below(q.protocol == Protocol::random_check_in_sliding
                                ? std::max<std::uint64_t>(1, q.clients / 2)
                                : 8);
  q.minimum = 1 + (draws.chance(0.2) ? draws.below(q.clients) : 0);
  if (q.protocol != Protocol::aggregated_check_in) q.minimum = 1;
  q.dropout.clear();
  q.rate = draws.chance(0.1)   ? 1
           : draws.chance(0.2) ? draws.log_uniform(1e-6, 1)
                               : 0.02 + 0.97 * draws.uniform();
  if (q.least_rate) q.least_rate = q.rate * (0.1 + 0.8 * draws.uniform());
  if (q.is_gaussian()) q.sigma = draws.log_uniform(0.1, 30);
  if (!q.is_gaussian()) {
    q.epsilon0 = draws.chance(0.15) ? draws.log_uniform(1e-100, 1e-3) : draws.log_uniform(1e-3, 12);
  }
  if (q.randomizer == RandomizerKind::k_rr) q.k = 2 + draws.below(4);
  const double largest =
      static_cast<double>(q.rounds) * (q.is_gaussian() ? 2 / q.sigma * (3 + 1 / q.sigma) : q.epsilon0);
  q.asks_epsilon = draws.chance(0.4);
  q.fixed = q.asks_epsilon
                ? draws.log_uniform(1e-12, 0.5)
                : largest * (draws.chance(0.1) ? 1 - draws.log_uniform(1e-9, 0.1) : draws.uniform());
}

void make_normal_check_in(Draws& draws, Question& q) {
  q.protocol = Protocol::shuffled_check_in;
  q.randomizer = RandomizerKind::gaussian;
  q.sigma = draws.log_uniform(1, 60);
  q.clients = draws.chance(0.3) ? 2 + draws.below(40) : draws.whole(10, 1e6);
  q.rate = draws.chance(0.2) ? 1 - draws.log_uniform(1e-3, 0.5) : draws.log_uniform(1e-3, 1);
  q.least_rate.reset();
  q.dropout.clear();
  q.minimum = 1;
  q.view.reset();
  q.rounds = draws.chance(0.5) ? 1 : draws.whole(1, 1e4);
  q.asks_epsilon = draws.chance(0.5);
  const double scale =
      2 / q.sigma *
      std::sqrt(static_cast<double>(q.rounds) * std::min(1.0, q.rate / static_cast<double>(q.clients) * 20));
  q.fixed = q.asks_epsilon ? draws.log_uniform(1e-10, 0.1) : scale * draws.log_uniform(1e-3, 5);
}

}  // namespace

std::uint64_t Draws::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

double Draws::uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

double Draws::log_uniform(double low, double high) {
  return std::exp(std::log(low) + uniform() * (std::log(high) - std::log(low)));
}

std::uint64_t Draws::below(std::uint64_t count) { return bits() % count; }

std::uint64_t Draws::whole(double low, double high) {
  return static_cast<std::uint64_t>(std::max(low, std::round(log_uniform(low, high))));
}

Draws draws_of(std::uint64_t seed, std::uint64_t index, std::uint64_t purpose) {
  Draws mixed(seed * 0x2545f4914f6cdd1dU + index);
  const std::uint64_t first = mixed.bits();
  return Draws(first ^ (purpose * 0xd1342543de82ef95U));
}

Question random_question(std::uint64_t seed, std::uint64_t index, Focus focus) {
  Draws draws = draws_of(seed, index, 0);
  const bool edge = index % 2 == 1;
  Question question;
  draw_randomizer(draws, edge, question);
  draw_participation(draws, edge, question);
  draw_rounds(draws, edge, question);
  draw_asked(draws, edge, question);
  draw_view(draws, question);
  if (focus == Focus::few_clients) shrink(draws, question);
  if (focus == Focus::normal_check_ins) make_normal_check_in(draws, question);
  question.all = !question.has_schedule() && draws_of(seed, index, 2).chance(0.1);
  return question;
}

}  // namespace muster::reference

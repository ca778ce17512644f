// Measures how the time of a sum over all possible counts k of reports grows with the number of clients,
// compared with Theorem 3 of "Shuffle Gaussian mechanism", which takes two counts only.
//
// The function reads the processor time of the process. Any thread may call it, but what other threads
// compute meanwhile would be counted, so only one should.
#pragma once

namespace muster::reproduce {

struct CountingCost {
  double first_clients, last_clients;  // the least and the largest number of clients
  double first_ratio, last_ratio;      // the time of the sum over that of Theorem 3
  double exponent;                     // the slope of log ratio in log clients, by least squares
};

// `rate` is the probability that a client reports, and `t` is the sensitivity over the noise's deviation. The
// terms of the sum are those of Equation 17, one for every k from 1 to the number of clients.
CountingCost counting_cost(double rate, double t);

}  // namespace muster::reproduce

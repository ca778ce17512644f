// The characteristic function of a law on a lattice at all N frequencies of one period, by one fast Fourier
// transform.
//
// Let a law on a lattice of spacing h have atoms of weight w at the points m h, for integers m. The values of
// its characteristic function at the multiples of 2 pi / (N h) are
//     phi(2 pi j / (N h)) = sum over atoms of w e^{2 pi i j m / N}.
// They are the discrete Fourier transform of N cells, where cell r holds the sum of the weights with m = r
// modulo N. A direct sum takes one operation per atom and frequency; the transform takes N log N, whatever
// the number of atoms. It is meant for the composition of few rounds whose privacy loss is finely tabulated.
// The characteristic function then hardly decays, so all N frequencies are needed. Every output is a sum of
// the weights, each multiplied by log2 N roots of unity; error() bounds the error of the difference of two
// outputs (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 24.1, in the one-norm).
// A transform does not change after its construction, so any thread may read it.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::numerics {

class LatticeTransform {
 public:
  // weights[i] >= 0 is the weight of the lattice point m = index[i]. An index may be negative; no index
  // occurs twice. `log2_cells` is log2 N, in 1 .. 30.
  LatticeTransform(const std::vector<std::int64_t>& index, const std::vector<double>& weights,
                   int log2_cells);

  std::size_t cells() const { return re_.size(); }  // N
  // Sum over the atoms of w (e^{2 pi i j m / N} - 1), for j in 0 .. N - 1.
  std::complex<double> minus_total(std::size_t j) const { return {re_[j] - re_[0], im_[j] - im_[0]}; }
  // A bound on the modulus of the error of minus_total, for every j.
  double error() const { return error_; }

 private:
  std::vector<double> re_;
  std::vector<double> im_;
  double error_;
};

}  // namespace muster::numerics

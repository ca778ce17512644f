// The characteristic function of a law on a lattice at every frequency of a period, by one fast
// Fourier transform.
//
// A law with atoms of weight w at points m h, m an integer, has the characteristic function
//     phi(2 pi j / (N h)) = sum over atoms of w e^{2 pi i j m / N},
// which is the discrete Fourier transform of the weights, those with the same m modulo N added up in one of N
// cells. Adding up atom by atom takes as many operations as there are atoms times frequencies; the transform
// takes N log N whatever the number of atoms. It is meant for few rounds of a finely tabulated loss: their
// characteristic function hardly decays, so that all N frequencies are needed. Every output is a sum over the
// weights, each turned by log2 N rotations, so its absolute error is at most error() (Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, section 24.1, in the one-norm). Pure; call from any thread.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::numerics {

class LatticeTransform {
 public:
  // weights[i] >= 0 is the weight of the lattice point m = index[i]. An index may be negative; none occurs
  // twice. `log2_cells` is log2 N, in 1 .. 30.
  LatticeTransform(const std::vector<std::int64_t>& index, const std::vector<double>& weights,
                   int log2_cells);

  std::size_t cells() const { return re_.size(); }
  // Sum over the atoms of w (e^{2 pi i j m / N} - 1), for j in 0 .. N - 1.
  std::complex<double> minus_total(std::size_t j) const { return {re_[j] - re_[0], im_[j] - im_[0]}; }
  // A bound on the absolute error of minus_total.
  double error() const { return error_; }

 private:
  std::vector<double> re_;
  std::vector<double> im_;
  double error_;
};

}  // namespace muster::numerics
